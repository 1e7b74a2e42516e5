/* co4/broadcast.h - a channel each of whose subscribers gets every message.
 *
 *     co4_broadcast *news = co4_broadcast_create(sizeof(struct item));
 *     co4_subscriber *mine = co4_broadcast_subscribe(news, 16, CO4_BROADCAST_WAIT);
 *     …
 *     co4_broadcast_send(news, &item);                 to all who are subscribed now
 *     …
 *     while (co4_subscriber_receive(mine, &item) == CO4_OK) …
 *     co4_subscriber_destroy(mine);
 *
 * A subscriber has a bounded queue of its own, and gets all messages that are sent while it is
 * subscribed, in one order that is the same for all. What happens when its queue is full it says
 * when it subscribes:
 *
 *     CO4_BROADCAST_WAIT          who sends waits until there is a place
 *     CO4_BROADCAST_DROP_OLDEST   its oldest message is dropped, and counted
 *
 * A send reaches all subscribers or, on any error, none. It reaches those that are there when it
 * begins: one that subscribes while it is under way gets the next message first; one that goes
 * meanwhile may have it or not. Some have it before others. When the send returns, all have it. It
 * is over before the next one, or a close, begins. Without subscribers it is over at once. Any
 * number of tasks and threads may send, and receive, also from one subscriber: each of its messages
 * goes to one of them then. Who waits is served first come, first served. */
#ifndef CO4_BROADCAST_H
#define CO4_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"

/* Forms as in mailbox.h: the bare name pauses; try_ never waits; _block blocks a thread,
 * CO4_EDEADLK inside a task; _until gives up at a deadline, CO4_ETIMEDOUT. Codes of all: CO4_EINVAL
 * for NULL; of those that pause CO4_ECANCELED when the task is cancelled, CO4_ESTATE inside a
 * generator, CO4_ENOMEM for a timer. On any error nothing has been sent or taken.
 * */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_broadcast co4_broadcast;
typedef struct co4_subscriber co4_subscriber;

/* For messages of elem_size bytes; the caller owns it. NULL when out of memory, or elem_size is
 * 0. */
CO4_MUST_USE co4_broadcast *co4_broadcast_create(size_t elem_size);
/* CO4_EBUSY, and nothing is freed, while it has subscribers or someone waits to send. NULL is
 * CO4_OK. */
int co4_broadcast_destroy(co4_broadcast *broadcast);
/* No more sends: CO4_ECLOSED, also for who waits. Subscribers take what is left, then are
 * CO4_ECLOSED. CO4_OK, CO4_EINVAL. Any thread; never pauses. */
int co4_broadcast_close(co4_broadcast *broadcast);
/* How many there are, at some moment during the call. */
size_t co4_broadcast_subscribers(co4_broadcast *broadcast);

/* ---- who sends ---- */

/* Copies elem_size bytes from `msg` to each subscriber. Waits while one of those with
 * CO4_BROADCAST_WAIT is full; `msg` must stay as it is until then. CO4_OK; CO4_ECLOSED; CO4_ENOMEM
 * when a queue cannot grow. */
pausable int co4_broadcast_send_sized(co4_broadcast *broadcast, const void *msg, size_t size);
pausable int co4_broadcast_send_until_sized(co4_broadcast *broadcast, const void *msg, size_t size,
                                            int64_t deadline);
CO4_MUST_USE int co4_broadcast_try_send_sized(co4_broadcast *broadcast, const void *msg,
                                              size_t size);
int co4_broadcast_send_block_sized(co4_broadcast *broadcast, const void *msg, size_t size);
int co4_broadcast_send_block_until_sized(co4_broadcast *broadcast, const void *msg, size_t size,
                                         int64_t deadline);
#define co4_broadcast_send(broadcast, ...)                                                         \
    co4_broadcast_send_sized((broadcast), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_broadcast_send_until(broadcast, msg, deadline)                                         \
    co4_broadcast_send_until_sized((broadcast), (msg), CO4_SIZE_OF(msg), (deadline))
#define co4_broadcast_try_send(broadcast, ...)                                                     \
    co4_broadcast_try_send_sized((broadcast), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_broadcast_send_block(broadcast, ...)                                                   \
    co4_broadcast_send_block_sized((broadcast), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_broadcast_send_block_until(broadcast, msg, deadline)                                   \
    co4_broadcast_send_block_until_sized((broadcast), (msg), CO4_SIZE_OF(msg), (deadline))

/* A send as a source (source.h): chosen when it has taken place, or cannot. `sending` is the
 * caller's memory; it and *msg stay as they are until the wait is over. NULL when an argument
 * is. */
typedef struct co4_broadcasting {
    co4_source source;
    co4_broadcast *broadcast;
    const void *message;
} co4_broadcasting;
co4_source *co4_broadcast_sending_sized(co4_broadcasting *sending, co4_broadcast *broadcast,
                                        const void *msg, size_t size);
#define co4_broadcast_sending(sending, broadcast, ...)                                             \
    co4_broadcast_sending_sized((sending), (broadcast), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* ---- who receives ---- */

enum { CO4_BROADCAST_WAIT, CO4_BROADCAST_DROP_OLDEST };

/* From now on it gets every message; it holds up to `capacity`. The caller owns it. In a broadcast
 * that is closed it gets nothing, and is CO4_ECLOSED. NULL when out of memory, for a capacity of 0
 * and other policies. Any thread. */
CO4_MUST_USE co4_subscriber *co4_broadcast_subscribe(co4_broadcast *broadcast, size_t capacity,
                                                     int policy);
/* Unsubscribes, and frees it with what is left in it; who waited only for its place may send.
 * CO4_EBUSY, and nothing happens, while someone waits at it. NULL is CO4_OK. */
int co4_subscriber_destroy(co4_subscriber *subscriber);

/* Copies its oldest message to `out` (NULL: not). Waits while it has none. CO4_OK; CO4_ECLOSED
 * after the last one. */
pausable int co4_subscriber_receive_sized(co4_subscriber *subscriber, void *out, size_t size);
pausable int co4_subscriber_receive_until_sized(co4_subscriber *subscriber, void *out, size_t size,
                                                int64_t deadline);
CO4_MUST_USE int co4_subscriber_try_receive_sized(co4_subscriber *subscriber, void *out,
                                                  size_t size);
int co4_subscriber_receive_block_sized(co4_subscriber *subscriber, void *out, size_t size);
int co4_subscriber_receive_block_until_sized(co4_subscriber *subscriber, void *out, size_t size,
                                             int64_t deadline);
#define co4_subscriber_receive(subscriber, out)                                                    \
    co4_subscriber_receive_sized((subscriber), (out), CO4_SIZE_OF(out))
#define co4_subscriber_receive_until(subscriber, out, deadline)                                    \
    co4_subscriber_receive_until_sized((subscriber), (out), CO4_SIZE_OF(out), (deadline))
#define co4_subscriber_try_receive(subscriber, out)                                                \
    co4_subscriber_try_receive_sized((subscriber), (out), CO4_SIZE_OF(out))
#define co4_subscriber_receive_block(subscriber, out)                                              \
    co4_subscriber_receive_block_sized((subscriber), (out), CO4_SIZE_OF(out))
#define co4_subscriber_receive_block_until(subscriber, out, deadline)                              \
    co4_subscriber_receive_block_until_sized((subscriber), (out), CO4_SIZE_OF(out), (deadline))
/* Its messages as a source. NULL for NULL. */
co4_source *co4_subscriber_source(co4_subscriber *subscriber);

/* Messages that it holds; messages that it has lost. 0 for NULL. */
size_t co4_subscriber_len(co4_subscriber *subscriber);
unsigned long long co4_subscriber_dropped(co4_subscriber *subscriber);

#ifdef __cplusplus
}
#endif

#endif
