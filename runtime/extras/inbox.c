/* inbox.c - a mailbox that can be looked into.
 *
 * Purpose: what few programs need of a mailbox, and what would make each mailbox slower. Two rings
 * have the messages, the urgent ones and the others. A queue for each kind of wait has the
 * listeners.
 *
 * Invariants, while the inbox is not locked: no listener in a queue can be served. So each change
 * looks at all kinds (serve_all), and a listener that comes later does not pass others. A listener
 * that refuses what it is offered leaves its queue. Each message has a stamp, which grows within
 * either ring. So a removal finds its place again after a call of the user's function.
 *
 * Concurrency: one lock, `busy`. Threads that wait for it sleep (co4__back_off), so the owner may
 * allocate memory, and move all messages. It calls no function of the user's but those of maps and
 * filters, as a user's own source does (source_operators.c). Listeners are woken without it.
 *
 * Rejected: a mailbox inside (a receiver that waits there must also learn of messages that were put
 * back); calls for subscribers (a listener of the program's own is the same). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/public.h"
#include "base/ring.h"
#include "co4/inbox.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/source.h"

/* What a waiter waits for, in the order in which waiters are served. */
enum what { SEND_URGENT, SEND, RECEIVE, HOLDING, HAVING_ROOM, KINDS };

/* A message in a ring: the stamp, and behind it the message, as aligned as an allocation. */
enum { MESSAGE_AT = _Alignof(max_align_t) };

struct co4_inbox {
    co4_inbox_wait_at receiving; /* the source of the messages; constant, like elem_size */
    size_t elem_size;
    atomic_bool busy; /* the lock of all fields below */
    bool closed;
    size_t capacity;
    co4_ring urgent, common;
    uint64_t stamps; /* the number that have been given */
    struct co4__wait_queue queues[KINDS];
    struct co4__list woken; /* to be woken by the thread that has the lock */
};

static void inbox_lock(co4_inbox *in)
{
    for (unsigned tries = 0; atomic_exchange_explicit(&in->busy, true, memory_order_acquire);
         tries++)
        co4__back_off(tries);
}

/* Afterwards the inbox may be freed. */
static void inbox_unlock(co4_inbox *in)
{
    struct co4__list woken = in->woken;
    in->woken = (struct co4__list){ NULL, NULL };
    atomic_store_explicit(&in->busy, false, memory_order_release);
    co4__list_wake(&woken);
}

static size_t inbox_count(const co4_inbox *in)
{
    return in->urgent.count + in->common.count;
}

/* ---- messages ---- */

static const void *message_at(const co4_ring *ring, size_t i)
{
    return (const char *)co4_ring_peek(ring, i) + MESSAGE_AT;
}

static uint64_t stamp_at(const co4_ring *ring, size_t i)
{
    uint64_t stamp;
    memcpy(&stamp, co4_ring_peek(ring, i), sizeof stamp);
    return stamp;
}

/* Returns the place of the first message whose stamp is not below `stamp`. */
static size_t find_stamp(const co4_ring *ring, uint64_t stamp)
{
    size_t from = 0, to = ring->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (stamp_at(ring, middle) < stamp)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static co4_ring *next_ring(co4_inbox *in)
{
    return in->urgent.count > 0 ? &in->urgent : &in->common;
}

/* The ring has room. */
static void push_message(co4_inbox *in, co4_ring *ring, const void *msg)
{
    ring->count++;
    char *slot = co4_ring_peek(ring, ring->count - 1);
    memcpy(slot, &in->stamps, sizeof in->stamps);
    memcpy(slot + MESSAGE_AT, msg, in->elem_size);
    in->stamps++;
}

/* ---- serving ---- */

static bool is_send(const co4_inbox_wait_at *at)
{
    return at->co4_private == SEND || at->co4_private == SEND_URGENT;
}

static co4_ring *ring_of(const co4_inbox_wait_at *at)
{
    return at->co4_private == SEND_URGENT ? &at->inbox->urgent : &at->inbox->common;
}

/* Returns whether what is waited for is there. A closed inbox has it, too, or never will. */
static bool waiter_is_ready(const co4_inbox_wait_at *at)
{
    const co4_inbox *in = at->inbox;
    size_t count = inbox_count(in), room = in->capacity - count;
    return in->closed || (at->co4_private == RECEIVE   ? count > 0
                          : at->co4_private == HOLDING ? count >= at->n
                                                       : room >= at->n);
}

/* It is ready: returns the code for the listener. */
static int code_of(const co4_inbox_wait_at *at)
{
    const co4_inbox *in = at->inbox;
    bool there = at->co4_private == RECEIVE || at->co4_private == HOLDING;
    if (in->closed && !(there && inbox_count(in) > 0 && inbox_count(in) >= at->n))
        return CO4_ECLOSED;
    return is_send(at) ? co4__ring_make_room(ring_of(at)) : CO4_OK;
}

/* Offers the listener what it waits for. False: it is not there, or the listener does not want
 * it. */
static bool offer(const co4_inbox_wait_at *at, co4_listener *l)
{
    co4_inbox *in = at->inbox;
    if (!waiter_is_ready(at))
        return false;
    int code = code_of(at);
    bool takes = code == CO4_OK && at->co4_private == RECEIVE;
    if (!co4_listener_offer(l, code, takes ? message_at(next_ring(in), 0) : NULL))
        return false;
    if (takes)
        co4_ring_pop(next_ring(in), NULL);
    if (code == CO4_OK && is_send(at))
        push_message(in, ring_of(at), at->message);
    return true;
}

/* Serves a listener of this kind, or removes one that refuses. False: none can be served. */
static bool serve_one(co4_inbox *in, enum what what)
{
    struct co4__wait_queue *queue = &in->queues[what];
    struct co4__waiter *w = queue->waiters.head;
    if (what == HOLDING || what == HAVING_ROOM) /* these wait for different numbers */
        while (w && !waiter_is_ready(w->result.wait.buffer))
            w = w->next;
    if (!w || !waiter_is_ready(w->result.wait.buffer))
        return false;
    bool served = offer(w->result.wait.buffer, co4__listener_of(w));
    co4__wait_queue_remove(queue, w); /* one that was not served may be freed from now on */
    if (served)
        co4__list_push(&in->woken, w);
    return true;
}

/* Called after each change. */
static void serve_all(co4_inbox *in)
{
    for (int what = 0; what < KINDS;)
        what = serve_one(in, (enum what)what) ? 0 : what + 1;
}

/* ---- the source ---- */

static bool has_many_waits(const co4_inbox *in)
{
    int n = 0;
    for (int what = HOLDING; what <= HAVING_ROOM; what++)
        for (const struct co4__waiter *w = in->queues[what].waiters.head; w; w = w->next)
            n++;
    return n >= CO4_INBOX_WAITS;
}

static int poll_or_add(co4_source *source, co4_listener *l, bool add)
{
    co4_inbox_wait_at *at = (co4_inbox_wait_at *)(void *)source; /* its first member */
    co4_inbox *in = at->inbox;
    bool counts = at->co4_private == HOLDING || at->co4_private == HAVING_ROOM;
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    inbox_lock(in);
    int given = offer(at, l);
    if (given)
        serve_all(in);
    else if (add && counts && has_many_waits(in))
        given = CO4_EFULL;
    else if (add)
        co4__listener_queue(&in->queues[at->co4_private], l, CO4__WAIT_SELECT, at, NULL);
    inbox_unlock(in);
    if (given > 0)
        l->ops->wake(l);
    return given;
}

static int inbox_poll(co4_source *source, co4_listener *l)
{
    return poll_or_add(source, l, false);
}

static int inbox_add(co4_source *source, co4_listener *l)
{
    return poll_or_add(source, l, true);
}

static void inbox_drop(co4_source *source, co4_listener *l)
{
    const co4_inbox_wait_at *at = (co4_inbox_wait_at *)(void *)source;
    if (!co4__listener_is_queued(l)) /* the inbox may have been freed */
        return;
    inbox_lock(at->inbox);
    if (co4__listener_is_queued(l))
        co4__wait_queue_remove(&at->inbox->queues[at->co4_private], co4__waiter_of(l));
    inbox_unlock(at->inbox);
}

static size_t message_size(const co4_source *source)
{
    return ((const co4_inbox_wait_at *)(const void *)source)->inbox->elem_size;
}

static const co4_source_ops receive_ops = { inbox_poll, inbox_add, inbox_drop, message_size };
static const co4_source_ops other_ops = { inbox_poll, inbox_add, inbox_drop, NULL };

co4_source *co4_inbox_source(co4_inbox *inbox)
{
    return inbox ? &inbox->receiving.source : NULL;
}

static co4_source *wait_init(co4_inbox_wait_at *at, co4_inbox *in, enum what what, const void *msg,
                             size_t n)
{
    if (!at || !in)
        return NULL;
    *at = (co4_inbox_wait_at){ { &other_ops }, in, msg, n, what };
    return &at->source;
}

static co4_source *send_init(co4_inbox_wait_at *at, co4_inbox *in, enum what what, const void *msg,
                             size_t size)
{
    return in && msg && size == in->elem_size ? wait_init(at, in, what, msg, 1) : NULL;
}

co4_source *(co4_inbox_sending)(co4_inbox_wait_at *at, co4_inbox *inbox, const void *msg,
                                size_t size)
{
    return send_init(at, inbox, SEND, msg, size);
}

co4_source *(co4_inbox_sending_urgent)(co4_inbox_wait_at *at, co4_inbox *inbox, const void *msg,
                                       size_t size)
{
    return send_init(at, inbox, SEND_URGENT, msg, size);
}

co4_source *co4_inbox_holding(co4_inbox_wait_at *at, co4_inbox *inbox, size_t n)
{
    return wait_init(at, inbox, HOLDING, NULL, n);
}

co4_source *co4_inbox_having_room(co4_inbox_wait_at *at, co4_inbox *inbox, size_t n)
{
    return wait_init(at, inbox, HAVING_ROOM, NULL, n);
}

/* ---- life ---- */

co4_inbox *co4_inbox_create(size_t elem_size, size_t capacity)
{
    if (elem_size == 0 || elem_size > SIZE_MAX / 4 || capacity == 0)
        return NULL;
    size_t units = (elem_size + MESSAGE_AT - 1) / MESSAGE_AT;
    co4_inbox *in = co4__pool_take(sizeof *in);
    if (!in)
        return NULL;
    memset(in, 0, sizeof *in);
    in->receiving = (co4_inbox_wait_at){ { &receive_ops }, in, NULL, 0, RECEIVE };
    in->elem_size = elem_size;
    in->capacity = capacity;
    co4_ring_init(&in->urgent, (1 + units) * MESSAGE_AT, capacity);
    co4_ring_init(&in->common, (1 + units) * MESSAGE_AT, capacity);
    return in;
}

int co4_inbox_destroy(co4_inbox *inbox)
{
    bool busy = false;
    if (!inbox)
        return CO4_OK;
    inbox_lock(inbox);
    for (int what = 0; what < KINDS; what++)
        busy = busy || inbox->queues[what].waiters.head;
    inbox_unlock(inbox);
    if (busy)
        return CO4_EBUSY;
    co4_ring_destroy(&inbox->urgent);
    co4_ring_destroy(&inbox->common);
    co4__pool_drop(inbox, sizeof *inbox);
    return CO4_OK;
}

int co4_inbox_close(co4_inbox *inbox)
{
    if (!inbox)
        return CO4_EINVAL;
    inbox_lock(inbox);
    inbox->closed = true;
    serve_all(inbox);
    inbox_unlock(inbox);
    return CO4_OK;
}

size_t co4_inbox_len(co4_inbox *inbox)
{
    if (!inbox)
        return 0;
    inbox_lock(inbox);
    size_t n = inbox_count(inbox);
    inbox_unlock(inbox);
    return n;
}

size_t co4_inbox_capacity(co4_inbox *inbox)
{
    if (!inbox)
        return 0;
    inbox_lock(inbox);
    size_t n = inbox->capacity;
    inbox_unlock(inbox);
    return n;
}

int co4_inbox_set_capacity(co4_inbox *inbox, size_t capacity)
{
    if (!inbox || capacity == 0)
        return CO4_EINVAL;
    inbox_lock(inbox);
    int err = capacity < inbox_count(inbox) ? CO4_EBUSY : CO4_OK;
    if (err == CO4_OK) {
        inbox->capacity = capacity;
        co4_ring_set_capacity(&inbox->urgent, capacity);
        co4_ring_set_capacity(&inbox->common, capacity);
        serve_all(inbox);
    }
    inbox_unlock(inbox);
    return err;
}

/* ---- a look inside ---- */

static int none_code(const co4_inbox *in)
{
    return in->closed && inbox_count(in) == 0 ? CO4_ECLOSED : CO4_EEMPTY;
}

int(co4_inbox_peek)(co4_inbox *inbox, void *out, size_t size)
{
    if (!inbox || !out || size != inbox->elem_size)
        return CO4_EINVAL;
    inbox_lock(inbox);
    int err = inbox_count(inbox) > 0 ? CO4_OK : none_code(inbox);
    if (err == CO4_OK)
        memcpy(out, message_at(next_ring(inbox), 0), size);
    inbox_unlock(inbox);
    return err;
}

/* Called with the lock, which it releases for each call of the function. Returns CO4_OK if a wanted
 * message of this ring has been removed; *copy has it. */
static int remove_from(co4_inbox *in, co4_ring *ring, int (*wanted)(void *arg, const void *msg),
                       void *arg, void *copy)
{
    size_t i;
    for (uint64_t from = 0; (i = find_stamp(ring, from)) < ring->count;) {
        uint64_t stamp = stamp_at(ring, i);
        memcpy(copy, message_at(ring, i), in->elem_size);
        inbox_unlock(in);
        bool is_wanted = wanted(arg, copy);
        inbox_lock(in);
        i = find_stamp(ring, stamp);
        if (is_wanted && i < ring->count && stamp_at(ring, i) == stamp) {
            co4_ring_remove(ring, i, NULL);
            serve_all(in);
            return CO4_OK;
        }
        from = stamp + 1;
    }
    return CO4_EEMPTY;
}

int(co4_inbox_remove)(co4_inbox *inbox, int (*wanted)(void *arg, const void *msg), void *arg,
                      void *out, size_t size)
{
    struct co4__copy copy;
    if (!inbox || !wanted || (out && size != inbox->elem_size))
        return CO4_EINVAL;
    if (!co4__copy_begin(&copy, inbox->elem_size))
        return CO4_ENOMEM;
    inbox_lock(inbox);
    int err = remove_from(inbox, &inbox->urgent, wanted, arg, copy.at);
    if (err != CO4_OK)
        err = remove_from(inbox, &inbox->common, wanted, arg, copy.at);
    if (err != CO4_OK)
        err = none_code(inbox);
    inbox_unlock(inbox);
    if (err == CO4_OK && out)
        memcpy(out, copy.at, inbox->elem_size);
    co4__copy_end(&copy);
    return err;
}

int co4_inbox_drain(co4_inbox *inbox, co4_ring *into)
{
    if (!inbox || (into && into->elem_size != inbox->elem_size))
        return CO4_EINVAL;
    inbox_lock(inbox);
    size_t count = inbox_count(inbox);
    int err = into && count > into->capacity - into->count ? CO4_EFULL : CO4_OK;
    if (into && err == CO4_OK)
        err = co4_ring_reserve(into, into->count + count);
    for (; err == CO4_OK && count > 0; count--) {
        if (into)
            err = co4_ring_push(into, message_at(next_ring(inbox), 0));
        co4_ring_pop(next_ring(inbox), NULL);
    }
    if (err == CO4_OK)
        serve_all(inbox);
    inbox_unlock(inbox);
    return err;
}
