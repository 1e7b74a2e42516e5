/* mailbox_urgent.c - uncommon operations of mailboxes: urgent messages, several at once, a look
 * inside, another capacity.
 *
 * Purpose: listeners that wait for a number of messages have a queue of their own; each message
 * that comes into the mailbox causes a look at it. Listeners that send an urgent message have
 * another queue; it is served first when a place becomes free. */
#include "sync/mailbox_urgent.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/look.h"
#include "sync/mailbox.h"
#include "sync/mailbox_extension.h"
#include "sync/mailbox_lists.h"
#include "sync/mailbox_memory.h"
#include "sync/mailbox_order.h"
#include "sync/mailbox_serve.h"
#include "sync/mailbox_source.h"
#include "sync/messages.h"
#include "sync/source.h"

/* ---- urgent ---- */

int co4__mailbox_urgent(co4_sending *sending, co4_mailbox *mb, const void *msg, size_t size)
{
    if (!sending || !mb || !msg || size != mb->ring.elem_size || co4_mailbox_capacity(mb) == 0)
        return CO4_EINVAL;
    *sending = (co4_sending){ { &co4__mailbox_urgent_ops }, mb, msg };
    return co4__mailbox_need_extension(mb);
}

co4_source *(co4_mailbox_sending_urgent)(co4_sending *sending, co4_mailbox *mb, const void *msg,
                                         size_t size)
{
    if (sending && mb && msg && size != mb->ring.elem_size) {
        *sending = (co4_sending){ { &co4__wrong_size_ops }, mb, msg };
        return &sending->source;
    }
    return co4__mailbox_urgent(sending, mb, msg, size) == CO4_OK ? &sending->source : NULL;
}

/* ---- a number of messages ---- */

static co4_holding *of_holding(co4_source *source)
{
    return (co4_holding *)(void *)source; /* its first member */
}

static bool many_count(const struct co4__mailbox_extension *x)
{
    int n = 0;
    for (const struct co4__waiter *w = x->counters.waiters.head; w && n < CO4_MAILBOX_WATCHES;
         w = w->next)
        n++;
    return n == CO4_MAILBOX_WATCHES;
}

/* No other receiver can take what this listener waits for, so nothing is held back for it. */
static int holds_now(co4_holding *h, co4_listener *l, bool add, int answer)
{
    co4_mailbox *mb = h->mailbox;
    int given = 0;
    co4__lock_take(&mb->queues[0].lock);
    bool enough = co4__mailbox_count(mb) >= h->n;
    if (enough && answer == CO4__UNASKED)
        given = CO4__UNASKED;
    else if (enough)
        given = answer != CO4__REFUSES && co4__offer_asked(l, NULL);
    else if (mb->closed)
        given = co4_listener_offer(l, CO4_ECLOSED, NULL);
    if (add && !given && many_count(mb->extension)) {
        given = CO4_EFULL;
    } else if (add && !given) {
        co4__listener_queue(&mb->extension->counters, l, CO4__WAIT_COUNT, h, mb);
    }
    co4__lock_give(&mb->queues[0].lock);
    return given;
}

static int holds(co4_holding *h, co4_listener *l, bool add)
{
    int given = holds_now(h, l, add, co4__unasked(l));
    if (given == CO4__UNASKED)
        given = holds_now(h, l, add, l->ops->look(l, CO4_OK, NULL));
    if (given > 0)
        l->ops->wake(l);
    return given;
}

static int hold_poll(co4_source *source, co4_listener *l)
{
    return holds(of_holding(source), l, false);
}

static int hold_add(co4_source *source, co4_listener *l)
{
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    return holds(of_holding(source), l, true);
}

static void hold_drop(co4_source *source, co4_listener *l)
{
    co4__mailbox_node_drop(of_holding(source)->mailbox, l);
}

static const co4_source_ops hold_ops = { hold_poll, hold_add, hold_drop, NULL };

int co4__mailbox_hold(co4_holding *holding, co4_mailbox *mb, size_t n)
{
    if (!holding || !mb || n > co4_mailbox_capacity(mb))
        return CO4_EINVAL;
    *holding = (co4_holding){ { &hold_ops }, mb, n };
    return co4__mailbox_need_extension(mb);
}

co4_source *co4_mailbox_holding(co4_holding *holding, co4_mailbox *mb, size_t n)
{
    return co4__mailbox_hold(holding, mb, n) == CO4_OK ? &holding->source : NULL;
}

/* ---- several at once ---- */

#define BATCH 64 /* messages for each time the lock is held */

void co4__mailbox_receive_rest(co4_mailbox *mb, void *out, size_t max, size_t *got)
{
    int err = CO4_OK;
    while (err == CO4_OK && *got < max) {
        struct co4__list woken = { NULL, NULL };
        co4__lock_take(&mb->queues[0].lock);
        for (int i = 0; i < BATCH && *got < max; i++) {
            void *to = (unsigned char *)out + *got * mb->ring.elem_size;
            if ((err = co4__mailbox_receive_now(mb, to, &woken)) != CO4_OK)
                break;
            ++*got;
        }
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken);
    }
}

/* Takes at most as many messages as there were at first, even while more come. */
int co4_mailbox_drain(co4_mailbox *mb, co4_ring *into)
{
    if (!mb || (into && into->elem_size != mb->ring.elem_size))
        return CO4_EINVAL;
    size_t left = co4_mailbox_len(mb);
    if (into && left > into->capacity - into->count)
        return CO4_EFULL;
    int err = into ? co4_ring_reserve(into, into->count + left) : CO4_OK;
    while (err == CO4_OK && left > 0) {
        struct co4__list woken = { NULL, NULL };
        co4__lock_take(&mb->queues[0].lock);
        for (int i = 0; i < BATCH && left > 0; i++) {
            if (mb->ring.count == 0) {
                left = 0;
                break;
            }
            if (into && (err = co4_ring_push(into, co4__mailbox_oldest(mb))) != CO4_OK)
                break; /* the ring's owner has filled it meanwhile */
            co4__mailbox_pop(mb, &woken);
            left--;
        }
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken);
    }
    return err;
}

/* ---- a look inside ---- */

static int none(const co4_mailbox *mb)
{
    return mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
}

int(co4_mailbox_peek)(co4_mailbox *mb, void *out, size_t size)
{
    if (!mb || !out || size != mb->ring.elem_size)
        return CO4_EINVAL;
    co4__lock_take(&mb->queues[0].lock);
    int err = mb->ring.count > 0 ? CO4_OK : none(mb);
    if (err == CO4_OK)
        memcpy(out, co4__mailbox_oldest(mb), size);
    co4__lock_give(&mb->queues[0].lock);
    return err;
}

/* Returns after the gap, number `which`, has been closed. Yields the lock in between. */
static void close_gap(co4_mailbox *mb, uint32_t which, struct co4__list *woken)
{
    while (mb->extension->gap_in && mb->extension->gaps == which) {
        co4__mailbox_close_gap(mb, woken);
        if (mb->extension->gap_in)
            co4__wait_queue_yield(&mb->queues[0]);
    }
}

/* Calls the function with a copy, without the lock. A wanted message is removed if it is still
 * there; otherwise the walk goes on to the next one. */
static int remove_wanted(co4_mailbox *mb, int (*wanted)(void *arg, const void *msg), void *arg,
                         void *out, void *copy)
{
    struct co4__list woken = { NULL, NULL };
    struct co4__looker here;
    int err = CO4_EBUSY;
    co4__lock_take(&mb->queues[0].lock);
    struct co4__mailbox_extension *x = mb->extension;
    co4__mailbox_look_begins(mb, &here, 0);
    while (err == CO4_EBUSY) {
        while (x->gap_in) /* another thread's gap, where no message is */
            close_gap(mb, x->gaps, &woken);
        uint32_t i = co4__mailbox_looks_at(mb, &here);
        if (i >= co4__mailbox_count(mb)) {
            err = mb->ring.count > 0 ? CO4_EEMPTY : none(mb);
            break;
        }
        co4__mailbox_look_at(mb, &here, i);
        memcpy(copy, co4__mailbox_at(mb, i), mb->ring.elem_size);
        co4__lock_give(&mb->queues[0].lock);
        co4__list_wake(&woken); /* the function may take long, or wait for such a task */
        woken = (struct co4__list){ NULL, NULL };
        bool is_wanted = wanted(arg, copy);
        co4__lock_take(&mb->queues[0].lock);
        while (x->gap_in)
            close_gap(mb, x->gaps, &woken);
        if (here.gone)
            continue;
        i = co4__mailbox_looks_at(mb, &here);
        if (is_wanted) {
            co4__mailbox_remove(mb, i, &woken);
            close_gap(mb, x->gaps, &woken);
            err = CO4_OK;
        } else {
            co4__mailbox_look_at(mb, &here, i + 1);
        }
    }
    co4__mailbox_look_ends(mb, &here);
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(&woken);
    if (err == CO4_OK && out)
        memcpy(out, copy, mb->ring.elem_size);
    return err;
}

int(co4_mailbox_remove)(co4_mailbox *mb, int (*wanted)(void *arg, const void *msg), void *arg,
                        void *out, size_t size)
{
    struct co4__copy copy;
    if (!mb || !wanted || (out && size != mb->ring.elem_size))
        return CO4_EINVAL;
    if (co4__mailbox_need_extension(mb) != CO4_OK || !co4__copy_begin(&copy, mb->ring.elem_size))
        return CO4_ENOMEM;
    int err = remove_wanted(mb, wanted, arg, out, copy.at);
    co4__copy_end(&copy);
    return err;
}

/* ---- its size ---- */

int co4_mailbox_set_capacity(co4_mailbox *mb, size_t capacity)
{
    if (!mb || capacity == 0 || capacity >= (size_t)1 << 31)
        return CO4_EINVAL;
    co4__lock_take(&mb->queues[0].lock);
    uint32_t count = co4__mailbox_count(mb);
    int err = mb->capacity == 0 ? CO4_EINVAL : capacity < count ? CO4_EBUSY : CO4_OK;
    bool was_full = count == mb->capacity, more = err == CO4_OK;
    if (more)
        mb->capacity = (uint32_t)capacity;
    if (more && mb->extension)
        co4__mailbox_ask_of_room(mb);
    if (more)
        co4__mailbox_let_all_in(mb, was_full);
    else
        co4__lock_give(&mb->queues[0].lock);
    return err;
}

/* Called under the lock, which it releases meanwhile. Allocates memory for fewer messages, and
 * moves them into it a few at a time. */
static int shrink(co4_mailbox *mb, struct co4__messages *m, uint32_t need)
{
    int err = m->room > need ? co4__mailbox_resize(mb, m, need, false) : CO4_OK;
    co4__mailbox_move_all(mb, m);
    return err;
}

int co4_mailbox_shrink(co4_mailbox *mb)
{
    if (!mb)
        return CO4_EINVAL;
    co4__lock_take(&mb->queues[0].lock);
    uint32_t count = co4__mailbox_count(mb);
    int err = shrink(mb, &mb->ring,
                     /* Notices rely on room for one message (exit_monitor.c). */
                     count > 0 ? count : 1);
    struct co4__mailbox_extension *x = mb->extension;
    if (x && err == CO4_OK) {
        uint32_t urgent = x->urgent.count + x->urgent_waiting;
        err = shrink(mb, &x->urgent, urgent > 0 ? urgent : 1);
    }
    co4__lock_give(&mb->queues[0].lock);
    return err;
}
