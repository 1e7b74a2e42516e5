/* values.c - values and promises of JavaScript.
 *
 * Purpose: C holds numbers, JavaScript a table of values by them. A promise that C awaits has a
 * future, which co4__js_settled() completes: JavaScript calls it from the microtask in which the
 * promise is settled, so no C is on the stack then, and the tasks that waited go on at once.
 *
 * Invariant: a future has a reference of its own until its promise is settled, or aborted: then
 * JavaScript forgets it. So a false promise that settles twice counts once, and what comes after an
 * abort does not count. */
#ifdef __EMSCRIPTEN__
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <emscripten.h>

#include "base/text.h"
#include "platform/js.h"

#include "co4/error.h"
#include "co4/future.h"
#include "co4/js.h"

/* ---- JavaScript ---- */

/* clang-format off */
EM_JS(void, co4__js_begin, (void), {
    var c = Module.co4;
    if (c.values)
        return;
    c.values = [undefined];
    c.free = [];
    c.controllers = new Map();
    c.awaited = new Map();
    c.keep = function (value, controller) {
        if (value === undefined)
            return 0;
        var handle = c.free.length > 0 ? c.free.pop() : c.values.length;
        c.values[handle] = value;
        if (controller)
            c.controllers.set(handle, controller);
        return handle;
    };
    c.value = function (handle) { return c.values[handle]; };
    c.drop = function (handle) {
        if (!(handle > 0 && handle < c.values.length) || c.values[handle] === c.free)
            return;
        c.values[handle] = c.free;
        c.controllers.delete(handle);
        c.free.push(handle);
    };
    c.has = function (handle) {
        return handle === 0 ||
            (handle > 0 && handle < c.values.length && c.values[handle] !== c.free);
    };
    /* What C awaits is settled. The turn is made here: no message is to ask for one. */
    c.settled = function (future, code, result) {
        if (!c.awaited.has(future))
            return;
        c.awaited.delete(future);
        c.controllers.delete(-future);
        if (c.run && c.due === undefined)
            c.due = -1;
        if (typeof ABORT == 'undefined' || !ABORT)
            _co4__js_settled(future, code, c.keep(result));
        if (c.run)
            c.run();
    };
    c.text = function (value) {
        try {
            return value instanceof Error && value.message ? value.message : String(value);
        } catch (e) {
            return Object.prototype.toString.call(value);
        }
    };
});

EM_JS(int, co4__js_await, (int promise, void *future), {
    var c = Module.co4;
    if (!c.has(promise))
        return 0;
    var value = c.value(promise);
    var controller = c.controllers.get(promise);
    c.drop(promise);
    if (controller)
        c.controllers.set(-future, controller);
    c.awaited.set(future, true);
    Promise.resolve(value).then(function (v) { c.settled(future, 0, v); },
                                function (e) { c.settled(future, -2301, e); });
    return 1;
});

EM_JS(int, co4__js_abort, (const void *future), {
    var c = Module.co4;
    var controller = c.controllers.get(-future);
    c.controllers.delete(-future);
    if (controller)
        controller.abort();
    return c.awaited.delete(future) ? 1 : 0;
});

EM_JS(int, co4__js_has, (int value), { return Module.co4.has(value) ? 1 : 0; });

EM_JS(void, co4__js_drop, (int value), { Module.co4.drop(value); });

EM_JS(double, co4__js_number, (int value), {
    try {
        return Number(Module.co4.value(value));
    } catch (e) {
        return NaN;
    }
});

EM_JS(int, co4__js_of_number, (double number), { return Module.co4.keep(number); });

EM_JS(unsigned, co4__js_text, (int value, char *to, unsigned room), {
    var bytes = new TextEncoder().encode(Module.co4.text(Module.co4.value(value)));
    var n = room > 0 ? Math.min(bytes.length, room - 1) : 0;
    while (n > 0 && n < bytes.length && (bytes[n] & 0xc0) == 0x80)
        n--; /* no half of a character */
    HEAPU8.set(bytes.subarray(0, n), to);
    if (room > 0)
        HEAPU8[to + n] = 0;
    return bytes.length;
});

EM_JS(int, co4__js_of_text, (const char *text), { return Module.co4.keep(UTF8ToString(text)); });

EM_JS(unsigned, co4__js_bytes, (int value, void *to, unsigned room), {
    var from = Module.co4.value(value);
    var bytes = new Uint8Array(0);
    if (ArrayBuffer.isView(from))
        bytes = new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
    else if (from instanceof ArrayBuffer)
        bytes = new Uint8Array(from);
    HEAPU8.set(bytes.subarray(0, room), to);
    return bytes.length;
});

EM_JS(int, co4__js_of_bytes, (const void *from, unsigned bytes), {
    return Module.co4.keep(HEAPU8.slice(from, from + bytes));
});
/* clang-format on */

static const char plain_call[] =
    "co4: a function that stays plain calls one of EM_ASYNC_JS(), for which it cannot wait; "
    "--auto-report says why it is plain\n";

__attribute__((constructor)) static void begin(void)
{
    static const co4_error_text text = { CO4_JS_EREJECTED, "CO4_JS_EREJECTED",
                                         "the promise was rejected" };
    static co4_error_texts texts = { &text, 1, { NULL } };
    co4_error_add(&texts);
    co4__js_begin();
}

/* ---- promises ---- */

EMSCRIPTEN_KEEPALIVE void co4__js_settled(co4_future *future, int code, co4_js value)
{
    co4_js_outcome outcome = { code, value };
    if (co4_future_complete(future, &outcome) != CO4_OK)
        co4__js_drop(value); /* it was cancelled before */
    co4_future_release(future);
}

static void abort_promise(void *arg, co4_future *future)
{
    (void)arg;
    if (co4__js_abort(future)) /* a promise that never settles is forgotten, too */
        co4_future_release(future);
}

co4_future *co4_js_future(co4_js promise)
{
    co4_future *f = co4_future_create(sizeof(co4_js_outcome));
    if (!f || co4_future_on_cancel(f, abort_promise, NULL) != CO4_OK) {
        co4_future_release(f);
        co4__js_drop(promise);
        return NULL;
    }
    co4_future_retain(f);
    if (!co4__js_await(promise, f)) {
        co4_future_release(f);
        co4_future_fail(f, CO4_EINVAL);
    }
    return f;
}

/* ---- calls of EM_ASYNC_JS() functions in code that stays plain (woven/emscripten.c) ---- */

int co4__js_settle(int number);
double co4__js_settle_double(double number);

/* clang-format off */
EM_JS(int, co4__js_is_pending, (void), {
    return globalThis.Asyncify && globalThis.Asyncify.pending ? 1 : 0;
});
/* clang-format on */

static void refuse_to_settle(void)
{
    if (!co4__js_is_pending())
        return;
    co4_write_fd((void *)2, plain_call, sizeof plain_call - 1);
    abort();
}

int co4__js_settle(int number)
{
    refuse_to_settle();
    return number;
}

double co4__js_settle_double(double number)
{
    refuse_to_settle();
    return number;
}

/* ---- values ---- */

void co4_js_drop(co4_js value)
{
    if (value != 0)
        co4__js_drop(value);
}

double co4_js_number(co4_js value)
{
    return value != 0 ? co4__js_number(value) : NAN;
}

co4_js co4_js_of_number(double number)
{
    return co4__js_of_number(number);
}

size_t co4_js_text(co4_js value, char *to, size_t room)
{
    return co4__js_text(value, to, room);
}

co4_js co4_js_of_text(const char *text)
{
    return co4__js_of_text(text);
}

size_t co4_js_bytes(co4_js value, void *to, size_t room)
{
    return co4__js_bytes(value, to, room);
}

co4_js co4_js_of_bytes(const void *from, size_t bytes)
{
    return co4__js_of_bytes(from, bytes);
}
#endif
