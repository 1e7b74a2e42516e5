/* co4/stream.h - values that are pulled one by one, through stages.
 *
 *     co4_stream *s = co4_stream_of_gen(co4_generate(numbers(100)), sizeof(int));
 *     s = co4_stream_filter(s, is_prime, NULL);
 *     s = co4_stream_map(s, sizeof(struct entry), look_up, db);
 *     s = co4_stream_take(s, 10);
 *     while ((err = co4_stream_next(s, &entry)) == CO4_OK) …   CO4_ECLOSED: the end; else an error
 *     co4_stream_destroy(s);
 *
 * Nothing runs until a value is asked for, and then no more than that value needs. At its beginning
 * stands a generator, a channel or any other source, or a function of one's own; the functions of
 * stages may pause. One task at a time uses a stream, and never one of its own functions; inside a
 * generator only those work that never wait.
 *
 * The end. next says CO4_ECLOSED, from then on always. Closing a stream early, which destroying and
 * a full take do as well, stops what produces for it: a generator is closed where it stands, of a
 * channel all sends are CO4_ECLOSED from then on, so that the task that sends into it knows. */
#ifndef CO4_STREAM_H
#define CO4_STREAM_H

#include <stddef.h>

#include "gen.h"
#include "mailbox.h"
#include "mark.h"
#include "ring.h"
#include "source.h"

/* Errors go through: what a stage's function, a source or a generator fails with, next returns. The
 * value on which a function has failed is gone; the stream has not ended, and may be asked again. A
 * function that returns CO4_ECLOSED ends it.
 *
 * Owners. The caller owns the stream that he made last; a stage takes over the stream below it.
 * Each of the functions that make one returns NULL when out of memory or an argument is wrong, NULL
 * for a stream to go on from included, and has then destroyed what it was to take over: so a
 * pipeline is checked once, at its end. co4_stream_next(NULL) is CO4_EINVAL.
 * */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_stream co4_stream;

/* ---- beginnings ---- */

/* What the generator yields: values of `size` bytes; others are CO4_EINVAL. Takes the generator
 * over. */
CO4_MUST_USE co4_stream *co4_stream_of_gen(co4_gen *gen, size_t size);
/* What is received from the channel, a mailbox or a cell. It stays the caller's, to be destroyed
 * later; closing the stream closes it. */
CO4_MUST_USE co4_stream *co4_stream_of_mailbox(co4_mailbox *channel);
/* What any source gives, each time it is awaited; the end is the code CO4_ECLOSED. It stays the
 * caller's, and must give values. When the stream is closed or has ended, stop(arg) is called once;
 * NULL: nothing is. */
CO4_MUST_USE co4_stream *co4_stream_of_source(co4_source *source, void (*stop)(void *arg),
                                              void *arg);

#ifndef __cplusplus /* C++ has no pausable functions to give */
/* Writes the next value to *out: CO4_OK; CO4_ECLOSED at the end; or an error. */
typedef pausable int co4_stream_producer(void *arg, void *out);
/* What the function produces, values of `size` bytes. stop as above. */
CO4_MUST_USE co4_stream *co4_stream_of(size_t size, co4_stream_producer *next,
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

/* The first n; what is below is closed once they have come. */
CO4_MUST_USE co4_stream *co4_stream_take(co4_stream *stream, size_t n);

/* ---- use ---- */

/* Copies the next value to *out (NULL: not). CO4_OK; CO4_ECLOSED; CO4_EINVAL; else what went wrong:
 * CO4_ECANCELED when the task is cancelled while it waits, CO4_ESTATE where a source has to be
 * waited for inside a generator. */
pausable int co4_stream_next_sized(co4_stream *stream, void *out, size_t size);
#define co4_stream_next(stream, out) co4_stream_next_sized((stream), (out), CO4_SIZE_OF(out))
/* Bytes of its values; 0 for NULL. */
size_t co4_stream_size(const co4_stream *stream);

/* Ends it, and what is below. Not from a function of the stream itself. CO4_OK, also when it has
 * ended; CO4_EINVAL. */
int co4_stream_close(co4_stream *stream);
/* Closes and frees it with what is below. NULL is nothing. */
void co4_stream_destroy(co4_stream *stream);

/* Has use(arg, &value) called for each value until the end. CO4_OK; an error of the stream; or the
 * first negative code of `use`: the stream is closed then. */
typedef pausable int co4_stream_user(void *arg, const void *value);
pausable int co4_stream_each(co4_stream *stream, co4_stream_user *use, void *arg);

/* Pushes each value into the ring until the end. CO4_OK; an error of the stream; CO4_EFULL,
 * CO4_ENOMEM when there is no place for one more: it has not been asked for. CO4_EINVAL when the
 * sizes differ. */
pausable int co4_stream_collect(co4_stream *stream, co4_ring *into);

/* Sends each value into the channel until the end; the channel is left open. CO4_OK; an error of
 * the stream, or of a send: that value is gone; CO4_ECLOSED when the channel was closed: the stream
 * is closed, too. CO4_EINVAL when the sizes differ. */
pausable int co4_stream_send(co4_stream *stream, co4_mailbox *to);

#ifdef __cplusplus
}
#endif

#endif
