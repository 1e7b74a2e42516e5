/* io_spin.c - a worker spins before it sleeps when answers come soon, and not if all its threads
 * share one processor. The counters say so.
 *
 * A thread answers each byte at once, without sleeping.
 * needs: descriptors threads workers
 * modes: woven
 * expect: a worker alone: it spins
 * expect: two workers on one processor: no spin */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 2000 };

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const bool slow = true; /* no answer comes soon */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
static const bool slow = true;
#else
static const bool slow = false;
#endif
#else
static const bool slow = false;
#endif

static atomic_bool over;
static co4_runtime *running;

static void *answers(void *fd)
{
    char c;
    while (!over)
        if (read(*(int *)fd, &c, 1) == 1 && write(*(int *)fd, &c, 1) != 1)
            break;
    return NULL;
}

static pausable bool asks(int fd, bool until_it_spins)
{
    int64_t limit = co4_now() + 20 * CO4_SEC;
    co4_stats s = { 0 };
    char c = 'x';
    do {
        for (int i = 0; i < ROUNDS; i++)
            if (co4_write(fd, &c, 1) != 1 || co4_read(fd, &c, 1) != 1)
                return false;
        co4_stats_of(running, &s);
    } while (until_it_spins && s.spins_won == 0 && co4_now() < limit);
    return s.spins > 0;
}

static pausable void tries(int fd, bool until_it_spins, bool *spins)
{
    *spins = asks(fd, until_it_spins);
}

static bool spins(unsigned workers, bool until_it_spins)
{
    bool does = false;
    int fds[2];
    pthread_t thread;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) != 0 ||
        co4_fd_attach(fds[0], 0) != CO4_OK)
        return !until_it_spins;
    over = false;
    pthread_create(&thread, NULL, answers, &fds[1]);
    co4_runtime *rt = running = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, tries(fds[0], until_it_spins, &does));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    over = true;
    pthread_join(thread, NULL);
    co4_close(fds[0]);
    close(fds[1]);
    return does;
}

int main(void)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    bool does = spins(1, !slow);
    printf("a worker alone: it %s\n",
           does || slow || CPU_COUNT(&all) == 1 ? "spins" : "does not spin");
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    printf("two workers on one processor: %s\n", spins(2, false) ? "spins" : "no spin");
    return 0;
}
