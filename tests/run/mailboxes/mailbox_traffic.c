/* mailbox_traffic - random traffic at a mailbox: all ways to put and to get, filters, selects that
 * another source serves, threads that block, and one that changes the capacity, shrinks, looks and
 * subscribes meanwhile. Each message is got once, and no task waits for ever.
 *
 *     mailbox_traffic [SEED [ROUNDS]]
 *
 * modes: woven
 * needs: threads workers
 * expect: all that was put was got */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EACH = 300, SELECTS = 300, MOST_TASKS = 24, SECONDS = 40 };

static co4_mailbox *mb;
static co4_mailbox *other;
static atomic_long put_count, got_count, put_sum, got_sum;
static atomic_int over, thread_has_put;
static unsigned lots;

/* The parameters of this round. */
static int seed, number, producers, consumers, selects;
static size_t capacity;

static int below(int n)
{
    lots = lots * 1103515245u + 12345u;
    return (int)(lots >> 16) % n;
}

static void complain(const char *what)
{
    fprintf(stderr,
            "seed %d, round %d: %s. capacity %zu, %d producers, %d consumers, %d selects; "
            "%ld put, %ld got, %zu there\n",
            seed, number, what, capacity, producers, consumers, selects, (long)put_count,
            (long)got_count, co4_mailbox_len(mb));
    _Exit(1);
}

static void must(int code)
{
    if (code != CO4_OK)
        complain(co4_strerror(code));
}

static void has_put(int v)
{
    atomic_fetch_add(&put_sum, v);
    atomic_fetch_add(&put_count, 1);
}

static void has_got(int v)
{
    atomic_fetch_add(&got_sum, v);
    atomic_fetch_add(&got_count, 1);
}

static int is_even(void *arg, const void *v)
{
    return (*(const int *)v % 2 == 0) == (arg != NULL);
}

static int any(void *arg, const void *v)
{
    (void)arg;
    (void)v;
    return 1;
}

/* ---- those that put ---- */

static pausable int put_one(int kind, int v)
{
    co4_sending putting;
    co4_filtering filtering;
    int err;
    switch (kind) {
    case 0:
        return co4_mailbox_send(mb, &v);
    case 1:
        return co4_await(co4_mailbox_sending(&putting, mb, &v), NULL);
    case 2:
        return co4_await(
            co4_source_filter(&filtering, co4_mailbox_sending(&putting, mb, &v), any, NULL), NULL);
    case 3:
        while ((err = co4_mailbox_send_until(mb, &v, CO4_NOW)) == CO4_EFULL)
            co4_yield();
        return err;
    default:
        while ((err = co4_mailbox_send_until(mb, &v, co4_now() + 50 * CO4_US)) == CO4_ETIMEDOUT)
            co4_yield();
        return err;
    }
}

static pausable void producer(int kind, int index)
{
    for (int i = 0; i < EACH; i++) {
        int v = index * EACH + i;
        must(put_one(kind, v));
        has_put(v);
    }
}

static void *puts_blocking(void *arg)
{
    for (int i = 0; i < EACH; i++) {
        must(co4_block(co4_mailbox_send(mb, &i)));
        has_put(i);
    }
    atomic_store(&thread_has_put, 1);
    return arg;
}

/* ---- those that get ---- */

enum { WITH_FILTER = 2, KINDS_OF_GET = 6 };

static pausable int get_one(int kind, int *v)
{
    co4_filtering filtering;
    int err;
    size_t got;
    switch (kind) {
    case 0:
        return co4_mailbox_receive(mb, v);
    case 1:
        return co4_await(co4_mailbox_source(mb), v);
    case WITH_FILTER:
        return co4_await(co4_source_filter(&filtering, co4_mailbox_source(mb), is_even, NULL), v);
    case WITH_FILTER + 1:
        return co4_await(co4_source_filter(&filtering, co4_mailbox_source(mb), is_even, mb), v);
    case 4:
        while ((err = co4_mailbox_receive_until(mb, v, co4_now() + 50 * CO4_US)) == CO4_ETIMEDOUT)
            co4_yield();
        return err;
    default:
        while ((err = co4_mailbox_receive_many_until(mb, v, 1, &got, CO4_NOW)) == CO4_EEMPTY)
            co4_yield();
        return err;
    }
}

static pausable void consumer(int kind)
{
    int v, err;
    while ((err = get_one(kind, &v)) == CO4_OK)
        has_got(v);
    if (err != CO4_ECLOSED)
        must(err);
}

static void *gets_blocking(void *arg)
{
    int v;
    while (co4_block(co4_mailbox_receive(mb, &v)) == CO4_OK)
        has_got(v);
    return arg;
}

/* ---- those that are served elsewhere, mostly ---- */

static pausable void select_again(bool puts)
{
    while (!atomic_load(&over)) {
        int n, v = 0;
        co4_sending putting;
        co4_source *source = puts ? co4_mailbox_sending(&putting, mb, &v) : co4_mailbox_source(mb);
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(other), &n),
                             CO4_CASE(source, puts ? NULL : &v) };
        int i = co4_select(cases, 2);
        if (i < 0)
            return;
        if (i == 1 && puts)
            has_put(v);
        else if (i == 1)
            has_got(v);
    }
}

static void *serves(void *slowly)
{
    int n = 1;
    while (!atomic_load(&over)) {
        for (int i = 0; i < 64; i++)
            if (co4_mailbox_send_until(other, &n, CO4_NOW) != CO4_OK)
                break;
        if (slowly)
            usleep(1);
    }
    return NULL;
}

/* ---- one that meddles ---- */

static void *meddles(void *arg)
{
    for (int i = 0; !atomic_load(&over); i++)
        if (capacity > 0 && i % 16 == 9)
            must(co4_mailbox_reserve(mb, 50));
        else
            co4_mailbox_len(mb);
    return arg;
}

/* ---- a round ---- */

static co4_task *tasks[MOST_TASKS];
static int task_count;
static pthread_t threads[8];
static int thread_count;

static void keep(co4_runtime *rt, co4_task *task)
{
    if (!task)
        complain("no memory");
    must(co4_runtime_schedule(rt, task));
    tasks[task_count++] = task;
}

static void start(void *(*f)(void *), void *arg)
{
    must(-pthread_create(&threads[thread_count++], NULL, f, arg));
}

static void start_all(co4_runtime *rt, bool filters, bool blocking)
{
    for (int i = 0; i < producers; i++)
        keep(rt, co4_task_create(producer(capacity == 0 ? below(2) : below(5), i)));
    for (int i = 0; i < selects; i++)
        if (!co4_runtime_spawn(rt, select_again(capacity > 0 && below(2))))
            complain("no memory");
    keep(rt, co4_task_create(consumer(below(2))));
    for (int i = 1; i < consumers; i++) {
        int kind = capacity == 0 ? below(2) : below(KINDS_OF_GET);
        keep(rt, co4_task_create(consumer(kind)));
    }
    if (filters) {
        keep(rt, co4_task_create(consumer(WITH_FILTER)));
        keep(rt, co4_task_create(consumer(WITH_FILTER + 1)));
    }
    start(serves, below(2) ? &over : NULL);
    start(meddles, NULL);
    if (blocking)
        start(puts_blocking, NULL);
    if (blocking)
        start(gets_blocking, NULL);
}

/* Selects still put, until it is over. */
static void wait_for_all(bool blocking)
{
    int64_t limit = co4_now() + (int64_t)SECONDS * CO4_SEC;
    for (int i = 0; i < producers; i++)
        if (co4_block(co4_task_join_until(tasks[i], limit)) != CO4_OK)
            complain("a producer waits for ever");
    for (; blocking && !atomic_load(&thread_has_put); usleep(100))
        if (co4_now() > limit)
            complain("a thread that puts waits for ever");
    atomic_store(&over, 1);
    for (; atomic_load(&got_count) < atomic_load(&put_count) || co4_mailbox_len(mb) > 0;
         usleep(100))
        if (co4_now() > limit)
            complain("messages are left");
}

static void begin(void)
{
    static const size_t capacities[] = { 0, 1, 3, 100 };
    lots = (unsigned)(seed * 1000 + number);
    capacity = capacities[below(4)];
    producers = 1 + below(6);
    consumers = 1 + below(5);
    selects = below(SELECTS);
    task_count = thread_count = 0;
    mb = co4_mailbox_create(sizeof(int), capacity);
    other = co4_mailbox_create(sizeof(int), 64);
    if (!mb || !other)
        complain("no memory");
    atomic_store(&put_count, 0);
    atomic_store(&got_count, 0);
    atomic_store(&put_sum, 0);
    atomic_store(&got_sum, 0);
    atomic_store(&over, 0);
    atomic_store(&thread_has_put, 0);
}

static void round_of_traffic(void)
{
    begin();
    bool filters = below(2), blocking = below(2);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    if (!rt)
        complain("no memory");
    must(co4_runtime_start(rt));
    start_all(rt, filters, blocking);
    wait_for_all(blocking);
    must(co4_mailbox_close(mb));
    must(co4_mailbox_close(other));
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    must(co4_runtime_join(rt));
    must(co4_runtime_destroy(rt));
    for (int i = 0; i < task_count; i++)
        co4_task_release(tasks[i]);
    if (put_count != got_count || put_sum != got_sum)
        complain("not all that was put was got");
    must(co4_mailbox_destroy(mb));
    must(co4_mailbox_destroy(other));
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 12;
    seed = argc > 1 ? atoi(argv[1]) : 1;
    for (number = 0; number < rounds; number++)
        round_of_traffic();
    printf("all that was put was got\n");
    return 0;
}
