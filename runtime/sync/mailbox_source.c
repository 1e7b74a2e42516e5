/* mailbox_source.c - both ends of a mailbox as sources: a message to receive, a place to send to.
 *
 * Purpose: a listener is queued among the mailbox's waiters like a task. A message is in the ring
 * between the two sides, so one wait is acquired at a time: the send is complete before its
 * receiver is looked for.
 *
 * Concurrency: a rendezvous channel has no ring. There both waits are acquired before either is
 * completed, in the order of their owners. So two such pairs of the same two selects never wait for
 * each other. Model: tests/model/rendezvous.pml.
 *
 * A listener that looks is asked about the oldest message, or a place, without the lock. `taken`
 * tells whether that is still the same. At a rendezvous each receiver that looks is notified of
 * each sender. It looks at all their messages, and its own waiter among the senders marks how far
 * it has come. A sender that looks has been asked when it queues, and others take its message. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/mailbox.h"

/* Called under the lock, which it releases: the end of a poll or an add. `others` and, if it has
 * been served, the listener are woken. */
static int unlock_and_wake(co4_mailbox *mb, co4_listener *l, bool served,
                           const struct co4__list *others)
{
    co4__lock_give(&mb->queues[0].lock);
    co4__list_wake(others);
    if (served)
        l->ops->wake(l);
    return served;
}

/* ---- rendezvous ---- */

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

static enum meeting meet_listener(co4_mailbox *mb, co4_listener *l, const void *msg,
                                  struct co4__waiter *w, struct co4__list *woken)
{
    enum co4__side side = msg ? CO4__RECEIVERS : CO4__SENDERS;
    co4_listener *other = co4__listener_of(w);
    const void *got = msg ? NULL : w->result.wait.buffer;
    if (l->ops->owner(l) == other->ops->owner(other))
        return PASSED; /* a select does not send to itself */
    enum meeting m = acquire_both(l, got, other, msg);
    if (m == MET) {
        l->ops->complete(l, CO4_OK, got);
        other->ops->complete(other, CO4_OK, msg);
        co4__wait_queue_remove(&mb->queues[side], w);
        co4__list_push(woken, w);
    } else if (m == LEFT && other->ops->look) {
        co4__mailbox_notify(mb, side, w, woken);
    } else if (m == LEFT) {
        co4__wait_queue_remove(&mb->queues[side], w);
    }
    return m;
}

/* The listener, which has been asked, meets a waiter of the other side. `msg` is the message that
 * it sends, or NULL if it receives. */
static enum meeting meet_one(co4_mailbox *mb, co4_listener *l, const void *msg,
                             struct co4__waiter *w, struct co4__list *woken)
{
    void *buffer = w->result.wait.buffer;
    const void *got = msg ? NULL : buffer;
    if (w->kind == CO4__WAITER_LISTENER)
        return meet_listener(mb, l, msg, w, woken);
    if (!co4__acquire_asked(l, got))
        return NO_MORE;
    if (!co4__take(&mb->queues[msg ? CO4__RECEIVERS : CO4__SENDERS], w)) {
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
    enum co4__side side = msg ? CO4__RECEIVERS : CO4__SENDERS;
    unsigned left = 0;
    for (struct co4__waiter *w = mb->queues[side].waiters.head, *next; w; w = next) {
        next = w->next;
        if (co4__waits_for(w) != co4__kind_of_side(side))
            continue; /* claimed elsewhere, or a mark */
        enum meeting m = meet_one(mb, l, msg, w, woken);
        if (m == MET || m == NO_MORE)
            return m;
        if (m == LEFT && co4__wait_queue_may_yield(&mb->queues[0], &left))
            return MANY;
    }
    return NO_MORE;
}

/* A node in a wait queue that is not a waiter: it marks how far its thread has looked. */
enum { WAIT_MARK = CO4__WAIT_SELECT };

/* Queues the listener's node as a mark behind w, since waiters before it may leave meanwhile. */
static void mark_behind(co4_mailbox *mb, co4_listener *l, struct co4__wait_queue *list,
                        struct co4__waiter *w)
{
    struct co4__waiter *mark = co4__waiter_of(l);
    if (co4__listener_is_queued(l))
        co4__wait_queue_remove(list, mark);
    memset(mark, 0, sizeof *mark);
    mark->result.wait.where = &mb->queues[CO4__RECEIVERS]; /* it may be counted as notified */
    mark->kind = CO4__WAITER_LISTENER;
    co4__list_insert_after(&list->waiters, w, mark);
    atomic_store_explicit(&mark->claim, WAIT_MARK | CO4__QUEUED, memory_order_relaxed);
}

/* Returns whether the waiter before the mark is still w. Other walks may have put their marks
 * between the two. A waiter that has left, and waits again, is behind the mark. */
static bool still_behind(const struct co4__waiter *mark, const struct co4__waiter *w)
{
    const struct co4__waiter *before = mark->prev;
    while (before && co4__waits_for(before) == WAIT_MARK)
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
        enum meeting m = wanted && still_behind(mark, w) ? meet_one(mb, l, NULL, w, woken) : PASSED;
        if (m == MET || m == NO_MORE)
            return m;
        w = mark->next;
    }
    return NO_MORE;
}

/* ---- receive ---- */

/* Asks about the oldest message, and repeats that until the oldest message is the one it has asked
 * about. CO4__UNASKED: there is none. */
static int look_at_oldest(co4_mailbox *mb, co4_listener *l, void *copy)
{
    int answer = CO4__UNASKED;
    for (uint32_t at = 0; mb->ring.count > 0 && (answer == CO4__UNASKED || at != mb->taken);) {
        at = mb->taken;
        memcpy(copy, co4__messages_slot(&mb->ring, 0), mb->ring.elem_size);
        co4__lock_give(&mb->queues[0].lock);
        answer = l->ops->look(l, CO4_OK, copy);
        co4__lock_take(&mb->queues[0].lock);
    }
    return mb->ring.count > 0 ? answer : CO4__UNASKED;
}

/* Called under the lock. Returns whether the listener has met a sender. */
static bool meets_sender(co4_mailbox *mb, co4_listener *l, void *copy, struct co4__list *woken)
{
    enum meeting m = MANY;
    while (m == MANY)
        m = copy ? meet_all_of(mb, l, copy, woken) : meet(mb, l, NULL, woken);
    if (co4__listener_is_queued(l)) /* the mark */
        co4__wait_queue_remove(&mb->queues[CO4__SENDERS], co4__waiter_of(l));
    return m == MET;
}

/* `copy` is NULL for a listener that does not look. */
static int receive_now(co4_mailbox *mb, co4_listener *l, bool add, void *copy)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&mb->queues[0].lock);
    if (copy)
        mb->slow |= CO4__SLOW;
    co4__mailbox_settle(mb, &woken);
    int answer = copy ? look_at_oldest(mb, l, copy) : CO4__WANTS;
    if (mb->ring.count > 0 && answer != CO4__REFUSES) {
        bool wants = co4__offer_asked(l, co4__messages_slot(&mb->ring, 0));
        if (wants)
            co4__mailbox_pop(mb, &woken);
        return unlock_and_wake(mb, l, wants, &woken);
    }
    if (mb->capacity == 0 && meets_sender(mb, l, copy, &woken))
        return unlock_and_wake(mb, l, true, &woken);
    if (mb->ring.count == 0 && mb->closed)
        return unlock_and_wake(mb, l, co4_listener_offer(l, CO4_ECLOSED, NULL), &woken);
    if (add) { /* from here on the mailbox may notify it */
        struct co4__wait_queue *queue = &mb->queues[CO4__RECEIVERS];
        co4__listener_queue(queue, l, CO4__WAIT_RECEIVE | CO4__NO_TASK, NULL, queue);
        if (mb->ring.count > 0)
            co4__set_refused(l, mb->taken);
    }
    return unlock_and_wake(mb, l, false, &woken);
}

static int receive_at_source(co4_mailbox *mb, co4_listener *l, bool add)
{
    struct co4__copy copy;
    co4__listener_unqueued(l); /* not queued: after a refusal, drop finds nothing */
    if (!l->ops->look)
        return receive_now(mb, l, add, NULL);
    if (!co4__copy_begin(&copy, mb->ring.elem_size))
        return CO4_ENOMEM;
    int given = receive_now(mb, l, add, copy.at);
    co4__copy_end(&copy);
    return given;
}

static int receive_poll(co4_source *source, co4_listener *l)
{
    return receive_at_source(co4__mailbox_of_source(source), l, false);
}

static int receive_add(co4_source *source, co4_listener *l)
{
    return receive_at_source(co4__mailbox_of_source(source), l, true);
}

static void receive_drop(co4_source *source, co4_listener *l)
{
    co4__listener_drop(&co4__mailbox_of_source(source)->queues[CO4__RECEIVERS], l);
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

/* Called under the lock. Returns what co4__mailbox_ready_to_send() does, after the listener has
 * been asked about the place, or, at a rendezvous, about any receiver. *answer is its answer. */
static int look_at_place(co4_mailbox *mb, co4_listener *l, int *answer, struct co4__list *woken)
{
    for (uint32_t at = mb->taken;;) {
        int err = co4__mailbox_ready_to_send(mb, woken);
        bool asks = *answer == CO4__UNASKED || (*answer == CO4__REFUSES && at != mb->taken);
        if (!l->ops->look || !asks || !(err == CO4_OK || (err == CO4_EFULL && mb->capacity == 0)))
            return err;
        at = mb->taken;
        co4__lock_give(&mb->queues[0].lock);
        *answer = l->ops->look(l, CO4_OK, NULL);
        co4__lock_take(&mb->queues[0].lock);
    }
}

/* There is a place: sends the message, if the listener wants that. */
static bool take_place(co4_mailbox *mb, co4_listener *l, const void *msg, struct co4__list *woken)
{
    if (!co4__acquire_asked(l, NULL))
        return false;
    co4__messages_push(&mb->ring, msg);
    l->ops->complete(l, CO4_OK, NULL);
    co4__mailbox_settle(mb, woken);
    return true;
}

/* Called under the lock. Returns whether the listener has met a receiver. */
static bool meets_receiver(co4_mailbox *mb, co4_listener *l, const void *msg,
                           struct co4__list *woken)
{
    enum meeting m = MANY;
    while (m == MANY && !mb->closed)
        m = meet(mb, l, msg, woken);
    return m == MET;
}

/* `patient`: if an allocation fails, the sender waits, as long as there is a message whose receiver
 * will make a place. */
static int send_at_source(co4_sending *p, co4_listener *l, bool add, bool patient)
{
    co4_mailbox *mb = p->mailbox;
    struct co4__list woken = { NULL, NULL };
    int answer = co4__unasked(l);
    co4__listener_unqueued(l); /* not queued: after a refusal, drop finds nothing */
    co4__lock_take(&mb->queues[0].lock);
    if (l->ops->look)
        mb->slow |= CO4__SLOW;
    int err = look_at_place(mb, l, &answer, &woken);
    bool refuses = answer == CO4__REFUSES;
    if (err == CO4_OK && !refuses)
        return unlock_and_wake(mb, l, take_place(mb, l, p->message, &woken), &woken);
    if (err == CO4_EFULL && mb->capacity == 0 && !refuses &&
        meets_receiver(mb, l, p->message, &woken))
        return unlock_and_wake(mb, l, true, &woken);
    if (mb->closed)
        err = CO4_ECLOSED;
    else if (err == CO4_ENOMEM && patient && mb->ring.count > 0)
        err = CO4_EFULL;
    if (err != CO4_OK && err != CO4_EFULL)
        return unlock_and_wake(mb, l, co4_listener_offer(l, err, NULL), &woken);
    if (add) {
        struct co4__wait_queue *queue = &mb->queues[CO4__SENDERS];
        co4__listener_queue(queue, l, CO4__WAIT_SEND | CO4__NO_TASK, (void *)(uintptr_t)p->message,
                            queue);
        if (refuses && err == CO4_OK)
            co4__set_refused(l, mb->taken);
        else if (answer == CO4__WANTS && mb->capacity == 0)
            l->co4_private.mark = CO4__LISTENER_ANSWERED;
    }
    return unlock_and_wake(mb, l, false, &woken);
}

static int send_poll(co4_source *source, co4_listener *l)
{
    return send_at_source(of_send(source), l, false, false);
}

static int send_add(co4_source *source, co4_listener *l)
{
    return send_at_source(of_send(source), l, true, false);
}

void co4__mailbox_add_patient(co4_sending *sending, co4_listener *l)
{
    send_at_source(sending, l, true, true);
}

static void send_drop(co4_source *source, co4_listener *l)
{
    co4__listener_drop(&of_send(source)->mailbox->queues[CO4__SENDERS], l);
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
