/* broadcast.c - a channel whose subscribers each get every message.
 *
 * Purpose: both ends are sources, and every form of send and receive awaits one of them. A sender
 * waits at the broadcast (its `buffer` is the co4_broadcasting), a receiver at its subscriber.
 *
 * Invariants: a receiver waits only while its queue is empty or it refuses the oldest message
 * (filters, combine.h). A sender waits only while a queue that makes senders wait is `full`, while
 * another message is under way, or while it refuses to send. Waiters that refuse are in `aside`
 * until the oldest message changes or no queue is full. Among the others, two of them would be
 * notified in turns for ever. A subscriber without memory for the next message is `hungry`, and
 * no message begins while there is one. So each message reaches all subscribers.
 *
 * Concurrency: one lock guards the broadcast, its subscribers and their queues. A message is under
 * way once its sender's wait is over. Threads copy it to CO4__BATCH subscribers under one hold of
 * the lock, and serve their receivers. `next` is the first subscriber that lacks it. Only one
 * message is under way, so all subscribers see the same order; a thread that wants to send or close
 * helps first. The sender is woken when all have the message. The thread that began it also admits
 * the senders behind it. Memory for queues is allocated without the lock, and then the thread looks
 * at everything again. A waiter that looks (source.h) leaves the list when it is notified. A select
 * that another source has served stays in the list until its task or another thread removes it.
 *
 * Rejected: one log with a cursor for each subscriber (the slowest would keep all of it, whatever
 * the bounds of the others); a lock for each subscriber (two messages could pass each other). */
#include "extras/broadcast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "sync/source.h"

/* ---- messages under way, under the lock ---- */

static void move_out(struct co4__wait_queue *list, struct co4__waiter *w, struct co4__list *woken)
{
    co4__wait_queue_remove(list, w);
    co4__list_push(woken, w);
}

static void sender_notified(co4_listener *l)
{
    const co4_broadcasting *p = co4__waiter_of(l)->result.wait.buffer;
    co4_broadcast *b = p->broadcast;
    co4__lock_take(&b->wait_queue.lock);
    b->notified--;
    co4__lock_give(&b->wait_queue.lock);
}

/* Gives the message under way to some more subscribers. */
static void publish_some(co4_broadcast *b, struct co4__list *woken)
{
    for (unsigned most = CO4__BATCH; most > 0 && b->next; most -= most > 0) {
        co4_subscriber *s = b->next;
        if (!b->pushed)
            co4__subscriber_push(s, b->message);
        b->pushed = !co4__subscriber_deliver(s, &most, woken);
        if (!b->pushed)
            b->next = s->next;
    }
    if (!b->next)
        b->message = NULL;
}

/* Returns when all subscribers have the message with this number. */
static void publish(co4_broadcast *b, uint64_t number, struct co4__list *woken)
{
    while (b->message && b->begun == number) {
        publish_some(b, woken);
        if (b->message)
            co4__wait_queue_yield(&b->wait_queue);
    }
}

/* No message is under way: begins one, and returns its number. */
static uint64_t publish_begin(co4_broadcast *b, const void *msg)
{
    b->message = b->first ? msg : NULL;
    b->next = b->first;
    return ++b->begun;
}

/* Acquires the first sender, which is still queued then. NULL: there is none, or it has left the
 * queue. In the last case it is notified, and in `woken`, or it wants nothing any more. */
static struct co4__waiter *acquire_first(co4_broadcast *b, struct co4__list *woken)
{
    struct co4__waiter *w = b->wait_queue.waiters.head;
    if (!w)
        return NULL;
    co4_listener *l = co4__listener_of(w);
    if (!l->ops->look && l->ops->acquire(l, CO4_OK, NULL))
        return w;
    if (l->ops->look && co4__offer_counted(l, CO4_OK, NULL, &b->notified, sender_notified))
        move_out(&b->wait_queue, w, woken);
    else
        co4__wait_queue_remove(&b->wait_queue, w);
    return NULL;
}

void co4__broadcast_admit(co4_broadcast *b, struct co4__list *woken)
{
    for (unsigned n = 1; !b->message && b->wait_queue.waiters.head && b->full == 0 && !b->closed;
         n++) {
        if (n % CO4__BATCH == 0) {
            co4__wait_queue_yield(&b->wait_queue);
            continue;
        }
        int err = b->hungry ? co4__broadcast_feed(b) : CO4_OK;
        if (err == CO4_OK && (b->hungry || b->message || b->full > 0 || b->closed))
            continue;
        if (b->message || b->full > 0 || b->closed)
            continue;
        struct co4__waiter *sender = acquire_first(b, woken);
        if (!sender)
            continue;
        co4_listener *l = co4__listener_of(sender);
        const co4_broadcasting *p = sender->result.wait.buffer;
        err = b->hungry ? err : CO4_OK;
        l->ops->complete(l, err, NULL);
        move_out(&b->wait_queue, sender, woken);
        if (err == CO4_OK)
            publish(b, publish_begin(b, p->message), woken);
    }
}

int co4__broadcast_end_attempt(co4_broadcast *b, co4_listener *l, int given,
                               struct co4__list *woken)
{
    co4__lock_give(&b->wait_queue.lock);
    co4__list_wake(woken);
    if (given)
        l->ops->wake(l);
    return given;
}

/* ---- life ---- */

co4_broadcast *co4_broadcast_create(size_t elem_size)
{
    co4_broadcast *b = elem_size > 0 && elem_size < CO4__BROADCAST_LIMIT ? co4__pool_take(sizeof *b)
                                                                         : NULL;
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b);
    b->elem_size = elem_size;
    return b;
}

int co4_broadcast_destroy(co4_broadcast *broadcast)
{
    if (!broadcast)
        return CO4_OK;
    co4__lock_take(&broadcast->wait_queue.lock);
    bool busy = broadcast->first || !co4__wait_queue_clear(&broadcast->wait_queue) ||
                broadcast->aside.waiters.head || broadcast->notified > 0;
    co4__lock_give(&broadcast->wait_queue.lock);
    if (busy)
        return CO4_EBUSY;
    co4__pool_drop(broadcast, sizeof *broadcast);
    return CO4_OK;
}

static void walk_begin(co4_broadcast *b, struct walk *w)
{
    *w = (struct walk){ b->first, b->walks };
    b->walks = w;
}

static void walk_end(co4_broadcast *b, const struct walk *w)
{
    struct walk **at = &b->walks;
    while (*at != w)
        at = &(*at)->older;
    *at = w->older;
}

/* Notifies senders and receivers, and yields the lock now and then. Those in `woken` are woken
 * later. */
static void close_all(co4_broadcast *b, struct co4__list *woken)
{
    unsigned taken = 0;
    co4__list_append(&b->wait_queue.waiters, &b->aside.waiters);
    for (struct co4__waiter *w; (w = b->wait_queue.waiters.head) != NULL;) {
        if (co4_listener_offer(co4__listener_of(w), CO4_ECLOSED, NULL))
            move_out(&b->wait_queue, w, woken);
        else
            co4__wait_queue_remove(&b->wait_queue, w);
        if (++taken % CO4__BATCH == 0)
            co4__wait_queue_yield(&b->wait_queue);
    }
    struct walk walk;
    walk_begin(b, &walk);
    for (unsigned most = CO4__BATCH; walk.next;) {
        if (co4__subscriber_deliver(walk.next, &most, woken))
            walk.next = walk.next->next;
        most -= most > 0;
        if (most == 0) {
            co4__wait_queue_yield(&b->wait_queue);
            most = CO4__BATCH;
        }
    }
    walk_end(b, &walk);
}

int co4_broadcast_close(co4_broadcast *broadcast)
{
    co4_broadcast *b = broadcast;
    struct co4__list woken = { NULL, NULL };
    if (!b)
        return CO4_EINVAL;
    co4__lock_take(&b->wait_queue.lock);
    while (b->message) /* that message was sent before the close */
        publish(b, b->begun, &woken);
    b->closed = true;
    close_all(b, &woken);
    co4__lock_give(&b->wait_queue.lock);
    co4__list_wake(&woken);
    return CO4_OK;
}

size_t co4_broadcast_subscribers(co4_broadcast *broadcast)
{
    if (!broadcast)
        return 0;
    co4__lock_take(&broadcast->wait_queue.lock);
    size_t n = broadcast->count;
    co4__lock_give(&broadcast->wait_queue.lock);
    return n;
}

/* ---- send ---- */

/* True: no message is under way, no sender waits before this one, and there is memory, or `err`
 * says that there is none. False: the lock may have been released, and the caller looks again. */
static bool may_send(co4_broadcast *b, bool *settled, int *err, struct co4__list *woken)
{
    if (b->message) {
        publish(b, b->begun, woken);
        *settled = false;
    } else if (!*settled) {
        *settled = true;
        co4__broadcast_admit(b, woken);
    } else if (b->full == 0 && b->hungry && *err == CO4_OK) {
        *err = co4__broadcast_feed(b);
    } else {
        return true;
    }
    return false;
}

/* `answer`: the listener's. CO4__UNASKED: the caller asks it, and calls again. */
static int send_now(co4_broadcasting *p, co4_listener *l, bool add, int answer)
{
    co4_broadcast *b = p->broadcast;
    struct co4__list woken = { NULL, NULL };
    int given = 0, err = CO4_OK;
    bool settled = false;
    co4__lock_take(&b->wait_queue.lock);
    while (!b->closed && !may_send(b, &settled, &err, &woken))
        ;
    if (b->closed) {
        given = co4_listener_offer(l, CO4_ECLOSED, NULL);
    } else if (b->full == 0 && answer == CO4__UNASKED) {
        co4__broadcast_end_attempt(b, l, 0, &woken);
        return CO4__UNASKED;
    } else if (b->full == 0 && answer != CO4__REFUSES && co4__acquire_asked(l, NULL)) {
        given = 1;
        err = b->hungry ? err : CO4_OK;
        l->ops->complete(l, err, NULL);
        if (err == CO4_OK)
            publish(b, publish_begin(b, p->message), &woken);
        co4__broadcast_admit(b, &woken);
    } else if (add) {
        bool refuses = answer == CO4__REFUSES && b->full == 0;
        co4__listener_queue(refuses ? &b->aside : &b->wait_queue, l, CO4__WAIT_SEND, p, NULL);
    }
    return co4__broadcast_end_attempt(b, l, given, &woken);
}

static int send_asking(co4_broadcasting *p, co4_listener *l, bool add)
{
    int given = send_now(p, l, add, co4__unasked(l));
    return given == CO4__UNASKED ? send_now(p, l, add, l->ops->look(l, CO4_OK, NULL)) : given;
}

static co4_broadcasting *of_sending(co4_source *source)
{
    return (co4_broadcasting *)(void *)source; /* its first member */
}

static int send_poll(co4_source *source, co4_listener *l)
{
    return send_asking(of_sending(source), l, false);
}

static int send_add(co4_source *source, co4_listener *l)
{
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    return send_asking(of_sending(source), l, true);
}

/* After the wait is over, the broadcast or subscriber may have been freed. */
void co4__broadcast_drop(co4_broadcast *b, co4_listener *l, struct co4__wait_queue *list,
                         struct co4__wait_queue *aside)
{
    struct co4__waiter *w = co4__waiter_of(l);
    co4__lock_take(&b->wait_queue.lock);
    if (co4__listener_is_queued(l))
        co4__wait_queue_remove(co4__list_ends_with(&aside->waiters, w) ? aside : list, w);
    co4__lock_give(&b->wait_queue.lock);
}

static void send_drop(co4_source *source, co4_listener *l)
{
    if (!co4__listener_is_queued(l))
        return;
    co4_broadcast *b = of_sending(source)->broadcast;
    co4__broadcast_drop(b, l, &b->wait_queue, &b->aside);
}

static const co4_source_ops send_ops = { send_poll, send_add, send_drop, NULL };

co4_source *(co4_broadcast_sending)(co4_broadcasting *sending, co4_broadcast *broadcast,
                                    const void *msg, size_t size)
{
    if (!sending || !broadcast || !msg)
        return NULL;
    *sending = (co4_broadcasting){
        { size == broadcast->elem_size ? &send_ops : &co4__wrong_size_ops }, broadcast, msg
    };
    return &sending->source;
}
