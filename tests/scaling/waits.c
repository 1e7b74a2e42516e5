/* waits.c - many joiners, messages at once, notices, deadlines, parties of a barrier: in all, twice
 * as many cost twice as much. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <co4.h>
#include <co4/io.h>

#include "scaling.h"

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* ---- a task that ends when it is let go ---- */

static pausable void ends_at(co4_future *gate)
{
    co4_future_await(gate, NULL);
}

typedef struct held {
    co4_future *gate;
    co4_task *task;
} held;

static held hold(co4_future *gate)
{
    held h = { gate, co4_task_create(ends_at(gate)) };
    co4_runtime_schedule(NULL, h.task);
    return h;
}

static pausable void let_go(held h)
{
    co4_future_complete(h.gate, NULL);
    co4_task_join(h.task);
}

static void forget(held h)
{
    co4_task_release(h.task);
    co4_future_release(h.gate);
}

/* ---- joins: each task is joined by one; one task by all ---- */

static pausable void joins(co4_task *t)
{
    co4_task_join(t);
}

static pausable void join_each(long n, long tasks)
{
    co4_task **all = calloc((size_t)tasks, sizeof *all);
    co4_future *gate = co4_future_create(0);
    for (long i = 0; i < tasks; i++)
        all[i] = hold(gate).task;
    measure_begin();
    for (long i = 0; i < n; i++)
        co4_spawn(joins(all[i % tasks]));
    co4_yield();
    co4_future_complete(gate, NULL);
    for (long i = 0; i < tasks; i++)
        co4_task_join(all[i]);
    co4_yield();
    measure_end();
    for (long i = 0; i < tasks; i++)
        co4_task_release(all[i]);
    co4_future_release(gate);
    free(all);
}

static void joins_of_each(long n)
{
    co4_run(join_each(n, n));
}

static void joins_of_one(long n)
{
    co4_run(join_each(n, 1));
}

/* Many wait for many that do not end, and others come and go. */
static pausable void join_past(long n)
{
    co4_future *gate = co4_future_create(0);
    held slow = { gate, NULL };
    for (long i = 0; i < n; i++) {
        co4_task_release(slow.task);
        slow = hold(gate);
        co4_spawn(joins(slow.task));
    }
    co4_yield();
    measure_begin();
    for (int i = 0; i < 1000; i++) {
        held own = hold(co4_future_create(0));
        co4_spawn(joins(own.task));
        co4_yield();
        let_go(own);
        forget(own);
    }
    measure_end();
    let_go(slow);
    forget(slow);
}

static void joins_past_others(long n)
{
    co4_run(join_past(n));
}

/* ---- messages at once ---- */

static pausable void puts_one(co4_mailbox *mb)
{
    int n = 1;
    co4_mailbox_send(mb, &n);
}

static pausable void get_at_once(long n)
{
    int one = 1;
    size_t got;
    int *out = calloc((size_t)n * 2, sizeof *out);
    co4_mailbox *mb = co4_mailbox_create(sizeof one, (size_t)n);
    must(co4_mailbox_reserve(mb, (size_t)n));
    for (long i = 0; i < n; i++)
        must(co4_mailbox_send_until(mb, &one, CO4_NOW));
    for (long i = 0; i < n; i++)
        co4_spawn(puts_one(mb)); /* as many wait, and are let in */
    co4_yield();
    measure_begin();
    co4_mailbox_receive_many(mb, out, (size_t)n, &got);
    measure_end();
    co4_yield();
    must(co4_mailbox_receive_many_until(mb, out, (size_t)n, &got, CO4_NOW));
    co4_mailbox_destroy(mb);
    free(out);
}

static void get_many(long n)
{
    co4_run(get_at_once(n));
}

/* ---- notices ---- */

static pausable void order_notices(long n)
{
    held h = hold(co4_future_create(0));
    co4_mailbox *mb = co4_mailbox_create(sizeof(co4_exit), (size_t)n);
    measure_begin();
    for (long i = 0; i < n; i++)
        must(co4_task_notify_exit(h.task, mb, NULL));
    let_go(h);
    measure_end();
    for (co4_exit e; co4_mailbox_receive_until(mb, &e, CO4_NOW) == CO4_OK;)
        ;
    co4_mailbox_destroy(mb);
    forget(h);
}

static void notices(long n)
{
    co4_run(order_notices(n));
}

/* Each for another mailbox, or all for one; forgotten in another order. */
static pausable void forget_notices(long n, long boxes)
{
    held h = hold(co4_future_create(0));
    co4_mailbox **all = calloc((size_t)boxes, sizeof *all);
    for (long i = 0; i < boxes; i++)
        all[i] = co4_mailbox_create(sizeof(co4_exit), 1);
    for (long i = 0; i < n; i++)
        must(co4_task_notify_exit(h.task, all[i % boxes], NULL));
    measure_begin();
    for (long i = 0; i < boxes; i++)
        must(co4_task_forget_exit(h.task, all[boxes - 1 - i]));
    measure_end();
    let_go(h);
    for (long i = 0; i < boxes; i++) {
        if (co4_mailbox_len(all[i]) != 0) /* all were forgotten */
            abort();
        co4_mailbox_destroy(all[i]);
    }
    free(all);
    forget(h);
}

static void forgotten(long n)
{
    co4_run(forget_notices(n, n));
}

static void forgotten_of_one(long n)
{
    co4_run(forget_notices(n, 1));
}

/* ---- a barrier, a wait group, a condition: all come, all go on ---- */

static pausable void comes(co4_barrier *b, co4_waitgroup *done)
{
    co4_barrier_wait(b);
    co4_waitgroup_done(done);
}

static pausable void all_come(long n)
{
    co4_barrier b = CO4_BARRIER_INIT(n);
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    measure_begin();
    for (long i = 0; i < n; i++)
        co4_spawn(comes(&b, &done));
    co4_waitgroup_wait(&done);
    measure_end();
}

static void parties(long n)
{
    co4_run(all_come(n));
}

/* ---- a message to each of many, who wait for it ---- */

static pausable void receives(co4_broadcast *b, co4_waitgroup *done)
{
    co4_subscriber *s = co4_broadcast_subscribe(b, 1, CO4_BROADCAST_WAIT);
    int got;
    while (co4_subscriber_receive(s, &got) == CO4_OK)
        ;
    must(co4_subscriber_destroy(s));
    co4_waitgroup_done(done);
}

static pausable void send_to(long n)
{
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    for (long i = 0; i < n; i++)
        co4_spawn(receives(b, &done));
    co4_yield();
    measure_begin();
    for (int i = 0; i < 4; i++)
        must(co4_broadcast_send(b, &i));
    co4_broadcast_close(b);
    co4_waitgroup_wait(&done);
    measure_end();
    must(co4_broadcast_destroy(b));
}

static void sends(long n)
{
    co4_run(send_to(n));
}

/* ---- deadlines ---- */

static pausable void sleeps(int64_t until, co4_waitgroup *done)
{
    co4_sleep_until(until);
    co4_waitgroup_done(done);
}

static pausable void all_sleep(long n)
{
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    int64_t now = co4_now();
    measure_begin();
    for (long i = 0; i < n; i++)
        co4_spawn(sleeps(now + CO4_MS + i * 7919 % n, &done));
    co4_waitgroup_wait(&done);
    measure_end();
}

static void deadlines(long n)
{
    co4_run(all_sleep(n));
}

/* Requests that an actor never answers. */
static void requests(long n)
{
    struct request {
        int what;
        co4_reply reply;
    } message = { 0, { 0 } };
    co4_actor *actor = co4_actor_create(sizeof message, (size_t)n, 0);
    co4_future **answers = calloc((size_t)n, sizeof(co4_future *));
    if (!actor || !answers)
        abort();
    for (long i = 0; i < n; i++)
        must(co4_actor_request(actor, &message, &message.reply, sizeof(int), &answers[i]));
    measure_begin();
    co4_actor_stop(actor);
    measure_end();
    for (long i = 0; i < n; i++)
        co4_future_release(answers[i]);
    co4_actor_release(actor);
    free(answers);
}

/* Futures that a collector has taken in; of one half nobody waits for the end. */
static void collected(long n)
{
    co4_collector *c = co4_collector_create();
    co4_future **futures = calloc((size_t)n, sizeof(co4_future *));
    if (!c || !futures)
        abort();
    measure_begin();
    for (long i = 0; i < n; i++) {
        futures[i] = co4_future_create(0);
        must(co4_collector_add(c, futures[i]));
    }
    for (long i = 0; i < n / 2; i++)
        co4_future_complete(futures[i], NULL);
    co4_collector_destroy(c);
    measure_end();
    for (long i = 0; i < n; i++)
        co4_future_release(futures[i]);
    free(futures);
}

/* ---- a wait beside many descriptors at which nobody waits any more ---- */

enum { IDLE = 20000, WAITS = 5 };

static void *writes(void *at)
{
    const int fd = *(int *)at;
    const uint64_t one = 1;
    for (int i = 0; i < WAITS; i++) {
        usleep(i == 0 ? 2500000 : 20000);
        if (write(fd, &one, sizeof one) < 0)
            abort();
    }
    return NULL;
}

/* One waits at the last of them. The thread has nothing else to do, and has given its spare memory
 * back after two seconds: so it looks whether anyone waits at all. A search through all of them
 * would find the last one last. */
static pausable void wait_behind(int n, pthread_t *writer)
{
    uint64_t value;
    int *fds = calloc((size_t)n, sizeof *fds);
    for (int i = 0; i < n; i++) {
        fds[i] = eventfd(0, EFD_NONBLOCK);
        if (co4_read_until(fds[i], &value, sizeof value, co4_now() + CO4_US) >= 0)
            abort();
    }
    must(pthread_create(writer, NULL, writes, &fds[n - 1]));
    for (int i = 0; i < WAITS; i++) {
        if (i == 1) /* after the first one it is known */
            measure_begin();
        if (co4_read(fds[n - 1], &value, sizeof value) < 0)
            abort();
    }
    measure_end();
    for (int i = 0; i < n; i++)
        co4_close(fds[i]);
    free(fds);
}

static int idle_beside_many(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        abort();
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const int n = files.rlim_cur < IDLE + 100 ? (int)files.rlim_cur / 2 : IDLE;
    measured = 0;
    pthread_t writer;
    co4_run(wait_behind(n, &writer));
    pthread_join(writer, NULL);
    uint64_t each = measured / (WAITS - 1);
    printf("a wait beside %d descriptors: %llu blocks\n", n, (unsigned long long)each);
    return each > (uint64_t)n / 2;
}

int main(void)
{
    int failed = 0;
    failed += grows("each task is joined", joins_of_each, 20000, LINEAR);
    failed += grows("all join one task", joins_of_one, 20000, LINEAR);
    failed += grows("joins past many others", joins_past_others, 20000, CONSTANT);
    failed += grows("co4_mailbox_receive_many", get_many, 20000, LINEAR);
    failed += grows("notices of an end", notices, 20000, LINEAR);
    failed += grows("notices that are forgotten", forgotten, 10000,
                    2.6); /* n log n, by the chance of addresses */
    failed += grows("notices for one mailbox, forgotten", forgotten_of_one, 2000, LINEAR);
    failed += grows("parties of a barrier", parties, 10000, LINEAR);
    failed += grows("messages to many subscribers", sends, 2000, LINEAR);
    failed += grows("deadlines", deadlines, 20000, LINEAR);
    failed += grows("requests to an actor that ends", requests, 4000, LINEAR);
    failed += grows("futures of a collector", collected, 4000, LINEAR);
    failed += idle_beside_many();
    return failed > 0;
}
