/* os_files_position.c - reads at the position of a file that is partly in memory: full counts, and
 * each page comes once, also where a thread and another process read at the same position.
 * needs: descriptors posix threads workers
 * modes: woven forced
 * expect: alone: 2052 pages, each once, 0 short counts
 * expect: behind the end: 100 of 4096, then 0, position as it should be
 * expect: not in memory: one call of the pool
 * expect: direct: 2052 pages, each once, 0 short counts
 * expect: two tasks and a thread: 2052 pages, each once
 * expect: two tasks and a process: 2052 pages, each once
 * expect: vectors: 2052 pages, each once, 0 short counts
 * expect: posix: 2052 pages, each once, 0 short counts
 * expect: posix, vectors: 2052 pages, each once, 0 short counts */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/insight.h>
#include <co4/io.h>
#include <co4/posix.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

enum { PAGE = 4096, PAGES = 2052, AT_A_TIME = 3 };

static char path[100];
static atomic_uint *seen; /* by page; shared with the child */
static int fd, shorts;
static bool by_posix;

/* Leaves every fourth page in memory, and no others: where the file system allows that. So some
 * reads find their first page, and others nothing. */
static void forget_most(void)
{
    char page[PAGE];
    int other = open(path, O_RDONLY | O_CLOEXEC);
    posix_fadvise(other, 0, 0, POSIX_FADV_RANDOM);
    posix_fadvise(other, 0, 0, POSIX_FADV_DONTNEED);
    for (int i = 0; i < PAGES; i += 4)
        if (pread(other, page, PAGE, (off_t)i * PAGE) != PAGE)
            abort();
    close(other);
    memset(seen, 0, PAGES * sizeof *seen);
    shorts = 0;
}

static void open_again(int flags)
{
    forget_most();
    fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0) /* no O_DIRECT here */
        fd = open(path, O_RDONLY | O_CLOEXEC);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
}

static void note(const char *at, ssize_t n)
{
    for (; n >= PAGE; n -= PAGE, at += PAGE) {
        unsigned i;
        memcpy(&i, at, sizeof i);
        atomic_fetch_add(&seen[i], 1);
    }
}

pausable void read_all(bool by_vector)
{
    char *at = NULL;
    ssize_t n;
    if (posix_memalign((void **)&at, PAGE, AT_A_TIME * PAGE) != 0)
        abort();
    for (;;) {
        struct iovec v[2] = { { at, PAGE }, { at + PAGE, (AT_A_TIME - 1) * PAGE } };
        if (by_posix)
            n = by_vector ? co4_posix_readv(fd, v, 2) : co4_posix_read(fd, at, AT_A_TIME * PAGE);
        else
            n = by_vector ? co4_readv(fd, v, 2) : co4_read(fd, at, AT_A_TIME * PAGE);
        if (n <= 0)
            break;
        shorts += n < AT_A_TIME * PAGE;
        note(at, n);
    }
    if (n < 0)
        perror("co4_read");
    free(at);
}

static void report(const char *what, bool counts)
{
    int once = 0;
    for (int i = 0; i < PAGES; i++)
        once += seen[i] == 1;
    printf("%s: %d pages, each once", what, once);
    if (counts)
        printf(", %d short counts", shorts);
    puts("");
}

static void read_plainly(void)
{
    char at[AT_A_TIME * PAGE];
    ssize_t n;
    while ((n = read(fd, at, sizeof at)) > 0)
        note(at, n);
}

static void *thread_main(void *arg)
{
    read_plainly();
    return arg;
}

pausable void two(void)
{
    co4_task *t = co4_spawn(read_all(false)), *u = co4_spawn(read_all(false));
    co4_join(t, NULL);
    co4_join(u, NULL);
}

static void beside_a_thread(void)
{
    pthread_t t;
    open_again(0);
    pthread_create(&t, NULL, thread_main, NULL);
    co4_run(two());
    pthread_join(t, NULL);
    co4_close(fd);
    report("two tasks and a thread", false);
}

static void beside_a_process(void)
{
    open_again(0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        read_plainly();
        _exit(0);
    }
    co4_run(two());
    waitpid(child, NULL, 0);
    co4_close(fd);
    report("two tasks and a process", false);
}

static void alone(const char *what, int flags, bool by_vector)
{
    open_again(flags);
    co4_run(read_all(by_vector));
    co4_close(fd);
    report(what, true);
}

pausable void read_end(void)
{
    char at[PAGE];
    off_t from = (off_t)PAGES * PAGE - 100;
    lseek(fd, from, SEEK_SET);
    int n = (int)co4_read(fd, at, PAGE), then = (int)co4_read(fd, at, PAGE);
    printf("behind the end: %d of %d, then %d, position %s\n", n, PAGE, then,
           lseek(fd, 0, SEEK_CUR) == from + 100 ? "as it should be" : "elsewhere");
}

static int got;

pausable void read_two(void)
{
    char at[2 * PAGE];
    got = (int)co4_read(fd, at, sizeof at);
}

/* Reads two pages that are not in memory. Returns whether one call of the pool has read them, or
 * they were in memory from the beginning. */
static bool is_read_by_the_pool(void)
{
    co4_stats stats = { 0 };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    open_again(0);
    lseek(fd, PAGE, SEEK_SET);
    char page[PAGE];
    struct iovec one = { page, PAGE };
#ifdef RWF_NOWAIT
    bool is_absent = preadv2(fd, &one, 1, 2 * PAGE, RWF_NOWAIT) < 0 && errno == EAGAIN;
#else
    bool is_absent = one.iov_len == 0;
#endif
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        abort();
    co4_runtime_spawn(rt, read_two());
    co4_runtime_join(rt);
    co4_stats_of(rt, &stats);
    co4_runtime_destroy(rt);
    co4_close(fd);
    return !is_absent || stats.pool_calls == 1;
}

/* The worker does not try again and again until the pages have come. Now and then the kernel has
 * brought them before it reads them. */
static void by_the_pool(void)
{
    bool by_pool = false;
    for (int i = 0; i < 10 && !by_pool; i++)
        by_pool = is_read_by_the_pool() || got != 2 * PAGE;
    printf("not in memory: %s\n", got != 2 * PAGE ? "lost"
                                  : by_pool       ? "one call of the pool"
                                                  : "no call of the pool");
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    char page[PAGE] = "";
    snprintf(path, sizeof path, "%.60s/co4-position.XXXXXX", base ? base : "/tmp");
    seen = mmap(NULL, PAGES * sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                0);
    int out = mkstemp(path);
    for (unsigned i = 0; i < PAGES; i++) {
        memcpy(page, &i, sizeof i);
        if (write(out, page, PAGE) != PAGE)
            return 1;
    }
    fsync(out);
    close(out);
    alone("alone", 0, false);
    open_again(0);
    co4_run(read_end());
    co4_close(fd);
    by_the_pool();
    alone("direct", O_DIRECT, false);
    beside_a_thread();
    beside_a_process();
    alone("vectors", 0, true);
    by_posix = true;
    alone("posix", 0, false);
    alone("posix, vectors", 0, true);
    unlink(path);
    co4_blocking_stop();
    return 0;
}
