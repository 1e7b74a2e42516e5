/* blocker.c - threads that block, as waiters; what a waiter is in, in words. */
#include "core/blocker.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/fiber.h"
#include "core/sleep.h"
#include "core/timers.h"
#include "core/wait.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"

int co4__blocker_init(struct co4__blocker *b)
{
    memset(&b->waiter, 0, sizeof b->waiter);
    b->waiter.kind = CO4__WAITER_THREAD;
    return co4__parker_init(&b->parker);
}

void co4__blocker_fini(struct co4__blocker *b)
{
    co4__parker_fini(&b->parker);
}

void co4__blocker_queue(struct co4__blocker *b, struct co4__wait_queue *p, unsigned kind,
                        void *buffer)
{
    co4__queue_waiter(&b->waiter, p, kind, buffer, p);
    if (p)
        co4__lock_give(&co4__wait_queue_first(p)->lock);
}

/* What the thread is in, for the report of a deadlock. */
static const char *call_of(unsigned waits_for)
{
    switch (waits_for) {
    case CO4__WAIT_RECEIVE:
        return "a thread in co4_mailbox_receive";
    case CO4__WAIT_SEND:
        return "a thread in co4_mailbox_send";
    case CO4__WAIT_JOIN:
        return "a thread in co4_join";
    case CO4__WAIT_SELECT:
        return "a thread in co4_select";
    case CO4__WAIT_READ:
    case CO4__WAIT_WRITE:
        return "a thread at a lock";
    default:
        return "a thread";
    }
}

/* ---- what a task is in ---- */

/* One text: a table of pointers would need relocations. */
const char co4__words_of_calls[] = "mutex_lock\0locks mutex\0"
                                   "rwlock_read\0waits to read at lock\0"
                                   "rwlock_write\0waits to write at lock\0"
                                   "sem_acquire\0waits for semaphore\0"
                                   "cond_wait\0waits for condition\0"
                                   "waitgroup_wait\0waits for wait group\0"
                                   "barrier_wait\0waits at barrier\0"
                                   "future_await\0waits for future\0"
                                   "subscriber_receive\0receives from broadcast as subscriber\0";

const char *co4__words_of_call(const co4_abi_point *const *frames, unsigned count)
{
    bool is_own = true;
    for (unsigned i = 0; is_own && i < count; i++) {
        const char *name = co4_abi_func_of(frames[i])->name, *words;
        const co4_abi_site *site = co4__site_of(frames[i]);
        const char *call = site ? name + site->callee : name;
        is_own = strncmp(name, "co4_", 4) == 0;
        for (const char *row = co4__words_of_calls; strncmp(call, "co4_", 4) == 0 && *row;
             row = words) {
            words = row + strlen(row) + 1;
            if (strncmp(call + 4, row, strlen(row)) == 0)
                return words;
            words += strlen(words) + 1;
        }
    }
    return NULL;
}

/* Blocks until woken, or until the deadline. Fires the timers that the thread listens to. */
static int block(struct co4__blocker *b, int64_t deadline, struct co4__timers *timers)
{
    const char *call = call_of(co4__waits_for(&b->waiter)); /* a claimed wait has no kind */
    for (;;) {
        int64_t earliest = timers ? co4__timers_earliest(timers) : CO4_NEVER;
        int err = co4__park_thread(&b->parker, earliest < deadline ? earliest : deadline, call);
        if (err != CO4_ETIMEDOUT)
            return err;
        int64_t now = co4_now();
        if (timers)
            co4__timers_fire(timers, now);
        if (now >= deadline)
            return err;
    }
}

int co4__blocker_wait(struct co4__blocker *b, int64_t deadline, struct co4__timers *timers)
{
    bool had;
    int err = block(b, deadline, timers);
    if (err != CO4_OK && co4__leave(&b->waiter, &had))
        return had ? CO4_OK : err;
    if (err != CO4_OK) /* another thread has claimed it just now: the wake will come */
        block(b, CO4_NEVER, timers);
    return b->waiter.result.i;
}
