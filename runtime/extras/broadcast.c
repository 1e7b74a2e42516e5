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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/messages.h"
#include "sync/source.h"

#define BATCH      CO4__BATCH /* subscribers for each time the lock is held */
#define FIRST_ROOM 4          /* messages */
#define LIMIT      ((size_t)1 << 31)

struct co4_subscriber {
    co4_source source; /* first; constant, like the next three */
    co4_broadcast *in;
    uint32_t capacity;
    bool drops;
    bool moves; /* messages of `queue` have to move, or have just moved (messages.c) */
    struct co4__messages queue; /* the lock of `in` guards this field and the following */
    unsigned long long dropped;
    uint64_t gone;     /* messages that have left the queue */
    uint32_t notified; /* notified receivers that have not looked yet */
    /* Threads that have released the lock in the middle of a receive. */
    uint32_t inside;
    /* Receivers, and receivers that refuse the oldest message. Their own locks are not used. */
    struct co4__wait_queue waiters, aside;
    co4_subscriber *next, **link;
    co4_subscriber *next_hungry, **hungry; /* NULL: it is not hungry */
};

/* A walk past all subscribers that releases the lock now and then. */
struct walk {
    co4_subscriber *next;
    struct walk *older;
};

struct co4_broadcast {
    /* Senders. Its lock guards all fields except elem_size, which is constant. */
    struct co4__wait_queue wait_queue;
    struct co4__wait_queue aside; /* senders that refuse to send */
    size_t elem_size, count;
    co4_subscriber *first, *hungry;
    size_t full;          /* subscribers that make senders wait, and are full */
    const void *message;  /* the message under way; NULL: none */
    co4_subscriber *next; /* the subscriber that gets it next */
    bool pushed;       /* `next` has the message; some of its receivers have still to be notified */
    uint32_t notified; /* notified senders that have not looked yet */
    uint64_t begun;    /* messages so far, including the one under way */
    struct walk *walks;
    bool closed;
};

/* ---- queues, under the lock ---- */

static bool holds_up(const co4_subscriber *s)
{
    return !s->drops && s->queue.count == s->capacity;
}

static uint32_t next_room(const co4_subscriber *s)
{
    uint32_t room = s->queue.room ? 2 * s->queue.room : FIRST_ROOM;
    return room < s->capacity ? room : s->capacity;
}

static bool wants_memory(const co4_subscriber *s)
{
    return s->queue.count == s->queue.room && s->queue.room < s->capacity;
}

static void set_hungry(co4_subscriber *s)
{
    co4_broadcast *b = s->in;
    if (s->hungry || !wants_memory(s))
        return;
    s->next_hungry = b->hungry;
    if (s->next_hungry)
        s->next_hungry->hungry = &s->next_hungry;
    b->hungry = s;
    s->hungry = &b->hungry;
}

static void unset_hungry(co4_subscriber *s)
{
    if (!s->hungry)
        return;
    *s->hungry = s->next_hungry;
    if (s->next_hungry)
        s->next_hungry->hungry = s->hungry;
    s->hungry = NULL;
}

/* Moves some messages. True: all have moved, and the caller frees their old memory. */
static bool move_some(co4_subscriber *s)
{
    return s->moves && !co4__messages_move(&s->queue);
}

static void free_old(co4_subscriber *s)
{
    void *old = co4__messages_old(&s->queue);
    co4_broadcast *b = s->in;
    s->moves = false;
    co4__wait_queue_unlock(&b->wait_queue);
    co4__free(old);
    co4__wait_queue_relock(&b->wait_queue);
}

/* Called before a subscriber drops a message, or is destroyed: if it is full, it no longer counts
 * as such. */
static void gives_way(co4_subscriber *s)
{
    co4_broadcast *b = s->in;
    b->full -= holds_up(s);
    if (b->full == 0)
        co4__list_append(&b->wait_queue.waiters, &b->aside.waiters);
}

static void pop(co4_subscriber *s)
{
    if (holds_up(s))
        gives_way(s);
    co4__messages_drop(&s->queue);
    s->gone++;
    co4__list_append(&s->waiters.waiters, &s->aside.waiters);
    move_some(s);
}

/* There is memory for the message. */
static void push(co4_subscriber *s, const void *msg)
{
    if (s->queue.count == s->capacity) {
        pop(s);
        s->dropped++;
    }
    move_some(s);
    co4__messages_push(&s->queue, msg);
    s->in->full += holds_up(s);
    set_hungry(s);
}

/* Takes one step towards memory for the next message in all queues. At least one subscriber is
 * hungry. Releases the lock. CO4_OK: the caller looks again. CO4_ENOMEM. */
static int feed(co4_broadcast *b)
{
    co4_subscriber *s = b->hungry;
    if (!wants_memory(s)) {
        unset_hungry(s);
        return CO4_OK;
    }
    if (s->moves) { /* messages still move since it grew last */
        if (move_some(s))
            free_old(s);
        else
            co4__wait_queue_yield(&b->wait_queue);
        return CO4_OK;
    }
    uint32_t room = next_room(s);
    bool empty = s->queue.room == 0;
    co4__wait_queue_unlock(&b->wait_queue);
    /* The subscriber may be destroyed meanwhile. */
    void *slots = co4__messages_alloc((uint32_t)b->elem_size, room, empty), *unused = slots;
    co4__wait_queue_relock(&b->wait_queue);
    /* It may have been freed. Any other that needs as much can use the memory. */
    s = b->hungry;
    if (slots && s && wants_memory(s) && !s->moves && next_room(s) == room &&
        empty == (s->queue.room == 0)) {
        s->moves = co4__messages_move_to(&s->queue, slots, room, &unused);
        unset_hungry(s);
        if (s->moves)
            unused = NULL;
    }
    if (unused) {
        co4__wait_queue_unlock(&b->wait_queue);
        co4__free(unused);
        co4__wait_queue_relock(&b->wait_queue);
    }
    return slots ? CO4_OK : CO4_ENOMEM;
}

/* ---- messages under way, under the lock ---- */

static void move_out(struct co4__wait_queue *list, struct co4__waiter *w, struct co4__list *woken)
{
    co4__wait_queue_remove(list, w);
    co4__list_push(woken, w);
}

static void receiver_notified(co4_listener *l)
{
    co4_subscriber *s = co4__waiter_of(l)->result.wait.buffer;
    co4__lock_take(&s->in->wait_queue.lock);
    s->notified--;
    co4__lock_give(&s->in->wait_queue.lock);
}

static void sender_notified(co4_listener *l)
{
    const co4_broadcasting *p = co4__waiter_of(l)->result.wait.buffer;
    co4_broadcast *b = p->broadcast;
    co4__lock_take(&b->wait_queue.lock);
    b->notified--;
    co4__lock_give(&b->wait_queue.lock);
}

/* Gives messages to waiting receivers, at most *most of them. If a message remains, it is the
 * oldest now, and a filter that has refused the ones before it may want it (combine.h). False: more
 * receivers may have to be notified, and *most is 0. */
static bool deliver(co4_subscriber *s, unsigned *most, struct co4__list *woken)
{
    for (struct co4__waiter *w = s->waiters.waiters.head, *next; w; w = next) {
        next = w->next;
        bool has_one = s->queue.count > 0;
        if (!has_one && !s->in->closed)
            return true;
        if (*most == 0)
            return false;
        int took = co4__offer_counted(co4__listener_of(w), has_one ? CO4_OK : CO4_ECLOSED,
                                      has_one ? co4__messages_slot(&s->queue, 0) : NULL,
                                      &s->notified, receiver_notified);
        --*most;
        if (!took) {
            co4__wait_queue_remove(&s->waiters, w);
            continue;
        }
        move_out(&s->waiters, w, woken);
        if (has_one && took != CO4__NOTIFIED) {
            pop(s);
            next = s->waiters.waiters.head;
        }
    }
    return true;
}

/* Gives the message under way to some more subscribers. */
static void publish_some(co4_broadcast *b, struct co4__list *woken)
{
    for (unsigned most = BATCH; most > 0 && b->next; most -= most > 0) {
        co4_subscriber *s = b->next;
        if (!b->pushed)
            push(s, b->message);
        b->pushed = !deliver(s, &most, woken);
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

/* Called after a change: admits senders. While a message of another thread is under way, that
 * thread admits them. */
static void admit_senders(co4_broadcast *b, struct co4__list *woken)
{
    for (unsigned n = 1; !b->message && b->wait_queue.waiters.head && b->full == 0 && !b->closed;
         n++) {
        if (n % BATCH == 0) {
            co4__wait_queue_yield(&b->wait_queue);
            continue;
        }
        int err = b->hungry ? feed(b) : CO4_OK;
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

/* Called under the lock, which it releases. `given`: the current listener has been completed. */
static int end_attempt(co4_broadcast *b, co4_listener *l, int given, struct co4__list *woken)
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
    co4_broadcast *b = elem_size > 0 && elem_size < LIMIT ? co4__pool_take(sizeof *b) : NULL;
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

static void walk_begins(co4_broadcast *b, struct walk *w)
{
    *w = (struct walk){ b->first, b->walks };
    b->walks = w;
}

static void walk_ends(co4_broadcast *b, const struct walk *w)
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
        if (++taken % BATCH == 0)
            co4__wait_queue_yield(&b->wait_queue);
    }
    struct walk walk;
    walk_begins(b, &walk);
    for (unsigned most = BATCH; walk.next;) {
        if (deliver(walk.next, &most, woken))
            walk.next = walk.next->next;
        most -= most > 0;
        if (most == 0) {
            co4__wait_queue_yield(&b->wait_queue);
            most = BATCH;
        }
    }
    walk_ends(b, &walk);
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
        admit_senders(b, woken);
    } else if (b->full == 0 && b->hungry && *err == CO4_OK) {
        *err = feed(b);
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
        end_attempt(b, l, 0, &woken);
        return CO4__UNASKED;
    } else if (b->full == 0 && answer != CO4__REFUSES && co4__acquire_asked(l, NULL)) {
        given = 1;
        err = b->hungry ? err : CO4_OK;
        l->ops->complete(l, err, NULL);
        if (err == CO4_OK)
            publish(b, publish_begin(b, p->message), &woken);
        admit_senders(b, &woken);
    } else if (add) {
        bool refuses = answer == CO4__REFUSES && b->full == 0;
        co4__listener_queue(refuses ? &b->aside : &b->wait_queue, l, CO4__WAIT_SEND, p, NULL);
    }
    return end_attempt(b, l, given, &woken);
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
static void drop(co4_broadcast *b, co4_listener *l, struct co4__wait_queue *list,
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
    drop(b, l, &b->wait_queue, &b->aside);
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

/* ---- receive ---- */

static co4_subscriber *subscriber_of_source(const co4_source *source)
{
    return (co4_subscriber *)(uintptr_t)source; /* its first member */
}

/* Asks about a copy of the oldest message, without the lock, until the oldest message is the one it
 * has asked about. */
static int look_at_oldest(co4_subscriber *s, co4_listener *l, void *copy)
{
    co4_broadcast *b = s->in;
    int answer = CO4__UNASKED;
    uint64_t asked = 0;
    while (s->queue.count > 0 && (answer == CO4__UNASKED || asked != s->gone)) {
        asked = s->gone;
        memcpy(copy, co4__messages_slot(&s->queue, 0), s->queue.elem_size);
        /* this may take long, so it does not count as inside */
        co4__lock_give(&b->wait_queue.lock);
        answer = l->ops->look(l, CO4_OK, copy);
        co4__lock_take(&b->wait_queue.lock);
    }
    return answer;
}

/* Gives the messages that are there to waiting receivers. Called after a receive, when the next
 * message is the oldest, and before one, if another thread is about to notify them. */
static void deliver_all(co4_subscriber *s, struct co4__list *woken)
{
    for (unsigned most = BATCH; !deliver(s, &most, woken); most = BATCH) {
        s->inside++;
        co4__wait_queue_yield(&s->in->wait_queue);
        s->inside--;
    }
}

/* `copy` is NULL for a listener that does not look. */
static int recv_now(co4_subscriber *s, co4_listener *l, bool add, void *copy)
{
    co4_broadcast *b = s->in;
    struct co4__list woken = { NULL, NULL };
    int given = 0;
    co4__lock_take(&b->wait_queue.lock);
    bool late = s->queue.count > 0 && s->waiters.waiters.head;
    if (late)
        deliver_all(s, &woken);
    int answer = copy ? look_at_oldest(s, l, copy) : CO4__WANTS;
    if (s->queue.count > 0 && answer != CO4__REFUSES &&
        co4__offer_asked(l, co4__messages_slot(&s->queue, 0))) {
        pop(s);
        deliver_all(s, &woken);
        if (move_some(s))
            free_old(s);
        admit_senders(b, &woken);
        given = 1;
    } else if (s->queue.count == 0 && b->closed && co4_listener_offer(l, CO4_ECLOSED, NULL)) {
        given = 1;
    } else if (add) {
        co4__listener_queue(copy && s->queue.count > 0 ? &s->aside : &s->waiters, l,
                            CO4__WAIT_RECEIVE, s, NULL);
    }
    if (late && !given)
        admit_senders(b, &woken);
    return end_attempt(b, l, given, &woken);
}

static int recv_asking(co4_subscriber *s, co4_listener *l, bool add)
{
    struct co4__copy copy;
    if (!l->ops->look)
        return recv_now(s, l, add, NULL);
    co4__listener_unqueued(l); /* if there is no memory, drop finds nothing */
    if (!co4__copy_begin(&copy, s->queue.elem_size))
        return CO4_ENOMEM;
    int given = recv_now(s, l, add, copy.at);
    co4__copy_end(&copy);
    return given;
}

static int recv_poll(co4_source *source, co4_listener *l)
{
    return recv_asking(subscriber_of_source(source), l, false);
}

static int recv_add(co4_source *source, co4_listener *l)
{
    return recv_asking(subscriber_of_source(source), l, true);
}

static void recv_drop(co4_source *source, co4_listener *l)
{
    if (!co4__listener_is_queued(l))
        return;
    co4_subscriber *s = subscriber_of_source(source);
    drop(s->in, l, &s->waiters, &s->aside);
}

static size_t recv_size(const co4_source *source)
{
    return subscriber_of_source(source)->queue.elem_size;
}

static const co4_source_ops recv_ops = { recv_poll, recv_add, recv_drop, recv_size };

co4_source *co4_subscriber_source(co4_subscriber *subscriber)
{
    return subscriber ? &subscriber->source : NULL;
}

co4_subscriber *co4_broadcast_subscribe(co4_broadcast *broadcast, size_t capacity, int policy)
{
    if (!broadcast || capacity == 0 ||
        (policy != CO4_BROADCAST_WAIT && policy != CO4_BROADCAST_DROP_OLDEST))
        return NULL;
    co4_subscriber *s = co4__pool_take(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->source.ops = &recv_ops;
    s->in = broadcast;
    s->drops = policy == CO4_BROADCAST_DROP_OLDEST;
    s->capacity = (uint32_t)(capacity < LIMIT ? capacity : LIMIT - 1);
    s->queue.elem_size = (uint32_t)broadcast->elem_size;
    co4__lock_take(&broadcast->wait_queue.lock);
    s->next = broadcast->first;
    if (s->next)
        s->next->link = &s->next;
    broadcast->first = s;
    s->link = &broadcast->first;
    broadcast->count++;
    set_hungry(s);
    co4__lock_give(&broadcast->wait_queue.lock);
    return s;
}

/* Called under the lock. */
static void subscriber_leave(co4_subscriber *s)
{
    co4_broadcast *b = s->in;
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    b->count--;
    if (holds_up(s))
        gives_way(s);
    unset_hungry(s);
    for (struct walk *w = b->walks; w; w = w->older)
        if (w->next == s)
            w->next = s->next;
    if (b->message && b->next == s) {
        b->next = s->next;
        b->pushed = false;
        b->message = b->next ? b->message : NULL;
    }
}

int co4_subscriber_destroy(co4_subscriber *subscriber)
{
    co4_subscriber *s = subscriber;
    struct co4__list woken = { NULL, NULL };
    if (!s)
        return CO4_OK;
    co4_broadcast *b = s->in;
    co4__lock_take(&b->wait_queue.lock);
    for (unsigned tries = 0; s->inside > 0; tries++) {
        co4__lock_give(&b->wait_queue.lock);
        co4__back_off(tries);
        co4__lock_take(&b->wait_queue.lock);
    }
    bool busy = s->waiters.waiters.head || s->aside.waiters.head || s->notified > 0;
    if (!busy) {
        subscriber_leave(s);
        admit_senders(b, &woken);
    }
    co4__lock_give(&b->wait_queue.lock);
    co4__list_wake(&woken);
    if (busy)
        return CO4_EBUSY;
    if (s->moves)
        co4__free(co4__messages_old(&s->queue));
    co4__free(s->queue.slots);
    co4__pool_drop(s, sizeof *s);
    return CO4_OK;
}

size_t co4_subscriber_len(co4_subscriber *subscriber)
{
    if (!subscriber)
        return 0;
    co4__lock_take(&subscriber->in->wait_queue.lock);
    size_t n = subscriber->queue.count;
    co4__lock_give(&subscriber->in->wait_queue.lock);
    return n;
}

unsigned long long co4_subscriber_dropped(co4_subscriber *subscriber)
{
    if (!subscriber)
        return 0;
    co4__lock_take(&subscriber->in->wait_queue.lock);
    unsigned long long n = subscriber->dropped;
    co4__lock_give(&subscriber->in->wait_queue.lock);
    return n;
}
