/* co4/mailbox.h - bounded queues of messages between tasks and threads.
 *
 * A mailbox holds up to `capacity` elements of `elem_size` bytes, copied in and out. Any number of
 * tasks and threads may send and receive at once. Messages of one producer arrive in the order in
 * which it sent them. A receiver that waits already is handed the message directly.
 *
 *     co4_mailbox_create(size, n)               bounded: a send waits while n messages are in it
 *     co4_mailbox_create(size, 1)               a cell: one message at a time
 *     co4_mailbox_create(size, 0)               rendezvous: a send ends when it is received
 *     co4_mailbox_create(size, CO4_UNBOUNDED)   a send never waits, and may be CO4_ENOMEM
 *
 * Four forms, told apart by name:
 *
 *     co4_mailbox_receive         pauses the task
 *     co4_mailbox_try_receive     never waits
 *     co4_mailbox_receive_block   blocks the thread; CO4_EDEADLK in a task
 *     co4_mailbox_receive_until   pauses, up to a deadline; _block_until for threads
 *
 * A blocking form that nothing can end is CO4_EDEADLK as well: co4_deadlock_detect().
 *
 * On any error of a send the message is still the caller's; on any error of a receive `out` is
 * untouched. */
#ifndef CO4_MAILBOX_H
#define CO4_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "ring.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Closing. After co4_mailbox_close() a send is CO4_ECLOSED; a receive takes what is left, then is
 * CO4_ECLOSED. Every waiter is woken.
 *
 * Memory: a mailbox starts with none for messages and doubles up to its capacity as they pile
 * up, which is why a send can be CO4_ENOMEM; co4_mailbox_reserve() rules that out. */

typedef struct co4_mailbox co4_mailbox;

/* The bound to use when there is no reason for another. */
#define CO4_MAILBOX_CAPACITY 300

#define CO4_UNBOUNDED SIZE_MAX

/* A mailbox that the caller owns. NULL when out of memory, and when elem_size is zero or a
 * number is beyond 2^31: co4_mailbox_make() tells which. Pair with co4_mailbox_destroy(). */
CO4_MUST_USE co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity);

/* The same with a code: CO4_OK and *mb set, or CO4_EINVAL, CO4_ENOMEM and *mb NULL. */
int co4_mailbox_make(co4_mailbox **mb, size_t elem_size, size_t capacity);

/* Frees it with the messages left in it. CO4_EBUSY, and nothing is freed, while a task or thread
 * waits in it: close it first, which ends the waits. One below a map or a filter (combine.h) may
 * still have to look then: try again. None may use it any more. A send whose message another has
 * received does not use it, nor does a wait that has been ended or served, although the call has
 * not returned yet. So the receiver of the last message may destroy it. NULL is CO4_OK. */
int co4_mailbox_destroy(co4_mailbox *mb);

/* Gets memory for `count` messages now (at most the capacity): sends within it cannot be
 * CO4_ENOMEM, unless it is given back by shrink. CO4_OK, CO4_ENOMEM, CO4_EINVAL. */
CO4_MUST_USE int co4_mailbox_reserve(co4_mailbox *mb, size_t count);

/* Copies elem_size bytes from `msg`. Pauses while the mailbox is full; `msg` must stay as it
 * is until then (a local of the pausing function does). CO4_OK; CO4_ECLOSED; CO4_ENOMEM;
 * CO4_EINVAL for messages of another size; CO4_ESTATE inside a generator. try_: CO4_EFULL instead
 * of a wait; _block: CO4_EDEADLK in a task; _until: CO4_ETIMEDOUT. */
pausable int co4_mailbox_send_sized(co4_mailbox *mb, const void *msg, size_t size);
CO4_MUST_USE int co4_mailbox_try_send_sized(co4_mailbox *mb, const void *msg,
                                            size_t size); /* CO4_EFULL */
int co4_mailbox_send_block_sized(co4_mailbox *mb, const void *msg, size_t size);
pausable int co4_mailbox_send_until_sized(co4_mailbox *mb, const void *msg, size_t size,
                                          int64_t deadline); /* CO4_ETIMEDOUT */
int co4_mailbox_send_block_until_sized(co4_mailbox *mb, const void *msg, size_t size,
                                       int64_t deadline);
#define co4_mailbox_send(mb, ...)                                                                  \
    co4_mailbox_send_sized((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_try_send(mb, ...)                                                              \
    co4_mailbox_try_send_sized((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_send_block(mb, ...)                                                            \
    co4_mailbox_send_block_sized((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_send_until(mb, msg, deadline)                                                  \
    co4_mailbox_send_until_sized((mb), (msg), CO4_SIZE_OF(msg), (deadline))
#define co4_mailbox_send_block_until(mb, msg, deadline)                                            \
    co4_mailbox_send_block_until_sized((mb), (msg), CO4_SIZE_OF(msg), (deadline))

/* Copies elem_size bytes to `out`. Pauses while the mailbox is empty. CO4_OK; CO4_ECLOSED;
 * CO4_EINVAL for messages of another size; CO4_ESTATE inside a generator; with a deadline also
 * CO4_ENOMEM, for the timer. try_: CO4_EEMPTY instead of a wait; _block: CO4_EDEADLK in a task;
 * _until: CO4_ETIMEDOUT. */
pausable int co4_mailbox_receive_sized(co4_mailbox *mb, void *out, size_t size);
CO4_MUST_USE int co4_mailbox_try_receive_sized(co4_mailbox *mb, void *out,
                                               size_t size); /* CO4_EEMPTY */
int co4_mailbox_receive_block_sized(co4_mailbox *mb, void *out, size_t size);
pausable int co4_mailbox_receive_until_sized(co4_mailbox *mb, void *out, size_t size,
                                             int64_t deadline); /* CO4_ETIMEDOUT */
int co4_mailbox_receive_block_until_sized(co4_mailbox *mb, void *out, size_t size,
                                          int64_t deadline);
#define co4_mailbox_receive(mb, out) co4_mailbox_receive_sized((mb), (out), CO4_SIZE_OF(out))
#define co4_mailbox_try_receive(mb, out)                                                           \
    co4_mailbox_try_receive_sized((mb), (out), CO4_SIZE_OF(out))
#define co4_mailbox_receive_block(mb, out)                                                         \
    co4_mailbox_receive_block_sized((mb), (out), CO4_SIZE_OF(out))
#define co4_mailbox_receive_until(mb, out, deadline)                                               \
    co4_mailbox_receive_until_sized((mb), (out), CO4_SIZE_OF(out), (deadline))
#define co4_mailbox_receive_block_until(mb, out, deadline)                                         \
    co4_mailbox_receive_block_until_sized((mb), (out), CO4_SIZE_OF(out), (deadline))

/* Its messages as a source (source.h): the value is a message, the code CO4_ECLOSED after the last
 * one. NULL for NULL. */
co4_source *co4_mailbox_source(co4_mailbox *mb);

/* A send as a source: chosen when *msg has been sent, code CO4_OK, or cannot be, CO4_ECLOSED,
 * CO4_ENOMEM. `sending` is the caller's memory; it and *msg stay as they are until the wait is
 * over. NULL when an argument is. */
typedef struct co4_sending {
    co4_source source;
    co4_mailbox *mailbox;
    const void *message;
} co4_sending;
co4_source *co4_mailbox_sending_sized(co4_sending *sending, co4_mailbox *mb, const void *msg,
                                      size_t size);
#define co4_mailbox_sending(sending, mb, ...)                                                      \
    co4_mailbox_sending_sized((sending), (mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* ---- urgent messages ---- */

/* As send, but before all that are not urgent, in the mailbox and of those that wait to send; among
 * themselves first come, first served. CO4_EINVAL for a rendezvous, CO4_ENOMEM also for
 * what a mailbox needs to know of them and for the second and further ones in it, which
 * co4_mailbox_reserve() does not get memory for. */
pausable int co4_mailbox_send_urgent_sized(co4_mailbox *mb, const void *msg, size_t size);
pausable int co4_mailbox_send_urgent_until_sized(co4_mailbox *mb, const void *msg, size_t size,
                                                 int64_t deadline);
CO4_MUST_USE int co4_mailbox_try_send_urgent_sized(co4_mailbox *mb, const void *msg,
                                                   size_t size); /* CO4_EFULL */
int co4_mailbox_send_urgent_block_sized(co4_mailbox *mb, const void *msg,
                                        size_t size); /* CO4_EDEADLK */
int co4_mailbox_send_urgent_block_until_sized(co4_mailbox *mb, const void *msg, size_t size,
                                              int64_t deadline);
#define co4_mailbox_send_urgent(mb, ...)                                                           \
    co4_mailbox_send_urgent_sized((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_send_urgent_until(mb, msg, deadline)                                           \
    co4_mailbox_send_urgent_until_sized((mb), (msg), CO4_SIZE_OF(msg), (deadline))
#define co4_mailbox_try_send_urgent(mb, ...)                                                       \
    co4_mailbox_try_send_urgent_sized((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_send_urgent_block(mb, ...)                                                     \
    co4_mailbox_send_urgent_block_sized((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_send_urgent_block_until(mb, msg, deadline)                                     \
    co4_mailbox_send_urgent_block_until_sized((mb), (msg), CO4_SIZE_OF(msg), (deadline))
/* As a source. NULL also when out of memory. */
co4_source *co4_mailbox_sending_urgent_sized(co4_sending *sending, co4_mailbox *mb, const void *msg,
                                             size_t size);
#define co4_mailbox_sending_urgent(sending, mb, ...)                                               \
    co4_mailbox_sending_urgent_sized((sending), (mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* ---- several messages ---- */

/* Waits for a message like receive, then takes up to `max` at once to `out`, which has room for so
 * many; *got: how many. */
pausable int co4_mailbox_receive_many_sized(co4_mailbox *mb, void *out, size_t size, size_t max,
                                            size_t *got);
#define co4_mailbox_receive_many(mb, out, max, got)                                                \
    co4_mailbox_receive_many_sized((mb), (out), CO4_SIZE_OF(out), (max), (got))
/* Those that are there. CO4_EEMPTY, CO4_ECLOSED: none, *got is 0. */
int co4_mailbox_try_receive_many_sized(co4_mailbox *mb, void *out, size_t size, size_t max,
                                       size_t *got);
#define co4_mailbox_try_receive_many(mb, out, max, got)                                            \
    co4_mailbox_try_receive_many_sized((mb), (out), CO4_SIZE_OF(out), (max), (got))

/* Waits until n messages are in the mailbox; takes none. CO4_OK; CO4_ECLOSED when there are less,
 * and no more can come; CO4_EINVAL beyond the capacity; CO4_ENOMEM; CO4_EFULL when
 * CO4_MAILBOX_WATCHES wait for it already. Messages that are handed to waiting receivers are never
 * in the mailbox. */
pausable int co4_mailbox_wait(co4_mailbox *mb, size_t n);
pausable int co4_mailbox_wait_until(co4_mailbox *mb, size_t n, int64_t deadline);
int co4_mailbox_wait_block_until(co4_mailbox *mb, size_t n, int64_t deadline);
/* As a source; `holding` is the caller's memory. NULL also when out of memory. */
typedef struct co4_holding {
    co4_source source;
    co4_mailbox *mailbox;
    size_t n;
} co4_holding;
co4_source *co4_mailbox_holding(co4_holding *holding, co4_mailbox *mb, size_t n);

/* Copies the oldest message, and leaves it there. CO4_OK; CO4_EEMPTY; CO4_ECLOSED. Any thread;
 * never waits, as all below. */
int co4_mailbox_peek_sized(co4_mailbox *mb, void *out, size_t size);
#define co4_mailbox_peek(mb, out) co4_mailbox_peek_sized((mb), (out), CO4_SIZE_OF(out))

/* Takes the oldest message out that wanted(arg, msg) is not 0 for, and copies it to *out (NULL:
 * not). `wanted` is called with a copy of each message, with no lock held; it may use the mailbox,
 * but must not jump out. If another thread takes the message that it wants before it has said so,
 * the next ones are asked about. CO4_OK; CO4_EEMPTY: there is none; CO4_ECLOSED: there is no
 * message at all, nor will be; CO4_ENOMEM; CO4_EINVAL. */
int co4_mailbox_remove_sized(co4_mailbox *mb, int (*wanted)(void *arg, const void *msg), void *arg,
                             void *out, size_t size);
#define co4_mailbox_remove(mb, wanted, arg, out)                                                   \
    co4_mailbox_remove_sized((mb), (wanted), (arg), (out), CO4_SIZE_OF(out))

/* Takes out all messages that are there, and throws them away, or pushes them into the ring, oldest
 * first, if that is not NULL. Those that wait to send come in then. CO4_OK, also for none;
 * CO4_ENOMEM, CO4_EFULL: the ring has no room for all, nothing was taken; CO4_EINVAL: its elements
 * are of another size. */
int co4_mailbox_drain(co4_mailbox *mb, co4_ring *into);

/* Another bound: lets in those that wait for room. CO4_OK; CO4_EBUSY: more messages are in it;
 * CO4_EINVAL, also for a rendezvous, which stays one. */
int co4_mailbox_set_capacity(co4_mailbox *mb, size_t capacity);
/* Gives back memory that its messages do not need; those that are sent meanwhile may get memory
 * again. CO4_OK; CO4_ENOMEM: there is none to move them to. */
int co4_mailbox_shrink(co4_mailbox *mb);

/* ---- subscribers ---- */

enum {
    CO4_MAILBOX_MESSAGE =
        1, /* a message has come to be got: not one that went to a waiting receiver */
    CO4_MAILBOX_SPACE = 2, /* it was full, and a place has become free that nobody waited for */
    CO4_MAILBOX_CLOSED = 4,
    CO4_MAILBOX_HIGH = 8 /* it has reached `high` messages */
};

/* What is called when one of `events` has happened, on the thread where it has, without a lock;
 * events that come while calls are on their way are told in one. Calls for one mailbox come one at
 * a time. It may use the mailbox, but neither wait nor destroy it. */
typedef struct co4_mailbox_watch {
    int events;
    size_t high;
    void (*call)(void *arg, co4_mailbox *mb, int events);
    void *arg;
    struct {
        struct co4_mailbox_watch *next;
        int pending;
    } co4_private;
} co4_mailbox_watch;

/* So many watches a mailbox may have, and so many may wait at once for a number of messages: each
 * message that comes is held against all of them. For more subscribers, see broadcast.h. */
#define CO4_MAILBOX_WATCHES 64

/* The watch is the caller's memory, and stays until it is unsubscribed; so does the mailbox, whose
 * destroy is CO4_EBUSY. What has happened before is not told: look once after subscribing. CO4_OK;
 * CO4_ENOMEM; CO4_EFULL; CO4_ESTATE when it is subscribed here; CO4_EINVAL. */
int co4_mailbox_subscribe(co4_mailbox *mb, co4_mailbox_watch *watch);
/* Waits for a call that is under way on another thread: none comes afterwards. May be called from
 * the call itself. CO4_OK; CO4_ESTATE: it is not subscribed here; CO4_EINVAL. */
int co4_mailbox_unsubscribe(co4_mailbox *mb, co4_mailbox_watch *watch);

/* ---- the end, and what it is like ---- */

/* No more sends; wakes all waiters. CO4_OK, also when closed before. Any thread, never pauses. */
int co4_mailbox_close(co4_mailbox *mb);

/* Messages in it at some moment during the call; its bound; whether it was closed. */
size_t co4_mailbox_len(co4_mailbox *mb);
size_t co4_mailbox_capacity(const co4_mailbox *mb);
int co4_mailbox_is_closed(co4_mailbox *mb);

#ifdef __cplusplus
}
#endif

#endif
