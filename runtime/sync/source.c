/* source.c - waits at sources: a task or a thread waits at one, a select at several. This file has
 * the parts that never pause.
 *
 * Purpose: a wait has one claim word, the task's own `wait` (wait.c), or that of a blocked thread's
 * stand-in. All listeners of a wait use it: acquire turns QUEUED into BUSY, complete turns BUSY
 * into NONE, release turns it back. A listener is acquired without a claim while the task only
 * polls, because no other thread knows it then.
 *
 * Concurrency: a timer or a cancellation that wants to end the wait finds BUSY. It spins for the
 * few instructions that a source needs between acquire and complete. A source holds its lock
 * meanwhile, but no spinning thread holds a lock that the source needs.
 *
 * A rendezvous acquires two waits, those of both sides, in the order of their owners' addresses. So
 * two rendezvous that want the same two never wait for each other. Models: tests/model/waiter.pml,
 * rendezvous.pml.
 *
 * complete copies the value, on the source's thread and under its lock. The buffer belongs to a
 * wait that cannot end before that. */
#include "sync/source.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/blocker.h"
#include "core/sleep.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/mailbox.h"

/* ---- the claim ---- */

static int case_acquire(co4_listener *l, int code, const void *value)
{
    struct co4__selecting *s = co4__case_of(l)->co4_private.selecting;
    (void)code;
    (void)value;
    if (!s->waiter)
        return 1;
    uint8_t was = atomic_load_explicit(&s->waiter->claim, memory_order_relaxed);
    for (unsigned tries = 0;;) {
        if (was == CO4__WAIT_NONE)
            return 0;
        if (was & CO4__BUSY) {
            co4__back_off(tries++);
            was = atomic_load_explicit(&s->waiter->claim, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(
                       &s->waiter->claim, &was, (uint8_t)((was & ~CO4__QUEUED) | CO4__BUSY),
                       memory_order_acq_rel, memory_order_relaxed)) {
            return 1;
        }
    }
}

static void case_release(co4_listener *l)
{
    struct co4__selecting *s = co4__case_of(l)->co4_private.selecting;
    if (!s->waiter)
        return;
    uint8_t was = atomic_load_explicit(&s->waiter->claim, memory_order_relaxed);
    atomic_store_explicit(&s->waiter->claim, (uint8_t)((was & ~CO4__BUSY) | CO4__QUEUED),
                          memory_order_release);
}

static void case_complete(co4_listener *l, int code, const void *value)
{
    co4_case *c = co4__case_of(l);
    struct co4__selecting *s = c->co4_private.selecting;
    if (CO4__UNLIKELY(code == CO4_LOOK)) { /* the task will look again; no case is chosen yet */
        s->again = true;
        s->counted = co4__local()->look.offered;
        if (s->counted)
            s->counted->co4_private.mark = CO4__LISTENER_COUNTED;
    } else {
        c->code = code;
        if (value && c->out)
            memcpy(c->out, value, co4_source_size(c->source));
        int i = (int)(c - s->cases);
        s->chosen = code < 0 ? CO4_ENDED(i) : i;
    }
    if (!s->waiter)
        return;
    /* From here on this thread owns the wait. The wait's timer may be spinning under the heap's
     * lock until it is not BUSY, so this store comes first. */
    if (atomic_exchange_explicit(&s->waiter->claim, CO4__WAIT_NONE, memory_order_release) &
        CO4__TIMED)
        co4__wait_timer_cancel(s->waiter);
    s->waiter->result.i = CO4_OK;
}

static void case_wake(co4_listener *l)
{
    struct co4__waiter *waiter = co4__case_of(l)->co4_private.selecting->waiter;
    if (!waiter)
        return;
    co4__sections_stop(); /* a user's source has its own lock */
    co4__wake(waiter);
}

static const void *case_owner(const co4_listener *l)
{
    return co4__case_of((co4_listener *)(uintptr_t)l)->co4_private.selecting;
}

static const co4_listener_ops case_ops = { case_acquire, case_complete, case_release,
                                           case_wake,    case_owner,    NULL };

/* ---- several ---- */

/* No source has them if the program has no mailboxes. */
extern CO4__IF_LINKED const co4_source_ops co4__mailbox_ops;
CO4__IF_LINKED __typeof__(co4__mailbox_take) co4__mailbox_take;

static inline bool is_mailbox(const co4_source *source)
{
    return source->ops == &co4__mailbox_ops;
}

/* Returns whether the values of the source have another size. A source without values leaves *out
 * as it is, so its size does not matter. The most common source is read directly. */
static inline bool gives_other(const co4_source *source, size_t size)
{
    size_t given = CO4__LIKELY(is_mailbox(source)) ? co4__mailbox_of_source(source)->ring.elem_size
                                                   : co4_source_size(source);
    return CO4__UNLIKELY(given != size) && given != 0;
}

void co4__selecting_refuse(co4_case *cases, int count)
{
    for (int i = 0; cases && i < count; i++)
        cases[i].code = CO4_EEMPTY;
}

/* Checks the cases, and sets their codes. */
static inline int check(co4_case *cases, int count, int flags)
{
    if (!cases || count <= 0)
        return CO4_EINVAL;
    bool wrong = flags & ~CO4_SELECT_IN_ORDER, any = false;
    for (co4_case *c = cases, *end = cases + count; c < end; c++) {
        c->code = CO4_EEMPTY;
        if (!c->source)
            continue;
        any = true;
        if (c->out && gives_other(c->source, c->size))
            wrong = true;
    }
    return !any || wrong ? CO4_EINVAL : CO4_OK;
}

static inline void select_prepare(struct co4__selecting *s, co4_case *cases, int count, int flags)
{
    s->cases = cases;
    s->count = count;
    s->chosen = CO4_EEMPTY;
    s->waiter = NULL;
    s->first = flags & CO4_SELECT_IN_ORDER ? 0 : (int)(co4__choice() % (unsigned)count);
}

static inline void case_attach(struct co4__selecting *s, co4_case *c)
{
    c->co4_private.listener.ops = &case_ops;
    c->co4_private.selecting = s;
}

int co4__selecting_begin(struct co4__selecting *s, co4_case *cases, int count, int flags)
{
    int err = check(cases, count, flags);
    if (err != CO4_OK)
        return err;
    select_prepare(s, cases, count, flags);
    for (int i = 0; i < count; i++)
        case_attach(s, &cases[i]);
    return CO4_OK;
}

static inline co4_case *nth(struct co4__selecting *s, int i)
{
    int left = s->count - s->first;
    return &s->cases[i < left ? s->first + i : i - left];
}

static inline void end_notification(struct co4__selecting *s)
{
    co4_listener *counted = s->counted;
    s->counted = NULL;
    if (counted)
        counted->co4_private.looked(counted);
}

/* Looks whether a case is ready. A message of a mailbox needs no listener. */
static inline int poll_case(struct co4__selecting *s, co4_case *c)
{
    if (!c->source)
        return 0;
    if (CO4__UNLIKELY(!c->out) || CO4__UNLIKELY(!is_mailbox(c->source))) {
        case_attach(s, c);
        return c->source->ops->poll(c->source, &c->co4_private.listener);
    }
    int code = co4__mailbox_take(co4__mailbox_of_source(c->source), c->out);
    if (code == CO4_EEMPTY)
        return 0;
    int i = (int)(c - s->cases);
    c->code = code;
    s->chosen = code < 0 ? CO4_ENDED(i) : i;
    return 1;
}

int co4__selecting_poll(struct co4__selecting *s, int64_t deadline)
{
    int err = CO4_EEMPTY;
    for (int i = 0; i < s->count && s->chosen == CO4_EEMPTY; i++) {
        int given = poll_case(s, nth(s, i));
        if (given < 0)
            err = given;
    }
    end_notification(s);
    if (s->chosen == CO4_EEMPTY && s->again && err == CO4_EEMPTY && co4_now() >= deadline)
        err = CO4_ETIMEDOUT;
    s->again = false;
    return s->chosen != CO4_EEMPTY ? s->chosen : err;
}

/* The waiter is queued already, so another thread may write `chosen`. The result of add, and the
 * claim, end the loop. */
int co4__selecting_add(struct co4__selecting *s)
{
    int err = CO4_OK;
    for (; s->added < s->count && err == CO4_OK; s->added++) {
        co4_case *c = nth(s, s->added);
        if (!c->source)
            continue;
        int added = co4__source_add(c->source, &c->co4_private.listener);
        if (added > 0)
            break;
        err = added;
    }
    return err;
}

void co4__selecting_drop(struct co4__selecting *s)
{
    for (int i = 0; i < s->added; i++) {
        co4_case *c = nth(s, i);
        if (c->source)
            co4__source_drop(c->source, &c->co4_private.listener);
    }
    s->added = 0;
    for (int i = 0; i < s->count; i++)
        s->cases[i].co4_private.selecting = NULL;
}

void co4__selecting_end(struct co4__selecting *s)
{
    co4__selecting_drop(s);
    end_notification(s);
}

bool co4__selecting_again(struct co4__selecting *s)
{
    return s->chosen == CO4_EEMPTY && s->again;
}

int co4__select_now(co4_case *cases, int count, int flags)
{
    struct co4__selecting s;
    int err = check(cases, count, flags);
    if (err != CO4_OK)
        return err;
    co4__selecting_init(&s);
    select_prepare(&s, cases, count, flags);
    return co4__selecting_poll(&s, CO4_NEVER);
}

/* ---- threads ---- */

static void interrupt(struct co4__timers *h)
{
    co4__parker_interrupt(h->owner);
}

/* Blocks until the wait is over. Returns `chosen`. CO4_EEMPTY: no case was chosen; the thread has
 * been notified, and looks again. */
static int wait_blocked(struct co4__selecting *s, struct co4__blocker *b, int64_t deadline)
{
    struct co4__local *here = co4__local();
    struct co4__timers timers, *outer = here->source.timers;
    s->waiter = &b->waiter;
    co4__timers_init(&timers, interrupt, &b->parker);
    here->source.timers = &timers;
    co4__blocker_queue(b, NULL, CO4__WAIT_SELECT, NULL);
    int err = co4__selecting_add(s);
    /* If it cannot leave, another case was chosen meanwhile. */
    if (err == CO4_OK || !co4__leave(&b->waiter, NULL))
        err = co4__blocker_wait(b, deadline, &timers);
    co4__selecting_drop(s);
    here->source.timers = outer;
    if (err != CO4_OK)
        return err;
    return co4__selecting_again(s) ? CO4_EEMPTY : s->chosen;
}

int co4__select_block(co4_case *cases, int count, int flags, int64_t deadline)
{
    struct co4__selecting s;
    struct co4__blocker b;
    if (deadline == CO4_NOW)
        return co4__select_now(cases, count, flags);
    if (co4__local()->current) {
        co4__selecting_refuse(cases, count);
        return CO4_EDEADLK;
    }
    co4__selecting_init(&s);
    int err;
    do {
        err = co4__selecting_begin(&s, cases, count, flags);
        if (err != CO4_OK)
            return err;
        err = co4__selecting_poll(&s, deadline);
        if (err != CO4_EEMPTY || (err = co4__blocker_init(&b)) != CO4_OK)
            break;
        err = wait_blocked(&s, &b, deadline);
        co4__blocker_fini(&b);
    } while (err == CO4_EEMPTY);
    co4__selecting_end(&s);
    return err;
}

int co4_select_until(co4_case *cases, int count, int flags, int64_t deadline)
{
    return co4__select_block(cases, count, flags, deadline);
}

int co4_select(co4_case *cases, int count)
{
    return co4__select_block(cases, count, 0, CO4_NEVER);
}

/* ---- one ---- */

size_t co4_source_size(const co4_source *source)
{
    return source && source->ops->size ? source->ops->size(source) : 0;
}
