/* subscriber.c - the receiving end of a broadcast: a subscriber, and its messages as a source. */
#include "extras/broadcast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/messages.h"
#include "sync/source.h"

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
    for (unsigned most = CO4__BATCH; !co4__subscriber_deliver(s, &most, woken); most = CO4__BATCH) {
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
        co4__subscriber_pop(s);
        deliver_all(s, &woken);
        co4__messages_move_on(&s->queue, &s->state, &b->wait_queue);
        co4__broadcast_admit(b, &woken);
        given = 1;
    } else if (s->queue.count == 0 && b->closed && co4_listener_offer(l, CO4_ECLOSED, NULL)) {
        given = 1;
    } else if (add) {
        co4__listener_queue(copy && s->queue.count > 0 ? &s->aside : &s->waiters, l,
                            CO4__WAIT_RECEIVE, s, NULL);
    }
    if (late && !given)
        co4__broadcast_admit(b, &woken);
    return co4__broadcast_end_attempt(b, l, given, &woken);
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
    co4__broadcast_drop(s->in, l, &s->waiters, &s->aside);
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
    s->capacity = (uint32_t)(capacity < CO4__BROADCAST_LIMIT ? capacity : CO4__BROADCAST_LIMIT - 1);
    s->queue.elem_size = (uint32_t)broadcast->elem_size;
    co4__lock_take(&broadcast->wait_queue.lock);
    s->next = broadcast->first;
    if (s->next)
        s->next->link = &s->next;
    broadcast->first = s;
    s->link = &broadcast->first;
    broadcast->count++;
    co4__subscriber_set_hungry(s);
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
    co4__subscriber_leaves(s);
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
        co4__broadcast_admit(b, &woken);
    }
    co4__lock_give(&b->wait_queue.lock);
    co4__list_wake(&woken);
    if (busy)
        return CO4_EBUSY;
    co4__messages_free(&s->queue, s->state);
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
