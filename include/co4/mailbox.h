/* co4/mailbox.h - bounded queues of messages between tasks and threads.
 *
 * A mailbox holds up to `capacity` elements of `elem_size` bytes, copied in and out. Any number of
 * tasks and threads may send and receive at once. Messages of one producer arrive in the order in
 * which it sent them. A receiver that waits already gets the message directly.
 *
 *     co4_mailbox_create(size, n)               bounded: a send waits while n messages are in it
 *     co4_mailbox_create(size, 1)               a cell: one message at a time
 *     co4_mailbox_create(size, 0)               rendezvous: a send ends when it is received
 *     co4_mailbox_create(size, CO4_UNBOUNDED)   a send never waits, and may be CO4_ENOMEM
 *
 * Each call that waits has two forms, as all over co4: co4_mailbox_receive(mb, &m) waits as long as
 * it takes, co4_mailbox_receive_until(mb, &m, deadline) to the deadline at most, and never if that
 * is CO4_NOW. A task pauses in them. Other code blocks its thread, and says so: co4_block(call).
 * Such a wait that nothing can end is CO4_EDEADLK: co4_deadlock_detect().
 *
 * On any error of a send the message is still the caller's; on any error of a receive `out` is
 * untouched. */
#ifndef CO4_MAILBOX_H
#define CO4_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Closing. After co4_mailbox_close() a send is CO4_ECLOSED. A receive takes the remaining messages,
 * and is CO4_ECLOSED then.
 *
 * Memory. A mailbox begins without memory for messages, and doubles it up to the capacity as
 * messages arrive. So a send can be CO4_ENOMEM; co4_mailbox_reserve() rules that out. */

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any number of tasks and threads may call it at the same time.
 * Ownership: the mailbox stays its owner's; no pointer is kept after the call.
 * Since: 0.1. */

typedef struct co4_mailbox co4_mailbox;

/* A capacity for programs that need no particular one. */
#define CO4_MAILBOX_CAPACITY 300

/* The capacity of a mailbox in which a send never waits. */
#define CO4_UNBOUNDED SIZE_MAX

/* Creates a mailbox for messages of `elem_size` bytes.
 *
 * Returns: the mailbox; NULL without memory, when elem_size is 0, or one of the sizes 2^31 or more.
 * Ownership: the caller owns the mailbox; co4_mailbox_destroy() ends that. */
CO4_MUST_USE co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity);

/* Frees the mailbox and the messages in it. NULL does nothing.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing is freed, while a task or thread waits in it. Closing it
 *     ends these waits. A wait below a map or a filter (combine.h) may end a little later: try
 *     again.
 * Thread safety: no other call may begin from now on. A send whose message was received, and a wait
 *     that was served or ended, do not use the mailbox any more, even before they return. So the
 *     receiver of the last message may destroy it.
 * Ownership: ends the caller's. */
int co4_mailbox_destroy(co4_mailbox *mb);

/* Allocates memory for `count` messages, at most the capacity. Sends within it are not CO4_ENOMEM.
 *
 * Returns: CO4_OK, CO4_ENOMEM; CO4_EINVAL for NULL and for more than the capacity. */
CO4_MUST_USE int co4_mailbox_reserve(co4_mailbox *mb, size_t count);

/* Sends a copy of *msg.
 *
 * Returns: CO4_OK. CO4_ECLOSED; CO4_ENOMEM; CO4_EINVAL for NULL and for another size than that of
 *     the mailbox's messages; CO4_ESTATE inside a generator. CO4_NOW: CO4_EFULL instead of a wait.
 *     _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the timer. co4_block: CO4_EDEADLK inside a task,
 *     and when nothing could end the wait; CO4_EAGAIN without means for the thread to wait.
 * Pauses: while the mailbox is full; of a rendezvous, until the message is received.
 * Blocks: in a co4_block(), the thread, likewise.
 * Cancellation: CO4_ECANCELED, and the message is not sent.
 * Ownership: *msg stays the caller's, and must not change until the call returns. */
pausable_or_block int co4_mailbox_send(co4_mailbox *mb, const void *msg, size_t size);
pausable_or_block int co4_mailbox_send_until(co4_mailbox *mb, const void *msg, size_t size,
                                             int64_t deadline);
#define co4_mailbox_send(mb, ...) co4_mailbox_send((mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_mailbox_send_until(mb, msg, deadline)                                                  \
    co4_mailbox_send_until((mb), (msg), CO4_SIZE_OF(msg), (deadline))

/* Receives the oldest message into *out.
 *
 * Returns: CO4_OK. CO4_ECLOSED when the mailbox is closed and empty; CO4_EINVAL for NULL and for
 *     another size than that of the mailbox's messages; CO4_ESTATE inside a generator. CO4_NOW:
 *     CO4_EEMPTY instead of a wait. _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the timer. co4_block:
 *     as for a send. After an error *out is as it was.
 * Pauses: while the mailbox is empty.
 * Blocks: in a co4_block(), the thread, likewise.
 * Cancellation: CO4_ECANCELED, and no message is lost.
 * Ownership: *out stays the caller's. */
pausable_or_block int co4_mailbox_receive(co4_mailbox *mb, void *out, size_t size);
pausable_or_block int co4_mailbox_receive_until(co4_mailbox *mb, void *out, size_t size,
                                                int64_t deadline);
#define co4_mailbox_receive(mb, out) co4_mailbox_receive((mb), (out), CO4_SIZE_OF(out))
#define co4_mailbox_receive_until(mb, out, deadline)                                               \
    co4_mailbox_receive_until((mb), (out), CO4_SIZE_OF(out), (deadline))

/* The messages as a source (source.h).
 *
 * Returns: a source whose values are messages, and whose code is CO4_ECLOSED after the last one.
 *     NULL for NULL.
 * Ownership: the source is part of the mailbox. */
co4_source *co4_mailbox_source(co4_mailbox *mb);

/* A send as a source: it is chosen when *msg is sent, or cannot be.
 *
 * Returns: a source without a value, whose code is CO4_OK, CO4_ECLOSED, CO4_ENOMEM; waits for it
 *     are CO4_EINVAL when the message is of another size. NULL when an argument is NULL.
 * Ownership: *sending and *msg are the caller's, and stay as they are until the wait is over. */
typedef struct co4_sending {
    co4_source source;
    co4_mailbox *mailbox;
    const void *message;
} co4_sending;
co4_source *co4_mailbox_sending(co4_sending *sending, co4_mailbox *mb, const void *msg,
                                size_t size);
#define co4_mailbox_sending(sending, mb, ...)                                                      \
    co4_mailbox_sending((sending), (mb), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* ---- several messages ---- */

/* Receives up to `max` messages at once into the array `out`; *got is their number.
 *
 * Returns: CO4_OK for one or more; else as for a receive, and *got is 0. CO4_EINVAL for a `max` of
 *     0.
 * Pauses: until there is one.
 * Cancellation: CO4_ECANCELED, and no message is lost.
 * Ownership: the array and *got stay the caller's. */
pausable_or_block int co4_mailbox_receive_many(co4_mailbox *mb, void *out, size_t size, size_t max,
                                               size_t *got);
pausable_or_block int co4_mailbox_receive_many_until(co4_mailbox *mb, void *out, size_t size,
                                                     size_t max, size_t *got, int64_t deadline);
#define co4_mailbox_receive_many(mb, out, max, got)                                                \
    co4_mailbox_receive_many((mb), (out), CO4_SIZE_OF(out), (max), (got))
#define co4_mailbox_receive_many_until(mb, out, max, got, deadline)                                \
    co4_mailbox_receive_many_until((mb), (out), CO4_SIZE_OF(out), (max), (got), (deadline))

/* ---- closing, and properties ---- */

/* Closes the mailbox: sends are CO4_ECLOSED from now on, receives take the remaining messages.
 * Wakes all waiters.
 *
 * Returns: CO4_OK, also when it is closed already; CO4_EINVAL for NULL. */
int co4_mailbox_close(co4_mailbox *mb);

/* How many messages are in it at some moment during the call; its capacity; whether it is closed.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_mailbox_len(co4_mailbox *mb);
size_t co4_mailbox_capacity(const co4_mailbox *mb);
int co4_mailbox_is_closed(co4_mailbox *mb);

#ifdef __cplusplus
}
#endif

#endif
