/* pthreads.c - a thread of the system for each task; buffers with a mutex and two condition
 * variables. */
#define _GNU_SOURCE
#include "../../bench.h"
#include "../peer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { STACK = 16 * 1024 };

static pthread_t start(void *(*function)(void *), void *arg)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    bench_check("pthread_create", pthread_create(&thread, &attributes, function, arg), 0);
    pthread_attr_destroy(&attributes);
    return thread;
}

static void join(pthread_t thread)
{
    pthread_join(thread, NULL);
}

/* ---- a bounded buffer ---- */

typedef struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t message, room;
    long *values;
    int capacity, at, count;
    int getting, putting; /* threads that wait */
} buffer;

static void buffer_init(buffer *b, int capacity)
{
    *b = (buffer){ .lock = PTHREAD_MUTEX_INITIALIZER,
                   .message = PTHREAD_COND_INITIALIZER,
                   .room = PTHREAD_COND_INITIALIZER,
                   .values = malloc((size_t)capacity * sizeof(long)),
                   .capacity = capacity };
}

static void put(buffer *b, long value)
{
    pthread_mutex_lock(&b->lock);
    b->putting++;
    while (b->count == b->capacity)
        pthread_cond_wait(&b->room, &b->lock);
    b->putting--;
    b->values[(b->at + b->count++) % b->capacity] = value;
    bool wake = b->getting > 0;
    pthread_mutex_unlock(&b->lock);
    if (wake)
        pthread_cond_signal(&b->message);
}

static long get(buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->getting++;
    while (b->count == 0)
        pthread_cond_wait(&b->message, &b->lock);
    b->getting--;
    long value = b->values[b->at];
    b->at = (b->at + 1) % b->capacity;
    b->count--;
    bool wake = b->putting > 0;
    pthread_mutex_unlock(&b->lock);
    if (wake)
        pthread_cond_signal(&b->room);
    return value;
}

/* ---- messages ---- */

typedef struct ends {
    buffer *in, *out;
    long number, sum;
} ends;

static void *ring_member(void *arg)
{
    ends *e = arg;
    long token;
    do {
        token = get(e->in) - 1;
        put(e->out, token);
    } while (token > PEER_RING - 1);
    return NULL;
}

static double ring(long hops)
{
    static buffer buffers[PEER_RING];
    static ends all[PEER_RING];
    static pthread_t threads[PEER_RING];
    for (int i = 0; i < PEER_RING; i++)
        buffer_init(&buffers[i], 1);
    for (int i = 0; i < PEER_RING; i++) {
        all[i] = (ends){ .in = &buffers[i], .out = &buffers[(i + 1) % PEER_RING] };
        threads[i] = start(ring_member, &all[i]);
    }
    double begin = bench_now();
    put(&buffers[0], hops);
    long left = 0;
    for (int i = 0; i < PEER_RING; i++)
        join(threads[i]);
    double ns = peer_ns(begin, (double)hops);
    for (int i = 0; i < PEER_RING; i++)
        left += buffers[i].count;
    bench_check("ring", left, 1);
    return ns;
}

static void *ping(void *arg)
{
    ends *e = arg;
    for (long i = 0; i < e->number; i++) {
        put(e->out, i);
        bench_check("ping_pong", get(e->in), i);
    }
    return NULL;
}

static void *pong(void *arg)
{
    ends *e = arg;
    for (long i = 0; i < e->number; i++)
        put(e->out, get(e->in));
    return NULL;
}

static double ping_pong(long rounds)
{
    buffer a, b;
    buffer_init(&a, 1);
    buffer_init(&b, 1);
    ends left = { &a, &b, rounds, 0 }, right = { &b, &a, rounds, 0 };
    double begin = bench_now();
    pthread_t one = start(ping, &left), two = start(pong, &right);
    join(one);
    join(two);
    return peer_ns(begin, (double)rounds);
}

static void *producer(void *arg)
{
    ends *e = arg;
    for (long i = 1; i <= e->number; i++)
        put(e->out, i);
    return NULL;
}

static void *consumer(void *arg)
{
    ends *e = arg;
    for (long i = 0; i < e->number; i++)
        e->sum += get(e->in);
    return NULL;
}

static double fan_in(long each)
{
    buffer box;
    buffer_init(&box, PEER_CAPACITY);
    ends from = { &box, NULL, PEER_PRODUCERS * each, 0 }, to = { NULL, &box, each, 0 };
    pthread_t producers[PEER_PRODUCERS];
    double begin = bench_now();
    pthread_t receiver = start(consumer, &from);
    for (int i = 0; i < PEER_PRODUCERS; i++)
        producers[i] = start(producer, &to);
    join(receiver);
    double ns = peer_ns(begin, (double)PEER_PRODUCERS * (double)each);
    for (int i = 0; i < PEER_PRODUCERS; i++)
        join(producers[i]);
    bench_check("fan_in", from.sum, PEER_PRODUCERS * (each * (each + 1) / 2));
    return ns;
}

/* ---- tasks ---- */

static atomic_long finished;

static void *nothing(void *arg)
{
    atomic_fetch_add(&finished, 1);
    return arg;
}

/* Ten at a time: so many more would be a test of the system's limits. */
static double spawn(long count)
{
    pthread_t threads[10];
    double begin = bench_now();
    for (long i = 0; i < count; i += 10) {
        for (int t = 0; t < 10; t++)
            threads[t] = start(nothing, NULL);
        for (int t = 0; t < 10; t++)
            join(threads[t]);
    }
    bench_check("spawn", finished, (count + 9) / 10 * 10);
    return peer_ns(begin, (double)((count + 9) / 10 * 10));
}

static void *giver(void *arg)
{
    for (long i = 0, times = *(long *)arg; i < times; i++)
        sched_yield();
    return NULL;
}

static double yield_two(long each)
{
    double begin = bench_now();
    pthread_t a = start(giver, &each), b = start(giver, &each);
    join(a);
    join(b);
    return peer_ns(begin, 2.0 * (double)each);
}

/* ---- memory: what the system keeps for a thread is not seen ---- */

static double park(long count, bool own)
{
    buffer *boxes = calloc((size_t)count, sizeof *boxes);
    ends *all = calloc((size_t)count, sizeof *all);
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    memset(boxes, 1,
           (size_t)count * sizeof *boxes); /* touched: counted below for those that have one */
    memset(all, 1, (size_t)count * sizeof *all);
    memset(threads, 1, (size_t)count * sizeof *threads);
    double before = peer_resident();
    for (long i = 0; i < count; i++) {
        buffer *box = &boxes[own ? i : 0];
        if (own || i == 0)
            buffer_init(box, 1);
        all[i] = (ends){ .in = box, .number = 1 };
        threads[i] = start(consumer, &all[i]);
    }
    usleep(200 * 1000);
    double each = (peer_resident() - before) / (double)count + (own ? (double)sizeof(buffer) : 0);
    for (long i = 0; i < count; i++)
        put(&boxes[own ? i : 0], i);
    long sum = 0;
    for (long i = 0; i < count; i++) {
        join(threads[i]);
        sum += all[i].sum;
    }
    bench_check("parked_bytes", sum, count * (count - 1) / 2);
    free(boxes);
    free(all);
    free(threads);
    return each;
}

static double parked(long count)
{
    return park(count, false);
}
static double parked_own(long count)
{
    return park(count, true);
}

/* ---- a wake under load ---- */

static atomic_bool stop;

static void *load(void *arg)
{
    volatile uint64_t x = 1;
    while (!stop) {
        double end = bench_now() + 20e-6;
        while (bench_now() < end)
            x = x * 6364136223846793005u + 1;
        sched_yield();
    }
    return arg;
}

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *receiver(void *arg)
{
    ends *e = arg;
    for (long i = 0; i < e->number; i++) {
        long sent = get(e->in);
        put(e->out, now_ns() - sent);
    }
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static double wake(long count, double share)
{
    int loads = 4 * peer_workers;
    pthread_t threads[256];
    if (loads > 256)
        loads = 256;
    for (int i = 0; i < loads; i++)
        threads[i] = start(load, NULL);
    buffer box, back;
    buffer_init(&box, 1);
    buffer_init(&back, 1);
    ends e = { &box, &back, count, 0 };
    pthread_t to = start(receiver, &e);
    long *late = malloc((size_t)count * sizeof *late);
    for (long i = 0; i < count; i++) {
        usleep(100);
        put(&box, now_ns());
        late[i] = get(&back);
    }
    stop = true;
    join(to);
    for (int i = 0; i < loads; i++)
        join(threads[i]);
    qsort(late, (size_t)count, sizeof *late, ascending);
    double ns = (double)late[(long)(share * (double)(count - 1))];
    free(late);
    return ns;
}

static double wake_p50(long count)
{
    return wake(count, 0.5);
}
static double wake_p99(long count)
{
    return wake(count, 0.99);
}
static double wake_p999(long count)
{
    return wake(count, 0.999);
}

/* ---- work for all processors ---- */

struct board {
    unsigned all, a, b;
    long found;
};

static void *place(void *arg)
{
    struct board *b = arg;
    b->found = plain_queens(b->all, b->a | b->b, (b->a << 1 | b->b) << 1, (b->a >> 1 | b->b) >> 1);
    return NULL;
}

static double nqueens(long n)
{
    static struct board boards[15 * 15];
    static pthread_t threads[15 * 15];
    unsigned all = (1u << n) - 1;
    int tasks = 0;
    long sum = 0;
    long want = plain_queens_solutions((int)n);
    double begin = bench_now();
    for (int i = 0; i < n; i++) {
        unsigned a = 1u << i;
        for (unsigned left = all & ~(a | a << 1 | a >> 1); left != 0; left &= left - 1, tasks++) {
            boards[tasks] = (struct board){ all, a, left & -left, 0 };
            threads[tasks] = start(place, &boards[tasks]);
        }
    }
    for (int i = 0; i < tasks; i++) {
        join(threads[i]);
        sum += boards[i].found;
    }
    bench_check("nqueens", sum, want);
    return (bench_now() - begin) * 1e3;
}

struct part {
    double *c;
    const double *a, *b;
    int n, stride;
};

static void *multiply(void *arg)
{
    struct part p = *(struct part *)arg;
    if (p.n <= PLAIN_LEAF) {
        plain_multiply(p.c, p.a, p.b, p.n, p.stride);
        return NULL;
    }
    int h = p.n / 2;
    for (int half = 0; half < 2; half++) {
        struct part parts[4];
        pthread_t threads[4];
        for (int q = 0; q < 4; q++) {
            int row = q / 2 * h, column = q % 2 * h;
            parts[q] = (struct part){ p.c + row * p.stride + column,
                                      p.a + row * p.stride + half * h,
                                      p.b + half * h * p.stride + column, h, p.stride };
            threads[q] = start(multiply, &parts[q]);
        }
        for (int q = 0; q < 4; q++)
            join(threads[q]);
    }
    return NULL;
}

static double matmul(long n)
{
    struct peer_product p = peer_product_new(n);
    struct part all = { p.c, p.a, p.b, (int)n, (int)n };
    double begin = bench_now();
    join(start(multiply, &all));
    double ms = (bench_now() - begin) * 1e3;
    peer_product_check(&p, n);
    return ms;
}

int main(int argc, char **argv)
{
    static const peer_workload workloads[] = {
        { "ring", "ns", ring },
        { "ping_pong", "ns", ping_pong },
        { "fan_in", "ns", fan_in },
        { "spawn", "ns", spawn },
        { "yield_two", "ns", yield_two },
        { "parked_bytes", "bytes", parked },
        { "parked_own_bytes", "bytes", parked_own },
        { "nqueens", "ms", nqueens },
        { "matmul", "ms", matmul },
        { "wake_p50", "ns", wake_p50 },
        { "wake_p99", "ns", wake_p99 },
        { "wake_p999", "ns", wake_p999 },
        { NULL, NULL, NULL },
    };
    return peer_main(argc, argv, workloads);
}
