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
 * A generator needs no runtime and no thread: it runs on its caller's stack, inside
 * co4_gen_next(). It must not wait for anything else: pausing calls other than the yield return
 * CO4_ESTATE in it.
 *
 * Yielding copies nothing. The generator lends the variable that it yields until it is resumed;
 * next copies it to the caller. What the caller sends is written back into the same variable. So
 * after co4_gen_yield(&v), `v` holds what was sent, or what it held before when nothing was sent.
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

typedef struct co4_gen co4_gen;

/* In a generator: gives *value to the caller of co4_gen_next(), and pauses until the next resume.
 * CO4_OK; CO4_ESTATE outside a generator; plain: CO4_ENOMEM when the value could not be queued. */
#define co4_gen_yield(...) co4_gen_yield_sized((__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
pausable int co4_gen_yield_sized(const void *value, size_t size);

/* Resumes the generator and copies its next value to *out (NULL: the value is thrown away).
 * CO4_OK: a value. CO4_ECLOSED: it has ended, *out is untouched. CO4_EINVAL: sizes differ; the
 * value stays. CO4_ENOMEM: a frame's allocation failed, the generator has ended. CO4_EBUSY: called
 * from inside itself. */
int co4_gen_next_sized(co4_gen *g, void *out, size_t size);
#ifdef __CO4WEAVE__
#define co4_gen_next(g, out) co4_abi_gen_next((g), (out), CO4_SIZE_OF(out))
#else
#define co4_gen_next(g, out) co4_gen_next_sized((g), (out), CO4_SIZE_OF(out))
#endif

/* Leaves *in for the generator to find in the variable it has yielded last, when next resumes it;
 * does not resume it. The last of several sends counts. CO4_OK; CO4_ESTATE before the
 * first value; CO4_ECLOSED after the end; CO4_EINVAL when sizes differ; CO4_ENOMEM. */
#define co4_gen_send(g, ...) co4_gen_send_sized((g), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
int co4_gen_send_sized(co4_gen *g, const void *in, size_t size);

/* Looks ahead: 1 when next has a value to give, 0 when the generator has ended, else a negative
 * code. May resume the generator; the value found is kept for next. */
int co4_gen_has_more(co4_gen *g);

/* Copies what the function returned. CO4_OK; CO4_ESTATE while it has not ended; CO4_ECLOSED when
 * it was closed early; CO4_ENOMEM when it ended for want of memory; CO4_EINVAL when sizes differ.
 */
#define co4_gen_result(g, out) co4_gen_result_sized((g), (out), CO4_SIZE_OF(out))
int co4_gen_result_sized(co4_gen *g, void *out, size_t size);

/* Ends it where it stands: its frames are given back, nothing more of it runs. CO4_OK, also
 * when it has ended before; CO4_EBUSY from inside itself. */
int co4_gen_close(co4_gen *g);

/* Closes and frees it. The caller owns every generator that co4_generate() returned (NULL when out
 * of memory). CO4_OK, also for NULL; CO4_EBUSY from inside itself: nothing is freed then. */
int co4_gen_destroy(co4_gen *g);

#ifdef __cplusplus
}
#endif

#endif
