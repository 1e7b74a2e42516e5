/* co4/broadcast.h - a channel that gives every message to each of its subscribers.
 *
 *     co4_broadcast *news = co4_broadcast_create(sizeof(struct item));
 *     co4_subscriber *mine = co4_broadcast_subscribe(news, 16, CO4_BROADCAST_WAIT);
 *     …
 *     co4_broadcast_send(news, &item);                 to all subscribers of that moment
 *     …
 *     while (co4_subscriber_receive(mine, &item) == CO4_OK) …
 *     co4_subscriber_destroy(mine);
 *
 * A subscriber has a bounded queue of its own, and gets all messages that are sent while it is
 * subscribed, in one order that is the same for all. The subscription chooses the policy for a full
 * queue:
 *
 *     CO4_BROADCAST_WAIT          senders wait until there is room
 *     CO4_BROADCAST_DROP_OLDEST   its oldest message is dropped, and counted
 *
 * A send reaches all subscribers or, on any error, none. It reaches those that are there when it
 * begins. One that subscribes meanwhile gets the next message first; one that is destroyed
 * meanwhile may or may not get it. Some have it before others. When the send returns, all have it.
 * It is over before the next one, or a close, begins. Without subscribers it is over at once. Any
 * number of tasks and threads may send and receive. Several may receive from one subscriber: then
 * each of its messages goes to one of them. Waiters are served first come, first served. */
#ifndef CO4_BROADCAST_H
#define CO4_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, and for messages of another size. Of those that wait:
 *     CO4_ESTATE inside a generator. _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the timer.
 *     co4_block: CO4_EDEADLK inside a task. After an error nothing was sent or received.
 * Blocks: in a co4_block(), the thread, as tasks pause; else never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any number of tasks and threads may call it at the same time.
 * Ownership: the broadcast and the subscriber stay their owners'; no pointer is kept.
 * Since: 0.1. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_broadcast co4_broadcast;
typedef struct co4_subscriber co4_subscriber;

/* Creates a broadcast for messages of elem_size bytes.
 *
 * Returns: the broadcast; NULL when out of memory, or elem_size is 0.
 * Ownership: the caller's, until co4_broadcast_destroy(). */
CO4_MUST_USE co4_broadcast *co4_broadcast_create(size_t elem_size);

/* Frees the broadcast. NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing is freed, while it has subscribers, or a sender waits.
 * Thread safety: no other call may begin from now on.
 * Ownership: ends the caller's. */
int co4_broadcast_destroy(co4_broadcast *broadcast);

/* Closes it: sends are CO4_ECLOSED, also those that wait. Subscribers receive the remaining
 * messages, then CO4_ECLOSED. */
int co4_broadcast_close(co4_broadcast *broadcast);

/* Subscribers, at some moment during the call.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_broadcast_subscribers(co4_broadcast *broadcast);

/* ---- senders ---- */

/* Sends a copy of *msg to each subscriber.
 *
 * Returns: CO4_OK; CO4_ECLOSED; CO4_ENOMEM when a queue cannot grow. CO4_NOW: CO4_EFULL instead of
 *     a wait. Else as above.
 * Pauses: while a subscriber with CO4_BROADCAST_WAIT is full, and while others send.
 * Ownership: *msg stays the caller's, and must not change until the call returns. */
pausable_or_block int co4_broadcast_send(co4_broadcast *broadcast, const void *msg, size_t size);
pausable_or_block int co4_broadcast_send_until(co4_broadcast *broadcast, const void *msg,
                                               size_t size, int64_t deadline);
#define co4_broadcast_send(broadcast, ...)                                                         \
    co4_broadcast_send((broadcast), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_broadcast_send_until(broadcast, msg, deadline)                                         \
    co4_broadcast_send_until((broadcast), (msg), CO4_SIZE_OF(msg), (deadline))

/* A send as a source (source.h): it is chosen when the message is sent, or cannot be.
 *
 * Returns: a source without a value; waits for it are CO4_EINVAL when the message is of another
 *     size. NULL when an argument is NULL.
 * Ownership: *sending and *msg are the caller's, and stay as they are until the wait is over. */
typedef struct co4_broadcasting {
    co4_source source;
    co4_broadcast *broadcast;
    const void *message;
} co4_broadcasting;
co4_source *co4_broadcast_sending(co4_broadcasting *sending, co4_broadcast *broadcast,
                                  const void *msg, size_t size);
#define co4_broadcast_sending(sending, broadcast, ...)                                             \
    co4_broadcast_sending((sending), (broadcast), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* ---- receivers ---- */

/* The policy for a full subscriber: senders wait; its oldest message is dropped. */
enum { CO4_BROADCAST_WAIT, CO4_BROADCAST_DROP_OLDEST };

/* Subscribes: from now on the subscriber gets every message, and holds up to `capacity` of them. At
 * a closed broadcast it gets none, and is CO4_ECLOSED.
 *
 * Returns: the subscriber; NULL when out of memory, for a capacity of 0 and another policy.
 * Ownership: the caller's, until co4_subscriber_destroy(). */
CO4_MUST_USE co4_subscriber *co4_broadcast_subscribe(co4_broadcast *broadcast, size_t capacity,
                                                     int policy);

/* Unsubscribes, and frees the subscriber and its messages. Senders that waited for its room go on.
 * NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing happens, while a task or thread waits at it.
 * Thread safety: no other call with it may begin from now on.
 * Ownership: ends the caller's. */
int co4_subscriber_destroy(co4_subscriber *subscriber);

/* Receives the oldest message into *out, unless that is NULL.
 *
 * Returns: CO4_OK; CO4_ECLOSED after the last one. CO4_NOW: CO4_EEMPTY instead of a wait. Else as
 *     above.
 * Pauses: while it has none.
 * Cancellation: CO4_ECANCELED, and no message is lost. */
pausable_or_block int co4_subscriber_receive(co4_subscriber *subscriber, void *out, size_t size);
pausable_or_block int co4_subscriber_receive_until(co4_subscriber *subscriber, void *out,
                                                   size_t size, int64_t deadline);
#define co4_subscriber_receive(subscriber, out)                                                    \
    co4_subscriber_receive((subscriber), (out), CO4_SIZE_OF(out))
#define co4_subscriber_receive_until(subscriber, out, deadline)                                    \
    co4_subscriber_receive_until((subscriber), (out), CO4_SIZE_OF(out), (deadline))
/* The messages as a source, whose code is CO4_ECLOSED after the last one.
 *
 * Returns: the source; NULL for NULL.
 * Ownership: the source is part of the subscriber. */
co4_source *co4_subscriber_source(co4_subscriber *subscriber);

/* Messages that it holds; messages that were dropped.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_subscriber_len(co4_subscriber *subscriber);
unsigned long long co4_subscriber_dropped(co4_subscriber *subscriber);

#ifdef __cplusplus
}
#endif

#endif
