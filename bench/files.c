/* files.c - random reads and writes of 4 KiB: tasks beside io_uring and plain threads.
 *
 *     co4files FILE [MIB [SECONDS]]
 *
 * Makes FILE of MIB (1024), and measures each way of reading for SECONDS (2), with 1, 8, 32 and 64
 * reads under way: with O_DIRECT, so that each read goes to the device, and from memory. Of tasks
 * also reads of what is not in memory, and writes, with O_DIRECT, to memory, and with fdatasync.
 * Prints operations per second, and processor time for each. `nop` is a call on the pool that does
 * nothing: what the pool itself costs. CO4_FILE_DRIVER=pool keeps the tasks from io_uring. */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef HAS_URING
#include <liburing.h>
#endif

#include "measure.h"

enum { BLOCK = 4096, MOST = 64 };

static int fd;
static long blocks;
static double seconds = 2, until;
static long reads; /* or writes, of all tasks; they run on one thread */

static long next_block(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (long)((*seed >> 33) % (unsigned long long)blocks);
}

static char *block(void)
{
    void *p = NULL;
    if (posix_memalign(&p, BLOCK, BLOCK) != 0)
        abort();
    return p;
}

static double processor_time(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static void report(const char *name, int depth, long n, double time, double cpu)
{
    printf("%-12s %3d at once: %9.0f/s, %6.2f us of processor time each\n", name, depth,
           (double)n / time, cpu * 1e6 / (double)n);
    fflush(stdout);
}

/* ---- co4 ---- */

static enum { READS, COLD, WRITES, SYNCS } what;

static pausable ssize_t work(char *at, off_t offset)
{
    ssize_t n;
    switch (what) {
    case WRITES:
        return co4_pwrite(fd, at, BLOCK, offset);
    case SYNCS:
        n = co4_pwrite(fd, at, BLOCK, offset);
        return co4_fdatasync(fd) == 0 ? n : -1;
    case COLD:
        posix_fadvise(fd, offset, BLOCK, POSIX_FADV_DONTNEED);
        /* fallthrough */
    default:
        return co4_pread(fd, at, BLOCK, offset);
    }
}

static pausable void worker(unsigned long long seed, char *at)
{
    while (bench_now() < until) {
        if (work(at, next_block(&seed) * BLOCK) != BLOCK) {
            perror("co4");
            return;
        }
        reads++;
    }
}

static int nothing(void)
{
    return 0;
}

static pausable void idler(void)
{
    while (bench_now() < until) {
        co4_blocking(nothing());
        reads++;
    }
}

static pausable void crowd(int depth, char *at[], bool nop)
{
    co4_task *t[MOST];
    for (int i = 0; i < depth; i++)
        t[i] = nop ? co4_spawn(idler()) : co4_spawn(worker((unsigned)i + 1, at[i]));
    for (int i = 0; i < depth; i++)
        co4_join(t[i], NULL);
}

static void with_co4(int depth, char *at[], bool nop)
{
    double from = bench_now(), cpu = processor_time();
    until = from + seconds;
    reads = 0;
    co4_run(crowd(depth, at, nop));
    static const char *const names[] = { "co4_pread", "co4_pread", "co4_pwrite", "and sync" };
    report(nop ? "nop" : names[what], depth, reads, bench_now() - from, processor_time() - cpu);
}

/* ---- plain threads ---- */

static atomic_long thread_reads;

static void *thread_main(void *arg)
{
    char *to = arg;
    unsigned long long seed = (unsigned long long)(uintptr_t)to;
    long n = 0;
    for (; bench_now() < until; n++)
        if (pread(fd, to, BLOCK, next_block(&seed) * BLOCK) != BLOCK)
            break;
    thread_reads += n;
    return NULL;
}

static void with_threads(int depth, char *at[])
{
    pthread_t t[MOST];
    double from = bench_now(), cpu = processor_time();
    until = from + seconds;
    thread_reads = 0;
    for (int i = 0; i < depth; i++)
        pthread_create(&t[i], NULL, thread_main, at[i]);
    for (int i = 0; i < depth; i++)
        pthread_join(t[i], NULL);
    report("threads", depth, thread_reads, bench_now() - from, processor_time() - cpu);
}

/* ---- io_uring ---- */

#ifdef HAS_URING
static void submit_read(struct io_uring *ring, char *at[], long i, unsigned long long *seed)
{
    struct io_uring_sqe *e = io_uring_get_sqe(ring);
    io_uring_prep_read(e, fd, at[i], BLOCK, (unsigned long long)next_block(seed) * BLOCK);
    io_uring_sqe_set_data64(e, (unsigned long long)i);
}

static void with_uring(int depth, char *at[])
{
    struct io_uring ring;
    struct io_uring_cqe *done[MOST];
    unsigned long long seed = 7;
    long n = 0;
    int err = io_uring_queue_init(MOST, &ring, 0);
    if (err != 0) {
        printf("io_uring     is not available: %s\n", strerror(-err));
        return;
    }
    double from = bench_now(), cpu = processor_time();
    until = from + seconds;
    for (int i = 0; i < depth; i++)
        submit_read(&ring, at, i, &seed);
    for (int under_way = depth; under_way > 0;) {
        bool goes_on = bench_now() < until;
        if (io_uring_submit_and_wait(&ring, 1) < 0 && errno != EINTR)
            break;
        unsigned got = io_uring_peek_batch_cqe(&ring, done, MOST);
        for (unsigned i = 0; i < got; i++) {
            bench_check("a read by io_uring", done[i]->res, BLOCK);
            n++;
            if (goes_on)
                submit_read(&ring, at, (long)io_uring_cqe_get_data64(done[i]), &seed);
            else
                under_way--;
        }
        io_uring_cq_advance(&ring, got);
    }
    report("io_uring", depth, n, bench_now() - from, processor_time() - cpu);
    io_uring_queue_exit(&ring);
}
#else
static void with_uring(int depth, char *at[])
{
    (void)depth, (void)at;
    puts("io_uring     is not built in: there was no liburing");
}
#endif

static void measure(const char *name, char *at[])
{
    static const int depths[] = { 1, 8, 32, MOST };
    printf("%s\n", name);
    fsync(fd);
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        with_co4(depths[i], at, false);
        if (what != READS)
            continue;
        with_uring(depths[i], at);
        with_threads(depths[i], at);
    }
}

static int make_file(const char *path, long mib)
{
    char *mebi = malloc(1 << 20);
    int out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    unsigned long long seed = 1;
    for (long i = 0; mebi && i < mib; i++) {
        for (int k = 0; k < 1 << 20; k += BLOCK)
            next_block(&seed), memcpy(mebi + k, &seed, sizeof seed);
        if (write(out, mebi, 1 << 20) != 1 << 20) {
            perror(path);
            exit(1);
        }
    }
    free(mebi);
    fsync(out);
    return out;
}

int main(int argc, char **argv)
{
    char *at[MOST];
    if (argc < 2) {
        fprintf(stderr, "usage: co4files FILE [MIB [SECONDS]]\n");
        return 2;
    }
    long mib = argc > 2 ? atol(argv[2]) : 1024;
    seconds = argc > 3 ? atof(argv[3]) : seconds;
    blocks = mib << 8;
    for (int i = 0; i < MOST; i++)
        at[i] = block();
    int cached = make_file(argv[1], mib);
    with_co4(1, at, true);
    with_co4(MOST, at, true);
    fd = cached;
    measure("from memory", at);
    fd = open(argv[1], O_RDWR | O_DIRECT | O_CLOEXEC);
    if (fd >= 0) {
        measure("from the device", at);
        what = WRITES;
        measure("to the device", at);
        co4_close(fd);
    }
    fd = open(argv[1], O_RDWR | O_CLOEXEC);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    what = COLD;
    measure("buffered, not in memory", at);
    co4_close(fd);
    what = WRITES;
    fd = cached;
    measure("writes to memory", at);
    what = SYNCS;
    measure("writes with fdatasync", at);
    co4_close(fd);
    unlink(argv[1]);
    for (int i = 0; i < MOST; i++)
        free(at[i]);
    co4_blocking_stop();
    return 0;
}
