/* co4/inbox.h - a mailbox that can be looked into.
 *
 * An inbox holds up to `capacity` messages of one size, as a mailbox does (mailbox.h), for any
 * number of tasks and threads. In addition:
 *
 * - co4_inbox_send_urgent: a message that comes before those that are not urgent
 * - co4_inbox_wait: waits for a number of messages, and takes none
 * - co4_inbox_peek, co4_inbox_remove: looks at the oldest message; takes one out of order
 * - co4_inbox_drain: takes all messages at once
 * - co4_inbox_set_capacity: another bound
 *
 * A mailbox is much faster. An inbox has one lock, which a thread keeps while it looks for a
 * message or allocates memory; other threads sleep meanwhile.
 *
 * Each wait is also a source (source.h):
 *
 *     co4_inbox_wait_at at;
 *     int err = co4_await_until(co4_inbox_sending(&at, in, &msg), NULL, CO4_NOW);
 *
 * A program that wants to be notified of changes adds a listener of its own to such a source: to
 * co4_inbox_holding() for messages, to co4_inbox_having_room() for room. */
#ifndef CO4_INBOX_H
#define CO4_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include "mailbox.h"
#include "mark.h"
#include "ring.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, and for messages of another size. Of those that pause:
 *     CO4_ESTATE inside a generator. _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the timer. After an
 *     error nothing was sent or received.
 * Blocks: the thread, while another one uses the inbox.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any number of tasks and threads may call it at the same time.
 * Ownership: the inbox stays its owner's; no pointer is kept after the call.
 * Since: 0.1. */

typedef struct co4_inbox co4_inbox;

/* Creates an inbox for messages of `elem_size` bytes; `capacity` may be CO4_UNBOUNDED.
 *
 * Returns: the inbox; NULL when out of memory, and when a size is 0 or too large.
 * Ownership: the caller owns the inbox; co4_inbox_destroy() ends that. */
CO4_MUST_USE co4_inbox *co4_inbox_create(size_t elem_size, size_t capacity);

/* Frees the inbox and the messages in it. NULL does nothing.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing is freed, while a task or thread waits in it.
 * Thread safety: no other call may begin from now on. A wait that was served or ended does not use
 *     the inbox any more, even before it returns.
 * Ownership: ends the caller's. */
int co4_inbox_destroy(co4_inbox *inbox);

/* Closes it: sends are CO4_ECLOSED, also those that wait. Receives take the remaining messages, and
 * are CO4_ECLOSED then. */
int co4_inbox_close(co4_inbox *inbox);

/* How many messages are in it at some moment during the call; its capacity.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_inbox_len(co4_inbox *inbox);
size_t co4_inbox_capacity(co4_inbox *inbox);

/* ---- sources ---- */

/* The memory of a wait other than a receive. */
typedef struct co4_inbox_wait_at {
    co4_source source;
    co4_inbox *inbox;
    const void *message;
    size_t n;
    int co4_private;
} co4_inbox_wait_at;

/* The messages: the oldest urgent one, or else the oldest. Functions of maps and filters above it
 * run while the inbox is locked: they must not use it.
 *
 * Returns: a source whose code is CO4_ECLOSED after the last message; NULL for NULL.
 * Ownership: the source is part of the inbox. */
co4_source *co4_inbox_source(co4_inbox *inbox);

/* A send of *msg: chosen when it is sent, or cannot be (CO4_ECLOSED, CO4_ENOMEM).
 *
 * Returns: a source without a value; NULL for NULL, and for a message of another size.
 * Ownership: *at and *msg are the caller's, and stay as they are until the wait is over. */
co4_source *co4_inbox_sending(co4_inbox_wait_at *at, co4_inbox *inbox, const void *msg,
                              size_t size);
co4_source *co4_inbox_sending_urgent(co4_inbox_wait_at *at, co4_inbox *inbox, const void *msg,
                                     size_t size);
#define co4_inbox_sending(at, inbox, ...)                                                          \
    co4_inbox_sending((at), (inbox), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_inbox_sending_urgent(at, inbox, ...)                                                   \
    co4_inbox_sending_urgent((at), (inbox), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* At most so many of the two waits below can an inbox have, since each message is compared with all
 * of them; one more is CO4_EFULL. */
#define CO4_INBOX_WAITS 64

/* holding: chosen when n messages are in the inbox. having_room: when it has room for n more.
 * Messages that waiting receivers are handed are never in it. CO4_ECLOSED when it is closed before.
 *
 * Returns: a source without a value; NULL for NULL.
 * Ownership: *at is the caller's, and stays as it is until the wait is over. */
co4_source *co4_inbox_holding(co4_inbox_wait_at *at, co4_inbox *inbox, size_t n);
co4_source *co4_inbox_having_room(co4_inbox_wait_at *at, co4_inbox *inbox, size_t n);

/* ---- waits ---- */

/* Sends a copy of *msg. urgent: in front of all messages that are not urgent, also those of senders
 * that wait. Urgent messages arrive in the order in which they were sent.
 *
 * Returns: CO4_OK; CO4_ECLOSED; CO4_ENOMEM. Else as above.
 * Pauses: while the inbox is full. */
pausable_or_block int co4_inbox_send(co4_inbox *inbox, const void *msg, size_t size);
pausable_or_block int co4_inbox_send_until(co4_inbox *inbox, const void *msg, size_t size,
                                           int64_t deadline);
pausable_or_block int co4_inbox_send_urgent(co4_inbox *inbox, const void *msg, size_t size);
pausable_or_block int co4_inbox_send_urgent_until(co4_inbox *inbox, const void *msg, size_t size,
                                                  int64_t deadline);
#define co4_inbox_send(inbox, ...)                                                                 \
    co4_inbox_send((inbox), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_inbox_send_until(inbox, msg, deadline)                                                 \
    co4_inbox_send_until((inbox), (msg), CO4_SIZE_OF(msg), (deadline))
#define co4_inbox_send_urgent(inbox, ...)                                                          \
    co4_inbox_send_urgent((inbox), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_inbox_send_urgent_until(inbox, msg, deadline)                                          \
    co4_inbox_send_urgent_until((inbox), (msg), CO4_SIZE_OF(msg), (deadline))

/* Receives the oldest urgent message, or else the oldest, into *out.
 *
 * Returns: CO4_OK; CO4_ECLOSED when the inbox is closed and empty. Else as above; then *out is as
 *     it was.
 * Pauses: while the inbox is empty.
 * Ownership: *out stays the caller's. */
pausable_or_block int co4_inbox_receive(co4_inbox *inbox, void *out, size_t size);
pausable_or_block int co4_inbox_receive_until(co4_inbox *inbox, void *out, size_t size,
                                              int64_t deadline);
#define co4_inbox_receive(inbox, out) co4_inbox_receive((inbox), (out), CO4_SIZE_OF(out))
#define co4_inbox_receive_until(inbox, out, deadline)                                              \
    co4_inbox_receive_until((inbox), (out), CO4_SIZE_OF(out), (deadline))

/* Waits until n messages are in the inbox, and takes none.
 *
 * Returns: CO4_OK; CO4_ECLOSED when it is closed with fewer; CO4_EFULL when CO4_INBOX_WAITS wait
 *     so. Else as above.
 * Pauses: until there are n. */
pausable_or_block int co4_inbox_wait(co4_inbox *inbox, size_t n);
pausable_or_block int co4_inbox_wait_until(co4_inbox *inbox, size_t n, int64_t deadline);

/* ---- a look inside ---- */

/* Copies the message that would be received next to *out, and leaves it in the inbox.
 *
 * Returns: CO4_OK; CO4_EEMPTY; CO4_ECLOSED when it is closed and empty; CO4_EINVAL. */
int co4_inbox_peek(co4_inbox *inbox, void *out, size_t size);
#define co4_inbox_peek(inbox, out) co4_inbox_peek((inbox), (out), CO4_SIZE_OF(out))

/* Takes out the first message for which wanted(arg, msg) is not 0, urgent ones first, and copies it
 * to *out, unless that is NULL. `wanted` is called with a copy of each message, while the inbox is
 * not locked. It may use the inbox, but must not jump out of the call. If another thread takes the
 * wanted message meanwhile, the next ones are asked about.
 *
 * Returns: CO4_OK; CO4_EEMPTY when none is wanted; CO4_ECLOSED when there is none at all, nor will
 *     be; CO4_ENOMEM; CO4_EINVAL. */
int co4_inbox_remove(co4_inbox *inbox, int (*wanted)(void *arg, const void *msg), void *arg,
                     void *out, size_t size);
#define co4_inbox_remove(inbox, wanted, arg, out)                                                  \
    co4_inbox_remove((inbox), (wanted), (arg), (out), CO4_SIZE_OF(out))

/* Takes out all messages that are in it, and pushes them into the ring, oldest first. Without a
 * ring they are dropped. Senders that wait come in then.
 *
 * Returns: CO4_OK, also for no message. CO4_ENOMEM and CO4_EFULL, and nothing is taken, when the
 *     ring has no room for all; CO4_EINVAL for NULL and for a ring of another element size. */
int co4_inbox_drain(co4_inbox *inbox, co4_ring *into);

/* Sets another capacity, and lets in senders that wait for room. Frees memory beyond it.
 *
 * Returns: CO4_OK; CO4_EBUSY when more messages are in it; CO4_EINVAL for NULL and 0. */
int co4_inbox_set_capacity(co4_inbox *inbox, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
