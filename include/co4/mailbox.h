/* co4/mailbox.h - bounded queues of messages between tasks and threads.
 *
 * A mailbox holds up to `capacity` elements of `elem_size` bytes, copied in and out. Any number of
 * tasks and threads may put and get at once. Messages of one producer arrive in the order in which
 * it put them. A receiver that waits already is handed the message directly; so is the place of a
 * sender that waits.
 *
 * Four forms, told apart by name:
 *
 *     co4_mailbox_get         pauses the task         (Kilim: get / put)
 *     co4_mailbox_try_get     never waits             (Kilim: getnb / putnb)
 *     co4_mailbox_get_block   blocks the thread       (Kilim: getb / putb); CO4_EDEADLK inside a task
 *     co4_mailbox_get_until   pauses, up to a deadline; _block_until for threads
 *
 * On any error of a put the message is still the caller's; on any error of a get `out` is
 * untouched.
 *
 * Closing. After co4_mailbox_close() a put is CO4_ECLOSED; a get takes what is left, then is
 * CO4_ECLOSED. Everyone who waits is told.
 *
 * Memory: a mailbox starts with none for messages and doubles up to its capacity as they pile
 * up, which is why a put can be CO4_ENOMEM; co4_mailbox_reserve() rules that out. */
#ifndef CO4_MAILBOX_H
#define CO4_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "source.h"

typedef struct co4_mailbox co4_mailbox;

/* The bound to use when there is no reason for another (Kilim's). */
#define CO4_MAILBOX_CAPACITY 300

/* A mailbox that the caller owns. NULL when out of memory, and when elem_size or capacity is zero
 * or beyond 2^31: co4_mailbox_make() tells which. Pair with co4_mailbox_destroy(). */
co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity);

/* The same with a code: CO4_OK and *mb set, or CO4_EINVAL, CO4_ENOMEM and *mb NULL. */
int co4_mailbox_make(co4_mailbox **mb, size_t elem_size, size_t capacity);

/* Frees it with the messages left in it. CO4_EBUSY, and nothing is freed, while someone waits in
 * it: close it first. Nobody may use it any more. NULL is CO4_OK. */
int co4_mailbox_destroy(co4_mailbox *mb);

/* Gets memory for `count` messages now (at most the capacity): puts within it cannot be
 * CO4_ENOMEM. CO4_OK or CO4_ENOMEM. */
int co4_mailbox_reserve(co4_mailbox *mb, size_t count);

/* Put: copies elem_size bytes from `msg`. Pauses while the mailbox is full; `msg` must stay as it
 * is until then (a local of the pausing function does). CO4_OK, CO4_ECLOSED, CO4_ENOMEM,
 * CO4_ESTATE inside a generator. */
pausable int co4_mailbox_put(co4_mailbox *mb, const void *msg);
int co4_mailbox_try_put(co4_mailbox *mb, const void *msg);   /* CO4_EFULL */
int co4_mailbox_put_block(co4_mailbox *mb, const void *msg); /* CO4_EDEADLK */
pausable int co4_mailbox_put_until(co4_mailbox *mb, const void *msg,
                                   int64_t deadline); /* CO4_ETIMEDOUT */
int co4_mailbox_put_block_until(co4_mailbox *mb, const void *msg, int64_t deadline);

/* Get: copies elem_size bytes to `out`. Pauses while the mailbox is empty. CO4_OK, CO4_ECLOSED,
 * CO4_ESTATE inside a generator; with a deadline also CO4_ENOMEM, for the timer. */
pausable int co4_mailbox_get(co4_mailbox *mb, void *out);
int co4_mailbox_try_get(co4_mailbox *mb, void *out);   /* CO4_EEMPTY */
int co4_mailbox_get_block(co4_mailbox *mb, void *out); /* CO4_EDEADLK */
pausable int co4_mailbox_get_until(co4_mailbox *mb, void *out,
                                   int64_t deadline); /* CO4_ETIMEDOUT */
int co4_mailbox_get_block_until(co4_mailbox *mb, void *out, int64_t deadline);

/* Its messages as a source (source.h): the value is a message, the code CO4_ECLOSED after the last one. NULL for NULL. */
co4_source *co4_mailbox_source(co4_mailbox *mb);

/* A put as a source: chosen when *msg has been put, code CO4_OK, or cannot be, CO4_ECLOSED, CO4_ENOMEM. `putting` is the
 * caller's memory; it and *msg stay as they are until the wait is over. NULL when an argument is. */
typedef struct co4_putting {
    co4_source source;
    co4_mailbox *mailbox;
    const void *message;
} co4_putting;
co4_source *co4_mailbox_putting(co4_putting *putting, co4_mailbox *mb, const void *msg);

/* No more puts; wakes all who wait. CO4_OK, also when closed before. Any thread, never pauses. */
int co4_mailbox_close(co4_mailbox *mb);

/* Messages in it at some moment during the call; its bound; whether it was closed. */
size_t co4_mailbox_len(co4_mailbox *mb);
size_t co4_mailbox_capacity(const co4_mailbox *mb);
int co4_mailbox_is_closed(co4_mailbox *mb);

#endif
