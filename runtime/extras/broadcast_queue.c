/* broadcast_queue.c - the messages that one subscriber has not received yet.
 *
 * The queue is a ring that grows (messages.c). A full one holds up senders, or drops its oldest
 * message. All functions run under the lock of the broadcast; broadcast.c has the invariants. */
#include "extras/broadcast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/wait.h"
#include "platform/lock.h"
#include "sync/messages.h"
#include "sync/source.h"

#define FIRST_ROOM 4 /* messages */

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

void co4__subscriber_set_hungry(co4_subscriber *s)
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

/* Called before a message is dropped, or the subscriber destroyed: it holds up no sender then. */
static void gives_way(co4_subscriber *s)
{
    co4_broadcast *b = s->in;
    if (!holds_up(s))
        return;
    if (--b->full == 0)
        co4__list_append(&b->wait_queue.waiters, &b->aside.waiters);
}

void co4__subscriber_leaves(co4_subscriber *s)
{
    gives_way(s);
    unset_hungry(s);
}

void co4__subscriber_pop(co4_subscriber *s)
{
    gives_way(s);
    co4__messages_drop(&s->queue);
    s->gone++;
    co4__list_append(&s->waiters.waiters, &s->aside.waiters);
    if (s->state & CO4__MESSAGES_MOVE)
        co4__messages_move(&s->queue);
}

void co4__subscriber_push(co4_subscriber *s, const void *msg)
{
    if (s->queue.count == s->capacity) {
        co4__subscriber_pop(s);
        s->dropped++;
    }
    if (s->state & CO4__MESSAGES_MOVE)
        co4__messages_move(&s->queue);
    co4__messages_push(&s->queue, msg);
    s->in->full += holds_up(s);
    co4__subscriber_set_hungry(s);
}

int co4__broadcast_feed(co4_broadcast *b)
{
    co4_subscriber *s = b->hungry;
    bool ok = true;
    if (wants_memory(s)) {
        s->inside++; /* so it is not destroyed meanwhile */
        ok = co4__messages_grow(&s->queue, next_room(s), &s->state, &b->wait_queue);
        s->inside--;
    }
    if (!wants_memory(s))
        unset_hungry(s);
    return ok ? CO4_OK : CO4_ENOMEM;
}

static void receiver_notified(co4_listener *l)
{
    co4_subscriber *s = co4__waiter_of(l)->result.wait.buffer;
    co4__lock_take(&s->in->wait_queue.lock);
    s->notified--;
    co4__lock_give(&s->in->wait_queue.lock);
}

bool co4__subscriber_deliver(co4_subscriber *s, unsigned *most, struct co4__list *woken)
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
        co4__wait_queue_remove(&s->waiters, w);
        if (!took)
            continue;
        co4__list_push(woken, w);
        if (has_one && took != CO4__NOTIFIED) {
            co4__subscriber_pop(s);
            next = s->waiters.waiters.head;
        }
    }
    return true;
}
