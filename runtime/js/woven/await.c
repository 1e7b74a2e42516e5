/* await.c - waiting for promises of JavaScript. */
#ifdef __EMSCRIPTEN__
#include <stddef.h>
#include <stdint.h>

#include "co4/error.h"
#include "co4/future.h"
#include "co4/js.h"
#include "co4/time.h"

static void release_future(co4_future **future)
{
    co4_future_release(*future);
}

pausable int co4_js_await_until(co4_js promise, co4_js *value, int64_t deadline)
{
    __attribute__((cleanup(release_future))) co4_future *f = co4_js_future(promise);
    co4_js_outcome outcome = { CO4_OK, 0 };
    if (value)
        *value = 0;
    if (!f)
        return CO4_ENOMEM;
    int err = co4_future_await_until(f, &outcome, deadline);
    if (err != CO4_OK) {
        co4_future_cancel(f, 0); /* a value that comes later is dropped */
        return err;
    }
    if (value)
        *value = outcome.value;
    else
        co4_js_drop(outcome.value);
    return outcome.code;
}

pausable int co4_js_await(co4_js promise, co4_js *value)
{
    return co4_js_await_until(promise, value, CO4_NEVER);
}
#endif
