/* mailbox_source.c - both ends of a mailbox as sources: a message to receive, a place to send to.
 *
 * Purpose: a listener is queued among the mailbox's waiters like a task. A message is in the ring
 * between the two sides, so one wait is acquired at a time: the send is complete before its
 * receiver is looked for.
 *
 * Concurrency: a rendezvous channel has no ring. There both waits are acquired before either is
 * completed, in the order of their owners. So two such pairs of the same two selects never wait for
 * each other. */
#include "sync/mailbox_source.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/look.h"
#include "sync/mailbox.h"
#include "sync/mailbox_extension.h"
#include "sync/mailbox_lists.h"
#include "sync/mailbox_memory.h"
#include "sync/mailbox_order.h"
#include "sync/mailbox_serve.h"

/* Called under the lock, which it releases. 1: the listener has been served; it and `others` have
 * been woken. */
static int served(co4_mailbox *mb, co4_listener *l, const struct co4__list *others)
{
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(others);
    l->ops->wake(l);
    return 1;
}

/* Called under the lock, which it releases. 0: the listener has not been served. */
static int unserved(co4_mailbox *mb, const struct co4__list *others)
{
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(others);
    return 0;
}

/* ---- rendezvous ---- */

/* A select does not send to itself. */
static bool same_select(co4_listener *a, co4_listener *b)
{
    return a->ops->owner(a) == b->ops->owner(b);
}

/* The result when the current listener meets a waiter of the other side. */
enum meeting {
    MET,     /* the waiter has gone to `woken` */
    PASSED,  /* it is still queued: claimed elsewhere, or part of the same select */
    LEFT,    /* it has left the queue: notified, and in `woken`; or it wants nothing */
    MANY,    /* it was the last of many that have left; the lock was yielded */
    NO_MORE, /* the current listener wants nothing any more, or there are no waiters */
};

/* The current listener has just been asked. Each side gets its value: the receiver the message, the
 * sender nothing. */
static enum meeting acquire_both(co4_listener *mine, const void *got, co4_listener *other,
                                 const void *msg)
{
    bool mine_first = (uintptr_t)mine->ops->owner(mine) < (uintptr_t)other->ops->owner(other);
    if (mine_first && !co4__acquire_asked(mine, got))
        return NO_MORE;
    if (co4__acquire_kept(other, msg)) {
        if (mine_first || co4__acquire_asked(mine, got))
            return MET;
        other->ops->release(other);
        return NO_MORE;
    }
    if (mine_first)
        mine->ops->release(mine);
    return LEFT;
}

/* Meets a listener; acquires both waits. */
static enum meeting meet_listener(co4_mailbox *mb, co4_listener *l, const void *msg,
                                  struct co4__waiter *w, struct co4__list *woken)
{
    co4_listener *other = co4__listener_of(w);
    const void *got = msg ? NULL : w->result.wait.buffer;
    enum meeting m = LEFT;
    if (same_select(l, other))
        return PASSED;
    if (!other->ops->look || other->co4_private.mark == CO4__LISTENER_ANSWERED)
        m = acquire_both(l, got, other, msg);
    if (m == MET) {
        l->ops->complete(l, CO4_OK, got);
        other->ops->complete(other, CO4_OK, msg);
    }
    bool notified = m == LEFT && other->ops->look &&
                    co4__offer_counted(other, CO4_OK, msg, &mb->extension->notified,
                                       co4__mailbox_notified);
    if (m == NO_MORE)
        return m;
    co4__mailbox_node_leaves(mb, w);
    if (m == MET || notified)
        co4__list_push(woken, w);
    return m;
}

/* The listener, which has been asked, meets a waiter of the other side. `msg` is the message that
 * it sends, or NULL if it receives. */
static enum meeting meet_one(co4_mailbox *mb, co4_listener *l, const void *msg,
                             struct co4__waiter *w, struct co4__wait_queue *list,
                             struct co4__list *woken)
{
    void *buffer = w->result.wait.buffer;
    const void *got = msg ? NULL : buffer;
    if (w->kind == CO4__WAITER_LISTENER)
        return meet_listener(mb, l, msg, w, woken);
    if (!co4__acquire_asked(l, got))
        return NO_MORE;
    if (!co4__take(list, w)) {
        l->ops->release(l);
        return PASSED;
    }
    if (msg)
        memcpy(buffer, msg, mb->ring.elem_size);
    l->ops->complete(l, CO4_OK, got);
    w->result.i = CO4_OK;
    co4__list_push(woken, w);
    return MET;
}

/* MET, NO_MORE; MANY: the caller goes on, if it still may. */
static enum meeting meet(co4_mailbox *mb, co4_listener *l, const void *msg, struct co4__list *woken)
{
    unsigned other_side = msg ? CO4__WAIT_RECEIVE : CO4__WAIT_SEND, left = 0;
    struct co4__wait_queue *list = co4__mailbox_queue(mb, other_side);
    for (struct co4__waiter *w = list->waiters.head, *next; w; w = next) {
        next = w->next;
        unsigned what = co4__waits_for(w);
        if (what != other_side)
            continue; /* claimed elsewhere, or a mark */
        enum meeting m = meet_one(mb, l, msg, w, list, woken);
        if (m == MET || m == NO_MORE)
            return m;
        if (m == LEFT && co4__wait_queue_may_yield(&mb->queues[0], &left))
            return MANY;
    }
    return NO_MORE;
}

/* Queues the listener's node as a mark behind t. The mark records how far the walk has come,
 * because waiters before it may leave meanwhile. */
static void mark_behind(co4_mailbox *mb, co4_listener *l, struct co4__wait_queue *list,
                        struct co4__waiter *w)
{
    struct co4__waiter *mark = co4__waiter_of(l);
    if (co4__listener_is_queued(l))
        co4__mailbox_node_leaves(mb, mark);
    memset(mark, 0, sizeof *mark);
    mark->result.wait.where = mb; /* a notification may count it */
    mark->kind = CO4__WAITER_LISTENER;
    co4__list_insert_after(&list->waiters, w, mark);
    atomic_store_explicit(&mark->claim, CO4__WAIT_MARK | CO4__QUEUED, memory_order_relaxed);
}

/* Returns whether the waiter before the mark is still t. Other walks may have put their marks
 * between the two. A waiter that has left, and waits again, is behind the mark. */
static bool still_behind(const struct co4__waiter *mark, const struct co4__waiter *w)
{
    const struct co4__waiter *before = mark->prev;
    while (before && co4__waits_for(before) == CO4__WAIT_MARK)
        before = before->prev;
    return before == w;
}

/* A receiver that looks at one sender's message after the other, and releases the lock for each. */
static enum meeting meet_all_of(co4_mailbox *mb, co4_listener *l, void *copy,
                                struct co4__list *woken)
{
    struct co4__wait_queue *list = &mb->queues[CO4__SENDERS];
    struct co4__waiter *mark = co4__waiter_of(l);
    for (struct co4__waiter *w = list->waiters.head; w;) {
        if (co4__waits_for(w) != CO4__WAIT_SEND) {
            w = w->next;
            continue;
        }
        memcpy(copy, w->result.wait.buffer, mb->ring.elem_size);
        mark_behind(mb, l, list, w);
        co4__lock_give(&mb->queues[0].lock);
        bool wanted = l->ops->look(l, CO4_OK, copy) != CO4__REFUSES;
        co4__lock_take(&mb->queues[0].lock);
        enum meeting m = wanted && still_behind(mark, w) ? meet_one(mb, l, NULL, w, list, woken)
                                                         : PASSED;
        if (m == MET || m == NO_MORE)
            return m;
        w = mark->next;
    }
    return NO_MORE;
}

static bool meet_looking(co4_mailbox *mb, co4_listener *l, void *copy, struct co4__list *woken)
{
    enum meeting m = meet_all_of(mb, l, copy, woken);
    if (co4__listener_is_queued(l)) /* the mark */
        co4__mailbox_node_leaves(mb, co4__waiter_of(l));
    return m == MET;
}

/* ---- receive ---- */

/* Called under the lock. Gives the oldest message to the listener, and removes it, if the listener
 * wants it. */
static bool take_oldest(co4_mailbox *mb, co4_listener *l, struct co4__list *woken)
{
    if (!co4__offer_asked(l, co4__mailbox_oldest(mb)))
        return false;
    co4__mailbox_pop(mb, woken);
    return true;
}

/* Called under the lock. Returns whether the listener has been served. */
static bool receive_now(co4_mailbox *mb, co4_listener *l, struct co4__list *woken)
{
    if (mb->ring.count > 0 && take_oldest(mb, l, woken))
        return true;
    enum meeting m = mb->capacity == 0 ? MANY : NO_MORE;
    while (m == MANY)
        m = meet(mb, l, NULL, woken);
    return m == MET;
}

/* Asks about the oldest message, and repeats that until the oldest message is the one it has asked
 * about. */
static int look_at_oldest(co4_mailbox *mb, co4_listener *l, void *copy)
{
    int answer = CO4__UNASKED;
    struct co4__looker here = { .gone = true };
    while (mb->ring.count > 0 && (here.gone || co4__mailbox_looks_at(mb, &here) > 0)) {
        memcpy(copy, co4__mailbox_oldest(mb), mb->ring.elem_size);
        co4__mailbox_look_begins(mb, &here, 0);
        co4__lock_give(&mb->queues[0].lock);
        answer = l->ops->look(l, CO4_OK, copy);
        co4__lock_take(&mb->queues[0].lock);
        co4__mailbox_look_ends(mb, &here);
    }
    return answer;
}

/* Like receive_now(), for a listener that looks. */
static bool receive_looking(co4_mailbox *mb, co4_listener *l, void *copy, struct co4__list *woken)
{
    int answer = look_at_oldest(mb, l, copy);
    if (mb->ring.count > 0 && answer != CO4__REFUSES && take_oldest(mb, l, woken))
        return true;
    return mb->capacity == 0 && meet_looking(mb, l, copy, woken);
}

/* `copy` is NULL for a listener that does not look. */
static int receive_or_add(co4_mailbox *mb, co4_listener *l, bool add, void *copy)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&mb->queues[0].lock);
    do
        if (copy ? receive_looking(mb, l, copy, &woken) : receive_now(mb, l, &woken))
            return served(mb, l, &woken);
    while (co4__mailbox_readies_receive(mb, &woken));
    if (mb->ring.count == 0 && mb->closed && co4_listener_offer(l, CO4_ECLOSED, NULL))
        return served(mb, l, &woken);
    if (add) {
        bool refuses = copy && mb->ring.count > 0;
        /* From here on the mailbox may notify it. */
        co4__listener_queue(refuses ? co4__mailbox_aside(mb, CO4__WAIT_RECEIVE)
                                    : &mb->queues[CO4__RECEIVERS],
                            l, CO4__WAIT_RECEIVE, NULL, mb);
    }
    return unserved(mb, &woken);
}

static int receive(co4_mailbox *mb, co4_listener *l, bool add)
{
    struct co4__copy copy;
    co4__listener_unqueued(l); /* not queued: after a refusal, drop finds nothing */
    if (!l->ops->look)
        return receive_or_add(mb, l, add, NULL);
    if (co4__mailbox_need_extension(mb) != CO4_OK || !co4__copy_begin(&copy, mb->ring.elem_size))
        return CO4_ENOMEM;
    int given = receive_or_add(mb, l, add, copy.at);
    co4__copy_end(&copy);
    return given;
}

static int receive_poll(co4_source *source, co4_listener *l)
{
    return receive(co4__mailbox_of_source(source), l, false);
}

static int receive_add(co4_source *source, co4_listener *l)
{
    return receive(co4__mailbox_of_source(source), l, true);
}

static void receive_drop(co4_source *source, co4_listener *l)
{
    co4__mailbox_node_drop(co4__mailbox_of_source(source), l);
}

static size_t receive_size(const co4_source *source)
{
    return co4__mailbox_of_source(source)->ring.elem_size;
}

const co4_source_ops co4__mailbox_ops = { receive_poll, receive_add, receive_drop, receive_size };

co4_source *co4_mailbox_source(co4_mailbox *mb)
{
    return mb ? &mb->source : NULL;
}

/* ---- send ---- */

static co4_sending *of_send(const co4_source *source)
{
    return (co4_sending *)(void *)((char *)(uintptr_t)source - offsetof(co4_sending, source));
}

/* PATIENT: if an allocation fails, the sender waits, as long as there is a message whose receiver
 * will make a place. */
enum manner { PLAIN, PATIENT, URGENT };

/* Returns whether memory is missing for this message, or, with `add`, for its time in the queue. */
static bool lacks_room(const co4_mailbox *mb, enum manner manner, bool add)
{
    bool full = co4__mailbox_count(mb) == mb->capacity;
    if (manner == URGENT && (full ? add : mb->extension->urgent_first) &&
        !co4__mailbox_has_urgent_room(mb))
        return true;
    return co4__mailbox_lacks_room(mb);
}

/* Like co4__mailbox_readies_send(), for any send. An urgent one goes before senders that are served
 * late. */
static bool readies(co4_mailbox *mb, enum manner manner, bool add, struct co4__list *woken)
{
    if (manner != URGENT)
        return co4__mailbox_readies_send(mb, woken);
    if (!lacks_room(mb, manner, add))
        return false;
    return co4__mailbox_lacks_room(mb) ? co4__mailbox_make_room(mb)
                                       : co4__mailbox_make_urgent_room(mb);
}

/* Called under the lock, which may be released before the decision. Returns CO4_OK: there is room
 * for a message; CO4_EFULL: the send has to wait; CO4_ECLOSED; CO4_ENOMEM. With `add`, a send that
 * has to wait has its memory, too. */
static int can_send(co4_mailbox *mb, enum manner manner, bool add, struct co4__list *woken)
{
    while (!mb->closed && readies(mb, manner, add, woken))
        ;
    if (mb->closed)
        return CO4_ECLOSED;
    if (lacks_room(mb, manner, add))
        return manner == PATIENT && mb->ring.count > 0 ? CO4_EFULL : CO4_ENOMEM;
    return co4__mailbox_count(mb) == mb->capacity ? CO4_EFULL : CO4_OK;
}

/* There is a place: sends the message, if the listener wants that. */
static bool take_place(co4_sending *p, co4_listener *l, enum manner manner, struct co4__list *woken)
{
    co4_mailbox *mb = p->mailbox;
    if (!co4__acquire_asked(l, NULL))
        return false;
    if (manner == URGENT)
        co4__mailbox_push_urgent(mb, p->message);
    else
        co4__mailbox_push(mb, p->message);
    l->ops->complete(l, CO4_OK, NULL);
    co4__mailbox_offer(mb, woken);
    if (mb->ring.count > 0)
        co4__mailbox_came(mb, woken);
    return true;
}

/* Called under the lock, which it releases if the listener has been served. CO4__UNASKED: the
 * caller asks the listener without the lock, and calls again. */
static int send_now(co4_sending *p, co4_listener *l, enum manner manner, bool add, int answer,
                    struct co4__list *woken)
{
    co4_mailbox *mb = p->mailbox;
    enum meeting m;
    bool given = false;
    do {
        int err = can_send(mb, manner, add, woken);
        bool direct = mb->capacity == 0 && err == CO4_EFULL;
        m = NO_MORE;
        if (answer == CO4__UNASKED && (err == CO4_OK || direct))
            return CO4__UNASKED;
        if (answer == CO4__REFUSES && (err == CO4_OK || direct))
            return 0;
        if (direct)
            given = (m = meet(mb, l, p->message, woken)) == MET;
        else if (err == CO4_OK)
            given = take_place(p, l, manner, woken);
        else
            given = err != CO4_EFULL && co4_listener_offer(l, err, NULL);
    } while (m == MANY);
    return given ? served(mb, l, woken) : 0;
}

static int look_at_place(co4_mailbox *mb, co4_listener *l)
{
    co4__lock_give(&mb->queues[0].lock);
    int answer = l->ops->look(l, CO4_OK, NULL);
    co4__lock_take(&mb->queues[0].lock);
    return answer;
}

/* At a rendezvous, other listeners can meet a waiting listener that has been asked: it would be
 * asked the same again. */
static int send(co4_sending *p, co4_listener *l, enum manner manner, bool add)
{
    co4_mailbox *mb = p->mailbox;
    struct co4__list woken = { NULL, NULL };
    int answer = co4__unasked(l), given;
    co4__listener_unqueued(l); /* not queued: after a refusal, drop finds nothing */
    if (l->ops->look && co4__mailbox_need_extension(mb) != CO4_OK)
        return CO4_ENOMEM;
    unsigned kind = manner == URGENT ? CO4__WAIT_URGENT : CO4__WAIT_SEND;
    co4__lock_take(&mb->queues[0].lock);
    while ((given = send_now(p, l, manner, add, answer, &woken)) == CO4__UNASKED)
        answer = look_at_place(mb, l);
    if (given)
        return given;
    if (add) {
        bool refuses = answer == CO4__REFUSES && co4__mailbox_count(mb) < mb->capacity;
        struct co4__wait_queue *list = refuses            ? co4__mailbox_aside(mb, kind)
                                       : manner == URGENT ? &mb->extension->urgent_waiters
                                                          : co4__mailbox_queue(mb, kind);
        if (manner == URGENT && !l->ops->look) /* a listener that looks sends by itself */
            mb->extension->urgent_waiting++;
        co4__listener_queue(list, l, kind, (void *)(uintptr_t)p->message, mb);
        if (l->ops->look && mb->capacity == 0 && answer != CO4__REFUSES)
            l->co4_private.mark = CO4__LISTENER_ANSWERED;
    }
    return unserved(mb, &woken);
}

static int send_poll(co4_source *source, co4_listener *l)
{
    return send(of_send(source), l, PLAIN, false);
}

static int send_add(co4_source *source, co4_listener *l)
{
    return send(of_send(source), l, PLAIN, true);
}

void co4__mailbox_add_patient(co4_sending *sending, co4_listener *l)
{
    send(sending, l, PATIENT, true);
}

static void send_drop(co4_source *source, co4_listener *l)
{
    co4__mailbox_node_drop(of_send(source)->mailbox, l);
}

static const co4_source_ops send_ops = { send_poll, send_add, send_drop, NULL };

co4_source *(co4_mailbox_sending)(co4_sending *sending, co4_mailbox *mb, const void *msg,
                                  size_t size)
{
    if (!sending || !mb || !msg)
        return NULL;
    *sending = (co4_sending){ { size == mb->ring.elem_size ? &send_ops : &co4__wrong_size_ops },
                              mb,
                              msg };
    return &sending->source;
}

static int urgent_poll(co4_source *source, co4_listener *l)
{
    return send(of_send(source), l, URGENT, false);
}

static int urgent_add(co4_source *source, co4_listener *l)
{
    return send(of_send(source), l, URGENT, true);
}

const co4_source_ops co4__mailbox_urgent_ops = { urgent_poll, urgent_add, send_drop, NULL };
