/* co4/js.h - values and promises of JavaScript: in the library for Emscripten alone.
 *
 * A handle stands for a value of JavaScript until it is dropped. JavaScript makes handles by
 * `Module.co4.keep(value)`, and finds their values by `Module.co4.value(handle)`. Any number of
 * tasks wait at the same time. docs/web.md has examples.
 *
 * With Module.co4.keep(promise, controller) the promise has an AbortController: when the task that
 * awaits it is cancelled, or its deadline passes, `controller.abort()` is called. */
#ifndef CO4_JS_H
#define CO4_JS_H

#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "must_use.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: the only thread.
 * Since: 0.2. */

/* A value of JavaScript; 0 is `undefined`, and needs no drop. */
typedef int co4_js;

/* The code of a promise that was rejected. */
#define CO4_JS_EREJECTED (-2301)

/* What became of a promise: CO4_OK and its value, or CO4_JS_EREJECTED and the reason. */
typedef struct co4_js_outcome {
    int code;
    co4_js value;
} co4_js_outcome;

/* Waits until a promise is settled; of any other value, for nothing. *value is what it was
 * resolved with, or the reason for which it was rejected; NULL: that is dropped.
 *
 * Returns: CO4_OK; CO4_JS_EREJECTED; CO4_ENOMEM; CO4_EINVAL for a number that is no handle. _until:
 *     CO4_ETIMEDOUT.
 * Pauses: until it is settled.
 * Cancellation: CO4_ECANCELED; the promise is aborted, if it can be.
 * Ownership: the handle of the promise is taken over, also when the call fails. That in *value is
 *     the caller's. */
pausable int co4_js_await(co4_js promise, co4_js *value);
pausable int co4_js_await_until(co4_js promise, co4_js *value, int64_t deadline);

/* The same as a future (future.h) of a co4_js_outcome: its source can be selected.
 * co4_future_cancel() aborts the promise.
 *
 * Returns: the future; NULL when out of memory.
 * Ownership: the caller has a reference. The handle of the promise is taken over. The handle in the
 *     outcome is the caller's; who awaits the future twice drops it once. */
CO4_MUST_USE struct co4_future *co4_js_future(co4_js promise);

/* Forgets a value.
 *
 * Ownership: the handle is taken over; 0 does nothing. */
void co4_js_drop(co4_js value);

/* A value as a number.
 *
 * Returns: what Number() makes of it: 1 for true, the number of a string; NaN for what is none.
 * Ownership: the handle stays the caller's. */
double co4_js_number(co4_js value);

/* Copies text: of a string, or what String() makes of the value; of an error its message. It is
 * UTF-8, ends with a NUL, and is cut to `room` bytes, not within a character.
 *
 * Returns: how many bytes the whole text has, without the NUL.
 * Ownership: the handle stays the caller's. */
size_t co4_js_text(co4_js value, char *to, size_t room);

/* Copies bytes of an ArrayBuffer or one of its views, at most `room`.
 *
 * Returns: how many it has; 0 for any other value.
 * Ownership: the handle stays the caller's. */
size_t co4_js_bytes(co4_js value, void *to, size_t room);

/* Values for JavaScript: a number, a string of UTF-8 up to its NUL, a Uint8Array of its own.
 *
 * Returns: the handle.
 * Ownership: the handle is the caller's; what it was made of stays the caller's. */
CO4_MUST_USE co4_js co4_js_of_number(double number);
CO4_MUST_USE co4_js co4_js_of_text(const char *text);
CO4_MUST_USE co4_js co4_js_of_bytes(const void *from, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
