/* threads.c - what threads cost: built plain, and by co4weave --auto=threads as tasks.
 *
 * The workloads of bench/threads/compare, which says what each of them is. The same source makes
 * both programs. */
#define _GNU_SOURCE
#include "../bench.h"
#include "../peers/peer.h"

#include <pthread.h>
#include <stdbool.h>

static pthread_t start(void *(*function)(void *), void *arg)
{
    pthread_t thread;
    bench_check("pthread_create", pthread_create(&thread, NULL, function, arg), 0);
    return thread;
}

/* ---- create and join ---- */

static void *nothing(void *arg)
{
    return arg;
}

static void *creator(void *arg)
{
    for (long i = *(long *)arg; i > 0; i--)
        pthread_join(start(nothing, NULL), NULL);
    return NULL;
}

static double create_of_main(long count)
{
    pthread_join(start(nothing, NULL), NULL); /* what the first one begins is not counted */
    double begin = bench_now();
    creator(&count);
    return peer_ns(begin, (double)count);
}

static double create(long count)
{
    pthread_join(start(nothing, NULL), NULL);
    double begin = bench_now();
    pthread_join(start(creator, &count), NULL);
    return peer_ns(begin, (double)count);
}

/* ---- threads that wait on one condition ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long waiting;
static bool go;

static void *wait_to_go(void *arg)
{
    pthread_mutex_lock(&lock);
    waiting++;
    while (!go)
        pthread_cond_wait(&changed, &lock);
    waiting--;
    pthread_mutex_unlock(&lock);
    return arg;
}

/* The time from the first beginning to the last end. */
static double wait_all(long count, double *bytes)
{
    pthread_t *threads = malloc((size_t)count * sizeof *threads);
    memset(threads, 1, (size_t)count * sizeof *threads);
    pthread_join(start(nothing, NULL), NULL);
    double before = peer_resident(), begin = bench_now();
    for (long i = 0; i < count; i++)
        threads[i] = start(wait_to_go, NULL);
    for (bool all = false; !all; usleep(1000)) {
        pthread_mutex_lock(&lock);
        all = waiting == count;
        pthread_mutex_unlock(&lock);
    }
    *bytes = (peer_resident() - before) / (double)count;
    pthread_mutex_lock(&lock);
    go = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    bench_check("waiting", waiting, 0);
    free(threads);
    return peer_ns(begin, (double)count);
}

static double waiting_time(long count)
{
    double bytes;
    return wait_all(count, &bytes);
}

static double waiting_bytes(long count)
{
    double bytes;
    wait_all(count, &bytes);
    return bytes;
}

/* ---- two threads take turns ---- */

static int turn;

struct player {
    int me;
    long rounds;
};

static void *play(void *arg)
{
    const struct player *p = arg;
    for (long i = 0; i < p->rounds; i++) {
        pthread_mutex_lock(&lock);
        while (turn != p->me)
            pthread_cond_wait(&changed, &lock);
        turn = !p->me;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static double turns(long count)
{
    struct player players[2] = { { 0, count / 2 }, { 1, count / 2 } };
    double begin = bench_now();
    pthread_t one = start(play, &players[0]), other = start(play, &players[1]);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return peer_ns(begin, (double)count);
}

/* ---- a thread-local beside a static object ---- */

static _Thread_local volatile long of_thread;
static volatile long of_all;

static void *add_own(void *arg)
{
    for (long i = *(long *)arg; i > 0; i--)
        of_thread = of_thread + 1;
    bench_check("thread_local", of_thread, *(long *)arg);
    return NULL;
}

static void *add_shared(void *arg)
{
    for (long i = *(long *)arg; i > 0; i--)
        of_all = of_all + 1;
    return NULL;
}

static double thread_local_(long count)
{
    double begin = bench_now();
    pthread_join(start(add_own, &count), NULL);
    return peer_ns(begin, (double)count);
}

static double static_(long count)
{
    double begin = bench_now();
    pthread_join(start(add_shared, &count), NULL);
    return peer_ns(begin, (double)count);
}

int main(int argc, char **argv)
{
    static const peer_workload workloads[] = {
        { "create", "ns", create },
        { "create_of_main", "ns", create_of_main },
        { "waiting_bytes", "bytes", waiting_bytes },
        { "waiting_time", "ns", waiting_time },
        { "turns", "ns", turns },
        { "thread_local", "ns", thread_local_ },
        { "static", "ns", static_ },
        { NULL, NULL, NULL },
    };
    return peer_main(argc, argv, workloads);
}
