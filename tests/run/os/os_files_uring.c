/* os_files_uring.c - calls on files that the kernel makes by io_uring. Skipped where it forbids
 * that, or where no file can be opened with O_DIRECT.
 * needs: descriptors posix threads workers
 * modes: woven forced
 * expect: many: 64 tasks wrote and read 3200 blocks, all by the ring
 * expect: vectors: 12288 in three parts, 4096 and 4096 at the end, then 0
 * expect: by default: 5 calls by the pool, of 64 the first 8
 * expect: cold: 64 blocks, by the ring
 * expect: appended: 64 blocks, by the pool
 * expect: errors: EINVAL, EBADF, EFBIG after 4096
 * expect: full: 700 of 700 at once
 * expect: cancelled: 64 of 64 calls ended, then ECANCELED
 * expect: closed meanwhile: 32 of 32 calls ended, then the number was free
 * expect: left behind: 64 of 64 calls ended before co4_run returned
 * expect: stuck: the call ended during the step
 * expect: host: 50 calls, none missed
 * expect: forked: the child read 64 blocks by its own ring, the parent 64 more
 * expect: forked meanwhile: 64 of 64 calls ended in the parent
 * expect: forked with its runtime: 3200 blocks in each process
 * expect: no setup: 64 blocks, by the pool
 * expect: no entering: 64 blocks, by the pool
 * expect: driver pool: 64 blocks, by the pool
 * expect: descriptors: as many as before */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/insight.h>
#include <co4/io.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#include <sys/syscall.h>
#endif
#endif

#if defined(IORING_FEAT_NATIVE_WORKERS) && defined(SYS_io_uring_setup) && defined(O_DIRECT)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

enum { BLOCK = 4096, BLOCKS = 1024, MOST = 700, LARGE = 16 };

static char path[4200];
static int fd;             /* with O_DIRECT */
static atomic_int correct; /* blocks, or calls */

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static char *buffer(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, BLOCK, bytes) != 0)
        abort();
    return p;
}

static bool is_block(const char *at, int i)
{
    int found;
    memcpy(&found, at, sizeof found);
    return found == i && memcmp(at + BLOCK - sizeof found, &found, sizeof found) == 0;
}

static void make_block(char *at, int i)
{
    memset(at, i, BLOCK);
    memcpy(at, &i, sizeof i);
    memcpy(at + BLOCK - sizeof i, &i, sizeof i);
}

pausable void read_one(int i)
{
    char *at = buffer(BLOCK);
    correct += co4_pread(fd, at, BLOCK, (off_t)i * BLOCK) == BLOCK && is_block(at, i);
    free(at);
}

pausable void read_some(int n)
{
    static co4_task *t[MOST];
    correct = 0;
    for (int i = 0; i < n; i++)
        t[i] = co4_spawn(read_one(i));
    for (int i = 0; i < n; i++)
        co4_join(t[i], NULL);
}

/* ---- on a runtime, whose counters say which way the calls went ---- */

static co4_runtime *rt;
static co4_stats stats;

static void begin(int workers)
{
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
    if (!rt || (workers > 0 && co4_runtime_start(rt) != CO4_OK))
        abort();
    correct = 0;
}

static void end(void)
{
    co4_runtime_join(rt);
    co4_stats_of(rt, &stats);
    if (co4_runtime_destroy(rt) != CO4_OK)
        abort();
}

pausable void write_and_read(int from, int step)
{
    char *at = buffer(BLOCK);
    int n = 0;
    for (int i = from; i < from + 50 * step; i += step) {
        int block = i % BLOCKS;
        make_block(at, block);
        if (co4_pwrite(fd, at, BLOCK, (off_t)block * BLOCK) != BLOCK)
            break;
        memset(at, 0, BLOCK);
        if (co4_pread(fd, at, BLOCK, (off_t)block * BLOCK) == BLOCK && is_block(at, block))
            n++;
    }
    correct += n;
    free(at);
}

static void many(void)
{
    begin(2);
    for (int i = 0; i < 64; i++)
        co4_runtime_spawn(rt, write_and_read(i, 64));
    end();
    printf("many: 64 tasks wrote and read %d blocks, %s\n", (int)correct,
           stats.ring_calls >= 2 * 3200 && stats.pool_calls == 0 ? "all by the ring" : "otherwise");
}

pausable void read_vectors(void)
{
    char *at = buffer(3 * BLOCK);
    struct iovec v[3] = { { at, BLOCK }, { at + BLOCK, BLOCK }, { at + 2 * BLOCK, BLOCK } };
    off_t last = (off_t)BLOCKS * BLOCK;
    int n = (int)co4_preadv(fd, v, 3, 5 * BLOCK);
    if (!is_block(at, 5) || !is_block(at + BLOCK, 6) || !is_block(at + 2 * BLOCK, 7))
        n = -1;
    int two = (int)co4_preadv(fd, v, 3, last - BLOCK),
        one = (int)co4_pread(fd, at, 3 * BLOCK, last - BLOCK);
    printf("vectors: %d in three parts, %d and %d at the end, then %d\n", n, two, one,
           (int)co4_pread(fd, at, BLOCK, last));
    free(at);
}

/* A ring is opened when it is worth its while. */
static void by_default(void)
{
    unsetenv("CO4_FILE_DRIVER");
    begin(1);
    co4_runtime_spawn(rt, read_some(5));
    end();
    int few = stats.ring_calls == 0 ? (int)stats.pool_calls : -1;
    begin(1);
    co4_runtime_spawn(rt, read_some(64));
    end();
    printf("by default: %d calls by the pool, of 64 the first %d\n", few,
           stats.ring_calls == 64 - stats.pool_calls ? (int)stats.pool_calls : -1);
    setenv("CO4_FILE_DRIVER", "ring", 1);
}

static int direct;

/* Whether the kernel has some of the file in memory. */
static bool is_in_memory(void)
{
    static unsigned char pages[BLOCKS * BLOCK / 4096];
    size_t bytes = (size_t)BLOCKS * BLOCK, n = 0;
    void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED || mincore(at, bytes, pages) != 0)
        abort();
    munmap(at, bytes);
    for (size_t i = 0; i < sizeof pages; i++)
        n += pages[i] & 1;
    return n > 0;
}

static void drop_from_memory(void)
{
    for (int i = 0; i < 1000; i++) { /* the kernel keeps pages that it still works on */
        fsync(fd);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (!is_in_memory())
            break;
        nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
    }
}

/* Without O_DIRECT, from a file that is not in memory. Under load the kernel may bring it back
 * before it is read. */
static void cold(void)
{
    direct = fd;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    for (int i = 0; i == 0 || (i < 10 && stats.ring_calls <= 32); i++) {
        drop_from_memory();
        begin(1);
        co4_runtime_spawn(rt, read_some(64));
        end();
    }
    printf("cold: %d blocks, by %s\n", (int)correct,
           stats.ring_calls > 32 && stats.pool_calls == 0 ? "the ring" : "others");
    co4_close(fd);
    fd = direct;
}

pausable void append_one(int i)
{
    char *at = buffer(BLOCK);
    make_block(at, i);
    correct += co4_pwrite(fd, at, BLOCK, (off_t)i * BLOCK) == BLOCK;
    free(at);
}

/* The kernel would need a thread for it. */
static void append(void)
{
    direct = fd;
    fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    begin(1);
    for (int i = 0; i < 64; i++)
        co4_runtime_spawn(rt, append_one(BLOCKS + i));
    end();
    printf("appended: %d blocks, by %s\n", (int)correct,
           stats.ring_calls == 0 && stats.pool_calls >= 64 ? "the pool" : "others");
    if (ftruncate(fd, (off_t)BLOCKS * BLOCK) != 0)
        abort();
    co4_close(fd);
    fd = direct;
}

static const char *name_of(ssize_t n)
{
    return n >= 0            ? "0"
           : errno == EINVAL ? "EINVAL"
           : errno == EBADF  ? "EBADF"
           : errno == EFBIG  ? "EFBIG"
                             : strerror(errno);
}

pausable void fail(void)
{
    char *at = buffer(2 * BLOCK);
    make_block(at, BLOCKS - 1);
    const char *unaligned = name_of(co4_pread(fd, at + 1, 100, 7));
    int reads_only = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    const char *wrong = name_of(co4_pwrite(reads_only, at, BLOCK, 0));
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)BLOCKS * BLOCK;
    setrlimit(RLIMIT_FSIZE, &limit);
    off_t last = (off_t)(BLOCKS - 1) * BLOCK;
    int part = (int)co4_pwrite(fd, at, 2 * BLOCK, last);
    const char *large = name_of(co4_pwrite(fd, at, BLOCK, last + BLOCK));
    setrlimit(RLIMIT_FSIZE, &before);
    printf("errors: %s, %s, %s after %d\n", unaligned, wrong, large, part);
    co4_close(reads_only);
    free(at);
}

/* So many bytes take the device longer than the tasks need to ask for them. */
pausable void read_large(int i)
{
    char *at = buffer(LARGE * BLOCK);
    int from = i % (BLOCKS / LARGE) * LARGE;
    if (co4_pread(fd, at, LARGE * BLOCK, (off_t)from * BLOCK) == LARGE * BLOCK)
        correct += is_block(at, from) && is_block(at + (LARGE - 1) * BLOCK, from + LARGE - 1);
    free(at);
}

static void full(void)
{
    begin(1);
    for (int i = 0; i < MOST; i++)
        co4_runtime_spawn(rt, read_large(i));
    end();
    printf("full: %d of %d at once\n", (int)correct, MOST);
}

/* ---- calls that are under way ---- */

pausable void read_then_sleep(int i)
{
    char *at = buffer(BLOCK);
    bool ok = co4_pread(fd, at, BLOCK, (off_t)i * BLOCK) == BLOCK && is_block(at, i);
    make_block(at, -1);
    if (co4_sleep(3600 * CO4_SEC) == CO4_ECANCELED && is_block(at, -1))
        correct += ok && co4_pread(fd, at, BLOCK, 0) < 0 && errno == ECANCELED;
    free(at);
}

pausable void cancel_all(void)
{
    co4_task *t[64];
    correct = 0;
    for (int i = 0; i < 64; i++)
        t[i] = co4_spawn(read_then_sleep(i));
    co4_yield(); /* all have begun */
    for (int i = 0; i < 64; i++)
        co4_task_cancel(t[i], 0);
    for (int i = 0; i < 64; i++)
        co4_join(t[i], NULL);
    printf("cancelled: %d of 64 calls ended, then ECANCELED\n", (int)correct);
}

pausable void close_meanwhile(void)
{
    co4_task *t[32];
    correct = 0;
    direct = fd;
    fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    for (int i = 0; i < 32; i++)
        t[i] = co4_spawn(read_one(i));
    co4_yield();
    co4_close(fd);
    for (int i = 0; i < 32; i++)
        co4_join(t[i], NULL);
    printf("closed meanwhile: %d of 32 calls ended, then the number was %s\n", (int)correct,
           fcntl(fd, F_GETFD) < 0 ? "free" : "in use");
    fd = direct;
}

pausable void leave(void)
{
    correct = 0;
    for (int i = 0; i < 64; i++)
        co4_spawn(read_one(i));
    co4_yield();
}

static atomic_bool got;

pausable void read_and_tell(void)
{
    read_one(3);
    got = true;
}

pausable void compute(void)
{
    for (long i = 0; !got && i < 2000000000; i++)
        ;
    printf("stuck: the call ended %s\n", got ? "during the step" : "too late");
    got = true;
}

pausable void begin_both(void)
{
    read_one(3); /* by this worker's ring */
    co4_spawn(read_and_tell());
    co4_task *t = co4_task_create(compute());
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
}

static void stuck(void)
{
    begin(2);
    co4_task *t = co4_task_create(begin_both());
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
    end();
}

static void host(void)
{
    int missed = 0;
    begin(CO4_RUNTIME_EMBEDDED);
    if (co4_runtime_start(rt) != CO4_OK)
        abort();
    struct pollfd p = { .fd = co4_runtime_wake_fd(rt), .events = POLLIN };
    co4_runtime_spawn(rt, read_some(50));
    for (;;) {
        co4_runtime_run_once(rt);
        co4_stats_of(rt, &stats);
        if (stats.spawned == stats.stopped)
            break;
        if (co4_runtime_next_deadline(rt) != 0 && poll(&p, 1, 5000) != 1)
            missed++;
    }
    printf("host: %d calls, %s\n", (int)correct,
           missed == 0 && stats.ring_calls > 25 ? "none missed" : "some missed");
    co4_runtime_destroy(rt);
}

/* ---- other processes ---- */

static int status_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The child has no other thread, and needs none. */
static void forked(void)
{
    begin(1);
    co4_runtime_spawn(rt, read_some(64));
    end();
    co4_blocking_stop();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        co4_run(read_some(64));
        _exit(correct == 64 && co4_blocking_threads() == 0 ? 1 : 0);
    }
    bool ok = status_of(child) == 1;
    co4_run(read_some(64));
    printf("forked: the child read %d blocks by its own ring, the parent %d more\n", ok ? 64 : 0,
           (int)correct);
}

pausable void fork_meanwhile(void)
{
    co4_task *t[64];
    correct = 0;
    for (int i = 0; i < 64; i++)
        t[i] = co4_spawn(read_one(i));
    co4_yield();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    co4_blocking(waitpid(child, NULL, 0));
    for (int i = 0; i < 64; i++)
        co4_join(t[i], NULL);
    printf("forked meanwhile: %d of 64 calls ended in the parent\n", (int)correct);
}

/* Both processes go on with the same runtime, at the same time. */
static void fork_with_runtime(void)
{
    int n = 0;
    begin(CO4_RUNTIME_EMBEDDED);
    if (co4_runtime_start(rt) != CO4_OK)
        abort();
    co4_runtime_spawn(rt, read_one(1));
    co4_runtime_join(rt);
    fflush(stdout);
    pid_t child = fork();
    for (int i = 0; i < 50; i++) {
        co4_runtime_spawn(rt, read_some(64));
        co4_runtime_join(rt);
        n += correct;
    }
    if (child == 0)
        _exit(n == 3200);
    bool ok = status_of(child) == 1;
    end();
    printf("forked with its runtime: %d blocks in %s\n", n,
           ok ? "each process" : "the parent alone");
}

static void forbid(int call)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = { sizeof code / sizeof code[0], code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0)
        _exit(99);
}

/* Each way is a process of its own: what a process finds out, it remembers. */
static int read_in_a_way(const char *way)
{
    if (way[0] == 'd')
        setenv("CO4_FILE_DRIVER", "pool", 1);
    else
        forbid(way[3] == 's' ? SYS_io_uring_setup : SYS_io_uring_enter);
    fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    begin(1);
    co4_runtime_spawn(rt, read_some(64));
    end();
    co4_blocking_stop();
    return (correct == 64) + 2 * (stats.ring_calls > 0) + 4 * (stats.pool_calls >= 64);
}

static void other_ways(void)
{
    static const char *const ways[] = { "no setup", "no entering", "driver pool" };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", "os_files_uring", ways[i], path, (char *)NULL);
            _exit(98);
        }
        int status = status_of(child);
        printf("%s: %d blocks, by %s\n", ways[i], status & 1 ? 64 : 0,
               status == 5 ? "the pool" : "others");
    }
}

/* ---- the file ---- */

static bool make_file(const char *folder)
{
    snprintf(path, sizeof path, "%s/co4-uring.XXXXXX", folder);
    int out = mkstemp(path);
    char at[BLOCK];
    if (out < 0)
        return false;
    for (int i = 0; i < BLOCKS; i++) {
        make_block(at, i);
        if (write(out, at, BLOCK) != BLOCK)
            abort();
    }
    fsync(out);
    close(out);
    fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    char *block = buffer(BLOCK);
    bool ok = fd >= 0 && pread(fd, block, BLOCK, 0) == BLOCK;
    free(block);
    if (!ok)
        unlink(path);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        snprintf(path, sizeof path, "%s", argv[2]);
        return read_in_a_way(argv[1]);
    }

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
    signal(SIGXFSZ, SIG_IGN);
    int before = descriptors();
    if (!make_file(base ? base : "/tmp") && !make_file("/var/tmp") && !make_file(".")) {
        fputs("skipped: no file system with O_DIRECT\n", stderr);
        return 77;
    }
    many();
    co4_run(read_vectors());
    by_default();
    cold();
    append();
    co4_run(fail());
    full();
    co4_run(cancel_all());
    co4_run(close_meanwhile());
    co4_run(leave());
    printf("left behind: %d of 64 calls ended before co4_run returned\n", (int)correct);
    stuck();
    host();
    forked();
    co4_run(fork_meanwhile());
    fork_with_runtime();
    other_ways();
    co4_close(fd);
    unlink(path);
    co4_blocking_stop();
    printf("descriptors: %s\n", descriptors() == before ? "as many as before" : "more");
    return 0;
}

#else

int main(void)
{
    fputs("skipped: the library is built without io_uring\n", stderr);
    return 77;
}

#endif
