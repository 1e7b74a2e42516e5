/* co4/stream.h - values that are pulled one by one, through stages.
 *
 *     co4_stream *s = co4_stream_of(sizeof(int), numbers(100));
 *     s = co4_stream_filter(s, is_prime, NULL);
 *     s = co4_stream_map(s, sizeof(struct entry), look_up, db);
 *     s = co4_stream_take(s, 10);
 *     while ((err = co4_stream_next(s, &entry)) == CO4_OK) …   CO4_ECLOSED: the end; else an error
 *     co4_stream_destroy(s);
 *
 * Nothing runs until a value is asked for, and then only as much as that value needs. A stream
 * begins with a generator, a channel or any other source, or a function of the program. The
 * functions of stages may pause. One task at a time uses a stream, and never one of its own
 * functions; inside a generator only those work that never wait.
 *
 * The end. next returns CO4_ECLOSED, from then on always. A stream may be closed early, also by
 * destroying it and by a full take. That stops its beginning: a generator is closed where it is; on
 * a channel all sends are CO4_ECLOSED from then on, so that the sending task knows. */
#ifndef CO4_STREAM_H
#define CO4_STREAM_H

#include <stddef.h>

#include "gen.h"
#include "mailbox.h"
#include "mark.h"
#include "ring.h"
#include "source.h"

/* Errors go through: co4_stream_next() returns the code with which a stage's function, a source or
 * a generator fails. The value on which a function has failed is lost; the stream has not ended,
 * and may be asked again. A function that returns CO4_ECLOSED ends it. */

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: the stream; NULL when out of memory, and when an argument is wrong, such as a stream
 *     that is NULL, or has CO4_NEST_MAX stages. So a pipeline is checked once, at its end.
 * Blocks: never.
 * Thread safety: one task at a time for each stream, and never one of its own functions.
 * Ownership: the caller owns the stream that was made last; it takes over the stream below, or the
 *     generator, also when the call fails. The object that `arg` points to stays the caller's.
 * Since: 0.1. */

typedef struct co4_stream co4_stream;

/* ---- beginnings ---- */

/* co4_stream_of(size, f(a)): the values that f yields (gen.h), of `size` bytes. */
#define co4_stream_of(size, call) co4_stream_of_gen(co4_generate(call), (size))

/* The values of a generator, of `size` bytes; values of another size are CO4_EINVAL. */
CO4_MUST_USE co4_stream *co4_stream_of_gen(co4_gen *gen, size_t size);

/* The messages of a mailbox. Closing the stream closes the mailbox.
 *
 * Ownership: the mailbox stays the caller's, and is destroyed after the stream. */
CO4_MUST_USE co4_stream *co4_stream_of_mailbox(co4_mailbox *channel);

/* The values of a source, each time that it is awaited, until the code CO4_ECLOSED. When the stream
 * is closed or has ended stop(arg) is called once, unless it is NULL.
 *
 * Ownership: the source stays the caller's. */
CO4_MUST_USE co4_stream *co4_stream_of_source(co4_source *source, void (*stop)(void *arg),
                                              void *arg);

#ifndef __cplusplus /* C++ has no pausable functions to give */
/* Writes the next value to *out: CO4_OK; CO4_ECLOSED at the end; or an error. */
typedef pausable int co4_stream_producer(void *arg, void *out);

/* The values that a function produces, of `size` bytes; `stop` as above. Unlike a generator's, it
 * may wait. */
CO4_MUST_USE co4_stream *co4_stream_of_producer(size_t size, co4_stream_producer *next,
                                                void (*stop)(void *arg), void *arg);

/* ---- stages ---- */

/* Makes *out of *value. CO4_OK; CO4_ECLOSED: here it ends; or an error. */
typedef pausable int co4_stream_mapper(void *arg, const void *value, void *out);
CO4_MUST_USE co4_stream *co4_stream_map(co4_stream *stream, size_t size, co4_stream_mapper *map,
                                        void *arg);

/* 1: the value stays; 0: it does not; CO4_ECLOSED: here it ends; or an error. */
typedef pausable int co4_stream_tester(void *arg, const void *value);
CO4_MUST_USE co4_stream *co4_stream_filter(co4_stream *stream, co4_stream_tester *keep, void *arg);
#endif

/* The first n values. The stream below is closed once they have come. */
CO4_MUST_USE co4_stream *co4_stream_take(co4_stream *stream, size_t n);

/* ---- use ---- */

/* Copies the next value to *out, unless that is NULL.
 *
 * Returns: CO4_OK; CO4_ECLOSED at the end, from then on always; CO4_EINVAL for NULL and another
 *     size; the code with which a function, a source or a generator has failed; CO4_ESTATE when a
 *     source would have to be awaited inside a generator.
 * Pauses: as the functions and sources of the stream do.
 * Cancellation: CO4_ECANCELED; no value is lost.
 * Ownership: *out stays the caller's. */
pausable int co4_stream_next(co4_stream *stream, void *out, size_t size);
#define co4_stream_next(stream, out) co4_stream_next((stream), (out), CO4_SIZE_OF(out))
/* Bytes of its values.
 *
 * Returns: the number; 0 for NULL. */
size_t co4_stream_size(const co4_stream *stream);

/* Ends the stream, and the stages below it. Not to be called by a function of the stream.
 *
 * Returns: CO4_OK, also when it has ended; CO4_EINVAL for NULL.
 * Ownership: the stream stays the caller's. */
int co4_stream_close(co4_stream *stream);

/* Closes and frees the stream, and the stages below it. NULL does nothing.
 *
 * Ownership: ends the caller's. */
void co4_stream_destroy(co4_stream *stream);

/* Calls use(arg, &value) for each value until the end.
 *
 * Returns: CO4_OK; an error of the stream; the first negative code of `use`, and the stream is
 *     closed.
 * Pauses: as the stream and the function do.
 * Cancellation: CO4_ECANCELED; no value is lost.
 * Ownership: the stream stays the caller's; a value is borrowed during the call. */
typedef pausable int co4_stream_user(void *arg, const void *value);
pausable int co4_stream_each(co4_stream *stream, co4_stream_user *use, void *arg);

/* Pushes each value into the ring until the end.
 *
 * Returns: CO4_OK; an error of the stream; CO4_EFULL and CO4_ENOMEM when there is no room for
 *     another value, which was not asked for; CO4_EINVAL for another size.
 * Pauses: as the stream does.
 * Cancellation: CO4_ECANCELED; no value is lost.
 * Ownership: the stream and the ring stay the caller's. */
pausable int co4_stream_collect(co4_stream *stream, co4_ring *into);

/* Sends each value to the mailbox until the end, and leaves the mailbox open.
 *
 * Returns: CO4_OK; an error of the stream; an error of a send, whose value is gone; CO4_ECLOSED
 *     when the mailbox was closed, and the stream is closed, too; CO4_EINVAL for another size.
 * Pauses: as the stream does, and while the mailbox is full.
 * Cancellation: CO4_ECANCELED; a value that was being sent is gone.
 * Ownership: the stream and the mailbox stay the caller's. */
pausable int co4_stream_send(co4_stream *stream, co4_mailbox *to);

#ifdef __cplusplus
}
#endif

#endif
