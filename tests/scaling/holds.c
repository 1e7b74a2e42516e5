/* holds.c - under a lock: no more of the library however many wait, and no memory is taken. */
#include <stdatomic.h>
#include <stdlib.h>

#include <co4.h>

#define __sanitizer_cov_trace_pc count_block
#include "scaling.h"
#undef __sanitizer_cov_trace_pc

/* The lock that is looked at in each block of the library, how many have been run since it was taken,
 * and the most. */
static _Thread_local const atomic_uint *lock;
static _Thread_local uint64_t held, longest, taken_under_it;

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

/* As the library tells debuggers. */
extern const struct {
    uint32_t version, reserved;
    const void *pointers[3];
    uint32_t offsets[19], mailbox_place, lock_place;
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

static pausable void gets(co4_mailbox *mb, co4_waitgroup *done)
{
    int n;
    co4_mailbox_get(mb, &n);
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
    look_at((const char *)mb + co4__layout.mailbox_place);
    co4_mailbox_close(mb);
    measure_hold();
    co4_waitgroup_wait(&done);
    co4_mailbox_destroy(mb);
}

static void closing(long n)
{
    co4_run(close_past(n));
}

/* Queues of subscribers grow as messages pile up. */
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
        failed += co4_broadcast_try_send(b, &i) != CO4_OK;
    lock = NULL;
    for (int i = 0; i < SUBSCRIBERS; i++) {
        failed += co4_subscriber_len(all[i]) != MESSAGES;
        for (int n, j = 0; j < MESSAGES; j++)
            failed += co4_subscriber_try_recv(all[i], &n) != CO4_OK || n != j;
        co4_subscriber_destroy(all[i]);
    }
    co4_broadcast_destroy(b);
    printf("queues of a broadcast: memory was taken %llu times under its lock, %d failed\n",
           (unsigned long long)taken_under_it, failed);
    return failed > 0 || taken_under_it > 0;
}

int main(void)
{
    int failed = 0;
    failed += grows("a mailbox is closed: the longest hold of its lock", closing, 2000, CONSTANT);
    failed += grows_outside();
    return failed > 0;
}
