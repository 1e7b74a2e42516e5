/* os_files_uring_alone.c - calls on files by io_uring on one thread, also in a library without
 * threads; and in test mode, which makes no use of it. Skipped where there is no ring.
 * needs: descriptors posix
 * modes: woven forced
 * expect: 256 blocks written and read, by the ring, another task went on
 * expect: test mode: 64 blocks, without the ring */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/insight.h>
#include <co4/io.h>
#include <co4/test.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#include <sys/syscall.h>
#endif
#endif

#if defined(IORING_FEAT_NATIVE_WORKERS) && defined(SYS_io_uring_setup) && defined(O_DIRECT)

enum { BLOCK = 4096, TASKS = 64 };

static int fd, correct, ticks, left, seen;

static pausable void use_block(int i)
{
    void *p = NULL;
    int from = ticks;
    if (posix_memalign(&p, BLOCK, BLOCK) != 0)
        abort();
    for (int k = 0; k < 4; k++) {
        memset(p, i, BLOCK);
        bool ok = co4_pwrite(fd, p, BLOCK, (off_t)i * BLOCK) == BLOCK;
        memset(p, 0, BLOCK);
        correct += ok && co4_pread(fd, p, BLOCK, (off_t)i * BLOCK) == BLOCK &&
                   ((char *)p)[BLOCK - 1] == (char)i;
    }
    free(p);
    seen += ticks > from;
    left--;
}

static pausable void tick(void)
{
    for (; left > 0; ticks++)
        co4_yield();
}

/* On one worker. */
static co4_stats run(const co4_test_options *test)
{
    co4_stats stats = { 0 };
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED, .test = test });
    correct = ticks = seen = 0;
    left = TASKS;
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        abort();
    co4_runtime_spawn(rt, tick());
    for (int i = 0; i < TASKS; i++)
        co4_runtime_spawn(rt, use_block(i));
    co4_runtime_join(rt);
    co4_stats_of(rt, &stats);
    if (co4_runtime_destroy(rt) != CO4_OK)
        abort();
    return stats;
}

static bool make_file(const char *folder)
{
    char path[4200];
    void *p = NULL;
    snprintf(path, sizeof path, "%s/co4-alone.XXXXXX", folder);
    int out = mkstemp(path);
    if (out < 0 || ftruncate(out, TASKS * BLOCK) != 0 || posix_memalign(&p, BLOCK, BLOCK) != 0)
        return false;
    close(out);
    fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    unlink(path);
    bool ok = fd >= 0 && pread(fd, p, BLOCK, 0) == BLOCK;
    free(p);
    return ok;
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    struct io_uring_params params;
    memset(&params, 0, sizeof params);
    int ring = (int)syscall(SYS_io_uring_setup, 1, &params);
    if (ring < 0 || !(params.features & IORING_FEAT_NATIVE_WORKERS) ||
        (getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "vgpreload"))) {
        fprintf(stderr, "skipped: no io_uring: %s\n", strerror(errno));
        return 77;
    }
    close(ring);
    setenv("CO4_FILE_DRIVER", "ring", 1); /* from the first call on */
    if (!make_file(base ? base : "/tmp") && !make_file("/var/tmp") && !make_file(".")) {
        fputs("skipped: no file system with O_DIRECT\n", stderr);
        return 77;
    }
    co4_stats stats = run(NULL);
    printf("%d blocks written and read, by %s, another task %s\n", correct,
           stats.ring_calls >= 2 * 4 * TASKS && stats.pool_calls == 0 ? "the ring" : "others",
           seen > 0 ? "went on" : "stood still");
    stats = run(&(co4_test_options){ .seed = 1 });
    printf("test mode: %d blocks, %s the ring\n", correct / 4,
           stats.ring_calls == 0 && stats.pool_calls == 0 ? "without" : "by");
    co4_close(fd);
    return 0;
}

#else

int main(void)
{
    fputs("skipped: the library is built without io_uring\n", stderr);
    return 77;
}

#endif
