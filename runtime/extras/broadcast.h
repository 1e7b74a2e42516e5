/* broadcast.h - a broadcast, its subscribers, and what their files share. See broadcast.c. */
#ifndef CO4_BROADCAST_INTERNAL_H
#define CO4_BROADCAST_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/wait.h"
#include "sync/messages.h"
#include "sync/source.h"

#define CO4__BROADCAST_LIMIT ((size_t)1 << 31) /* of the capacity and the size of a message */

struct co4_subscriber {
    co4_source source; /* first; constant, like the next three */
    co4_broadcast *in;
    uint32_t capacity;
    bool drops;
    uint8_t state; /* of `queue`: CO4__MESSAGES_MOVE. The lock of `in` guards all from here on */
    struct co4__messages queue;
    unsigned long long dropped;
    uint64_t gone;     /* messages that have left the queue */
    uint32_t notified; /* notified receivers that have not looked yet */
    /* Threads that have released the lock in the middle of a receive, or while the queue grows. */
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

/* All functions below are called under the lock, which most release for a moment. The caller wakes
 * the waiters of `woken` after it has released the lock. */

/* ---- broadcast_queue.c: the messages of one subscriber ---- */

/* If the queue needs memory for the next message, the subscriber is hungry from now on. */
void co4__subscriber_set_hungry(co4_subscriber *s);
/* The subscriber is about to be destroyed: it no longer holds up senders, and is not hungry. */
void co4__subscriber_leaves(co4_subscriber *s);
/* Adds a message for which there is memory. */
void co4__subscriber_push(co4_subscriber *s, const void *msg);
/* Removes the oldest message. */
void co4__subscriber_pop(co4_subscriber *s);
/* Takes one step towards memory for the next message in all queues. At least one subscriber is
 * hungry. CO4_OK: the caller looks again. CO4_ENOMEM. */
int co4__broadcast_feed(co4_broadcast *b);
/* Gives messages to waiting receivers, at most *most of them. If a message remains, it is the
 * oldest now, and a filter that has refused the ones before it may want it (combine.h). False: more
 * receivers may have to be notified, and *most is 0. */
bool co4__subscriber_deliver(co4_subscriber *s, unsigned *most, struct co4__list *woken);

/* ---- broadcast.c ---- */

/* Called after a change: admits senders. While a message of another thread is under way, that
 * thread admits them. */
void co4__broadcast_admit(co4_broadcast *b, struct co4__list *woken);
/* Releases the lock at the end of a poll or an add, and wakes. `given`: the current listener has
 * been completed. */
int co4__broadcast_end_attempt(co4_broadcast *b, co4_listener *l, int given,
                               struct co4__list *woken);
/* Called without the lock: removes a listener that is still queued in one of the two lists. */
void co4__broadcast_drop(co4_broadcast *b, co4_listener *l, struct co4__wait_queue *list,
                         struct co4__wait_queue *aside);

#endif
