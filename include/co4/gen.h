/* co4/gen.h - generators: functions that give values one by one.
 *
 *     pausable int count(int n) { for (int i = 0; i < n; i++) co4_gen_yield(&i); return n; }
 *
 *     co4_gen *g = co4_generate(count(3));
 *     int i;
 *     while (co4_gen_next(g, &i) == CO4_OK) …              0, 1, 2
 *     co4_gen_result(g, &i);                               3
 *     co4_gen_destroy(g);
 *
 * A generator needs no runtime and no thread: it runs on its caller's stack, inside co4_gen_next().
 * It must not wait for anything else: pausing calls other than the yield return CO4_ESTATE in it.
 *
 * Yielding copies nothing. The generator lends the variable that it yields until it is resumed;
 * next copies it to the caller. A value that the caller sends is written back into the same
 * variable. So after co4_gen_yield(&v), `v` has the sent value, or its old value when no value was
 * sent.
 *
 * Values are copied as `sizeof` bytes; both sides must agree on the size, else CO4_EINVAL. A
 * generator may move between threads, but is used by one at a time. In plain builds the whole call
 * runs first and its values are queued: sending is CO4_ESTATE there, and the result is not kept. */
#ifndef CO4_GEN_H
#define CO4_GEN_H

#include <stddef.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never; a call that resumes the generator takes as long as that runs.
 * Thread safety: one call at a time for each generator.
 * Ownership: the generator stays its owner's. The caller owns each one that co4_generate() has
 *     returned; that is NULL when out of memory.
 * Since: 0.1. */

typedef struct co4_gen co4_gen;

/* Called in a generator: gives *value to the caller of co4_gen_next().
 *
 * Returns: CO4_OK; CO4_ESTATE outside a generator; plain: CO4_ENOMEM when the value could not be
 *     queued.
 * Pauses: until the generator is resumed.
 * Cancellation: none; a generator that is closed does not return from here.
 * Thread safety: the generator itself.
 * Ownership: *value is borrowed until then, and may have been written by co4_gen_send(). */
pausable int co4_gen_yield(const void *value, size_t size);
#define co4_gen_yield(...) co4_gen_yield((__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* Resumes the generator, and copies its next value to *out, unless that is NULL.
 *
 * Returns: CO4_OK; CO4_ECLOSED when it has ended; CO4_EINVAL for NULL, and when the sizes differ:
 *     the value stays; CO4_ENOMEM when a frame's allocation failed: it has ended; CO4_ENOMEM from
 *     the first step with less than 32 KB of C stack, on which generators run each other: it has
 *     not begun; CO4_EBUSY from inside itself. After an error *out is as it was. */
int co4_gen_next(co4_gen *g, void *out, size_t size);
#ifdef __CO4WEAVE__
#define co4_gen_next(g, out) co4_abi_gen_next((g), (out), CO4_SIZE_OF(out))
#else
#define co4_gen_next(g, out) co4_gen_next((g), (out), CO4_SIZE_OF(out))
#endif

/* Leaves *in for the generator, in the variable that it has yielded last; does not resume it. The
 * last of several sends counts.
 *
 * Returns: CO4_OK; CO4_ESTATE before the first value, and in plain builds; CO4_ECLOSED after the
 *     end; CO4_EINVAL when the sizes differ; CO4_ENOMEM. */
int co4_gen_send(co4_gen *g, const void *in, size_t size);
#define co4_gen_send(g, ...) co4_gen_send((g), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* Looks ahead. May resume the generator; the value that it finds is kept for co4_gen_next().
 *
 * Returns: 1 when there is a value, 0 when the generator has ended, else a negative code of
 *     co4_gen_next(). */
int co4_gen_has_more(co4_gen *g);

/* Copies the function's result to *out.
 *
 * Returns: CO4_OK; CO4_ESTATE while it has not ended; CO4_ECLOSED when it was closed early;
 *     CO4_ENOMEM when it ended out of memory; CO4_EINVAL when the sizes differ. */
int co4_gen_result(co4_gen *g, void *out, size_t size);
#define co4_gen_result(g, out) co4_gen_result((g), (out), CO4_SIZE_OF(out))

/* Ends the generator at its yield: its frames are freed, and nothing more of it runs but cleanups.
 *
 * Returns: CO4_OK, also when it has ended before; CO4_EBUSY from inside itself; CO4_EINVAL for
 *     NULL. */
int co4_gen_close(co4_gen *g);

/* Closes and frees the generator. NULL is CO4_OK.
 *
 * Returns: CO4_OK; CO4_EBUSY from inside itself, and nothing is freed.
 * Ownership: ends the caller's. */
int co4_gen_destroy(co4_gen *g);

#ifdef __cplusplus
}
#endif

#endif
