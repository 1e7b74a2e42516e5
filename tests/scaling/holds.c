/* holds.c - under a lock: no more of the library, and no more bytes copied, however many wait or
 * however much there is; and no memory is taken or given back. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <co4.h>

#define __sanitizer_cov_trace_pc count_block
#include "scaling.h"
#undef __sanitizer_cov_trace_pc

/* The lock that is looked at in each block of the library, how many have been run since it was
 * taken, and the most. */
static _Thread_local const atomic_uint *lock;
static _Thread_local uint64_t held, longest, taken_under_it;

#define BYTES_A_BLOCK 16 /* so many are copied in the time of a block, or more */

static int is_held(void)
{
    return lock && atomic_load_explicit((atomic_uint *)(uintptr_t)lock, memory_order_relaxed) != 0;
}

void __sanitizer_cov_trace_pc(void)
{
    count_block();
    held = is_held() ? held + 1 : 0;
    if (held > longest)
        longest = held;
}

void *__libc_calloc(size_t n, size_t bytes);
void *calloc(size_t n, size_t bytes)
{
    taken_under_it += (uint64_t)is_held();
    return __libc_calloc(n, bytes);
}

void __libc_free(void *p);
void free(void *p)
{
    taken_under_it += (uint64_t)is_held();
    __libc_free(p);
}

/* Volatile: no compiler makes a call of memcpy of it. */
static void *(*volatile move)(void *to, const void *from, size_t bytes) = memmove;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    if (is_held())
        held += bytes / BYTES_A_BLOCK;
    if (held > longest)
        longest = held;
    return move(to, from, bytes);
}

/* As the library tells debuggers: this version of it. */
#define LAYOUT_VERSION 8

extern const struct {
    uint32_t version, reserved;
    const void *pointers[5];
    uint32_t offsets[24], mailbox_place, lock_place;
} co4__layout;

static void look_at(const void *at)
{
    lock = at;
    longest = 0;
}

/* The longest hold is what is measured. */
static void measure_hold(void)
{
    lock = NULL;
    measured = longest;
}

static const void *lock_of_mailbox(const co4_mailbox *mb)
{
    return (const char *)mb + co4__layout.mailbox_place;
}

static const void *lock_of_sync(const void *object)
{
    return (const char *)object + co4__layout.lock_place;
}

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* ---- mailboxes ---- */

static pausable void gets(co4_mailbox *mb, co4_waitgroup *done)
{
    int n;
    co4_mailbox_receive(mb, &n);
    co4_waitgroup_done(done);
}

static pausable void close_past(long n)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_waitgroup done = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&done, n);
    for (long i = 0; i < n; i++)
        co4_spawn(gets(mb, &done));
    co4_yield();
    look_at(lock_of_mailbox(mb));
    co4_mailbox_close(mb);
    measure_hold();
    co4_waitgroup_wait(&done);
    co4_mailbox_destroy(mb);
}

static void closing(long n)
{
    co4_run(close_past(n));
}

static co4_mailbox *filled(long n)
{
    co4_mailbox *ch = co4_mailbox_create(sizeof(int), CO4_UNBOUNDED);
    for (int i = 0; i < n; i++)
        must(co4_mailbox_send_until(ch, &i, CO4_NOW));
    return ch;
}

static void emptied(co4_mailbox *ch, int from, int to)
{
    for (int i = from, got; i < to; i++) {
        must(co4_mailbox_receive_until(ch, &got, CO4_NOW));
        if (got != i)
            abort();
    }
    co4_mailbox_destroy(ch);
}

/* As they come, the ring grows. */
static void growing(long n)
{
    co4_mailbox *ch = co4_mailbox_create(sizeof(int), CO4_UNBOUNDED);
    look_at(lock_of_mailbox(ch));
    for (int i = 0; i < n; i++)
        must(co4_mailbox_send_until(ch, &i, CO4_NOW));
    measure_hold();
    emptied(ch, 0, (int)n);
}

static void reserving(long n)
{
    co4_mailbox *ch = filled(n);
    look_at(lock_of_mailbox(ch));
    must(co4_mailbox_reserve(ch, (size_t)n * 4));
    measure_hold();
    emptied(ch, 0, (int)n);
}

/* ---- all go on at once ---- */

struct crowd {
    co4_barrier barrier;
    co4_waitgroup left, ended;
    co4_mutex mutex;
    co4_cond cond;
    co4_once once;
    co4_mailbox *gate;
};

static pausable void comes(struct crowd *c)
{
    co4_barrier_wait(&c->barrier);
    co4_waitgroup_done(&c->ended);
}

static pausable void awaits_all(struct crowd *c)
{
    co4_waitgroup_wait(&c->left);
    co4_waitgroup_done(&c->ended);
}

static pausable void awaits_signal(struct crowd *c)
{
    must(co4_mutex_lock(&c->mutex));
    must(co4_cond_wait(&c->cond, &c->mutex));
    co4_mutex_unlock(&c->mutex);
    co4_waitgroup_done(&c->ended);
}

static pausable int body(void *arg)
{
    struct crowd *c = arg;
    int n;
    return co4_mailbox_receive(c->gate, &n);
}

static pausable void runs_once(struct crowd *c)
{
    co4_once_run(&c->once, body(c));
    co4_waitgroup_done(&c->ended);
}

enum kind { BARRIER, WAITGROUP, CONDITION, ONCE };

static pausable void all_go_on(long n, enum kind kind)
{
    struct crowd c = { .barrier = CO4_BARRIER_INIT(n + 1) };
    int one = 1;
    c.gate = co4_mailbox_create(sizeof one, 1);
    co4_waitgroup_add(&c.ended, n);
    co4_waitgroup_add(&c.left, 1);
    for (long i = 0; i < n; i++)
        if (kind == BARRIER)
            co4_spawn(comes(&c));
        else if (kind == WAITGROUP)
            co4_spawn(awaits_all(&c));
        else if (kind == CONDITION)
            co4_spawn(awaits_signal(&c));
        else
            co4_spawn(runs_once(&c));
    co4_yield();
    look_at(lock_of_sync(kind == BARRIER     ? (void *)&c.barrier
                         : kind == WAITGROUP ? (void *)&c.left
                         : kind == CONDITION ? (void *)&c.cond
                                             : (void *)&c.once));
    if (kind == BARRIER)
        co4_barrier_wait(&c.barrier);
    else if (kind == WAITGROUP)
        co4_waitgroup_done(&c.left);
    else if (kind == CONDITION)
        co4_cond_broadcast(&c.cond);
    else
        co4_mailbox_send(c.gate, &one);
    if (kind == ONCE)
        co4_waitgroup_wait(&c.ended);
    measure_hold();
    if (kind != ONCE)
        co4_waitgroup_wait(&c.ended);
    co4_mailbox_destroy(c.gate);
}

static void barrier(long n)
{
    co4_run(all_go_on(n, BARRIER));
}

static void waitgroup(long n)
{
    co4_run(all_go_on(n, WAITGROUP));
}

static void condition(long n)
{
    co4_run(all_go_on(n, CONDITION));
}

static void once(long n)
{
    co4_run(all_go_on(n, ONCE));
}

/* A lock's readers, which a writer has held up. */
static pausable void reads(co4_rwlock *lock, co4_waitgroup *ended)
{
    must(co4_rwlock_read(lock));
    co4_rwlock_unlock(lock);
    co4_waitgroup_done(ended);
}

static pausable void all_read(long n)
{
    co4_rwlock lock = CO4_RWLOCK_INIT;
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&ended, n);
    must(co4_rwlock_write(&lock));
    for (long i = 0; i < n; i++)
        co4_spawn(reads(&lock, &ended));
    co4_yield();
    look_at(lock_of_sync(&lock));
    co4_rwlock_unlock(&lock);
    measure_hold();
    co4_waitgroup_wait(&ended);
}

static void readers(long n)
{
    co4_run(all_read(n));
}

/* ---- broadcasts ---- */

static pausable void receives(co4_subscriber *s, co4_waitgroup *ended)
{
    int n;
    while (co4_subscriber_receive(s, &n) == CO4_OK)
        ;
    co4_waitgroup_done(ended);
}

enum moment { SENDING, RECEIVING, CLOSING };

static pausable void to_all(long n, enum moment moment)
{
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber **all = calloc((size_t)n, sizeof(co4_subscriber *));
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    bool all_wait = moment == SENDING || moment == CLOSING;
    for (long i = 0; i < n; i++) {
        all[i] = co4_broadcast_subscribe(b, 4, CO4_BROADCAST_WAIT);
        if (all_wait || i > 0) {
            co4_waitgroup_add(&ended, 1);
            co4_spawn(receives(all[i], &ended));
        }
    }
    co4_yield();
    if (moment == RECEIVING) {
        int one = 1;
        must(co4_broadcast_send_until(b, &one, CO4_NOW));
        co4_yield();
    }
    look_at(b); /* the lock comes first */
    int got = 1;
    if (moment == SENDING)
        must(co4_broadcast_send_until(b, &got, CO4_NOW));
    else if (moment == RECEIVING)
        must(co4_subscriber_receive_until(all[0], &got, CO4_NOW));
    else
        co4_broadcast_close(b);
    measure_hold();
    co4_broadcast_close(b);
    co4_waitgroup_wait(&ended);
    for (long i = 0; i < n; i++)
        co4_subscriber_destroy(all[i]);
    co4_broadcast_destroy(b);
    free(all);
}

static void sending(long n)
{
    co4_run(to_all(n, SENDING));
}

static int any(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return 1;
}

static pausable void receives_one(co4_subscriber *s, co4_waitgroup *ended)
{
    int n;
    co4_filtering f;
    must(co4_await(co4_source_filter(&f, co4_subscriber_source(s), any, NULL), &n));
    co4_waitgroup_done(ended);
}

/* Through filters, all at one subscriber: each message tells all. */
static pausable void to_filters(long n)
{
    int got = 1;
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = co4_broadcast_subscribe(b, (size_t)n, CO4_BROADCAST_WAIT);
    co4_waitgroup_add(&ended, n);
    for (long i = 0; i < n; i++)
        co4_spawn(receives_one(s, &ended));
    co4_yield();
    look_at(b);
    must(co4_broadcast_send_until(b, &got, CO4_NOW));
    measure_hold();
    for (long i = 1; i < n; i++)
        must(co4_broadcast_send(b, &got));
    co4_waitgroup_wait(&ended);
    co4_subscriber_destroy(s);
    co4_broadcast_destroy(b);
}

static void telling_filters(long n)
{
    co4_run(to_filters(n));
}

static void receiving(long n)
{
    co4_run(to_all(n, RECEIVING));
}

static void closing_all(long n)
{
    co4_run(to_all(n, CLOSING));
}

/* Its queue grows. */
static void piling_up(long n)
{
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    co4_subscriber *s = co4_broadcast_subscribe(b, (size_t)n, CO4_BROADCAST_WAIT);
    look_at(b);
    for (int i = 0; i < n; i++)
        must(co4_broadcast_send_until(b, &i, CO4_NOW));
    measure_hold();
    for (int i = 0, got; i < n; i++)
        if (co4_subscriber_receive_until(s, &got, CO4_NOW) != CO4_OK || got != i)
            abort();
    co4_subscriber_destroy(s);
    co4_broadcast_destroy(b);
}

/* Queues of subscribers grow as messages pile up. */
static pausable void awaits(co4_timer *timer, co4_waitgroup *ended)
{
    must(co4_await(co4_timer_source(timer), NULL));
    co4_waitgroup_done(ended);
}

static pausable void start_past(long n)
{
    co4_timer timer;
    co4_waitgroup ended = CO4_WAITGROUP_INIT;
    co4_timer_init(&timer);
    co4_waitgroup_add(&ended, n);
    for (long i = 0; i < n; i++)
        co4_spawn(awaits(&timer, &ended));
    co4_yield();
    look_at((const char *)&timer + sizeof(co4_source)); /* the lock is first in its place */
    co4_timer_start(&timer, co4_now() + CO4_MS);
    measure_hold();
    co4_waitgroup_wait(&ended);
    co4_timer_destroy(&timer);
}

static void starting(long n)
{
    co4_run(start_past(n));
}

static int grows_outside(void)
{
    enum { SUBSCRIBERS = 100, MESSAGES = 100 };
    co4_subscriber *all[SUBSCRIBERS];
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    int failed = 0;
    for (int i = 0; i < SUBSCRIBERS; i++)
        all[i] = co4_broadcast_subscribe(b, 2 * MESSAGES, CO4_BROADCAST_WAIT);
    look_at(b); /* the lock comes first */
    for (int i = 0; i < MESSAGES; i++)
        failed += co4_broadcast_send_until(b, &i, CO4_NOW) != CO4_OK;
    lock = NULL;
    for (int i = 0; i < SUBSCRIBERS; i++) {
        failed += co4_subscriber_len(all[i]) != MESSAGES;
        for (int n, j = 0; j < MESSAGES; j++)
            failed += co4_subscriber_receive_until(all[i], &n, CO4_NOW) != CO4_OK || n != j;
        co4_subscriber_destroy(all[i]);
    }
    co4_broadcast_destroy(b);
    printf("queues of a broadcast: memory was taken %llu times under its lock, %d failed\n",
           (unsigned long long)taken_under_it, failed);
    return failed > 0 || taken_under_it > 0;
}

int main(void)
{
    int failed = co4__layout.version != LAYOUT_VERSION;
    failed += grows("a mailbox is closed: the longest hold of its lock", closing, 2000, CONSTANT);
    failed += grows("a mailbox grows", growing, 20000, CONSTANT);
    failed += grows("a mailbox is told to grow", reserving, 20000, CONSTANT);
    failed += grows("all come to a barrier", barrier, 2000, CONSTANT);
    failed += grows("a wait group is done", waitgroup, 2000, CONSTANT);
    failed += grows("a condition wakes all", condition, 2000, CONSTANT);
    failed += grows("once has run", once, 2000, CONSTANT);
    failed += grows("all may read", readers, 2000, CONSTANT);
    failed += grows("a message to all subscribers", sending, 2000, CONSTANT);
    failed += grows("a message to filters at one subscriber", telling_filters, 1000, CONSTANT);
    failed += grows("a subscriber receives, others wait", receiving, 2000, CONSTANT);
    failed += grows("a broadcast is closed", closing_all, 2000, CONSTANT);
    failed += grows("a queue of a broadcast grows", piling_up, 20000, CONSTANT);
    failed += grows("a timer is started", starting, 2000, CONSTANT);
    failed += grows_outside();
    return failed > 0;
}
