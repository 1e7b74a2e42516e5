/* promises.c - promises of JavaScript in marked code: co4/js.h.
 *
 * expect: 42 | rejected: no luck | rejected: undefined | plain 7 | timed out, aborted 1 | cancelled,
 * aborted 2 | selected 1: 5 | bytes 3: 1 2 250 | text 8 of 8: grüße!, cut: gr | 1000 of 1000 in
 * flight: 499500 | no handle: CO4_EINVAL | left 0 */
#include <co4.h>
#include <co4/future.h>
#include <co4/js.h>
#include <emscripten.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
EM_JS(co4_js, later, (double ms, double value), {
    return Module.co4.keep(new Promise((done) => setTimeout(() => done(value), ms)));
});
EM_JS(co4_js, never, (void), {
    var c = new AbortController();
    c.signal.addEventListener('abort',
        () => globalThis.co4Aborts = (globalThis.co4Aborts || 0) + 1);
    return Module.co4.keep(new Promise(() => {}), c);
});
EM_JS(int, aborted, (void), { return globalThis.co4Aborts; });
EM_JS(co4_js, reject_with, (int text), {
    return Module.co4.keep(Promise.reject(text ? new Error('no luck') : undefined));
});
EM_JS(co4_js, some_bytes, (void), { return Module.co4.keep(new Uint8Array([1, 2, 250])); });
EM_JS(int, left, (void), {
    return Module.co4.values.length - 1 - Module.co4.free.length + Module.co4.controllers.size +
        Module.co4.awaited.size;
});
EM_JS(co4_js, twice, (void), {
    return Module.co4.keep({ then: (done, failed) => { done(1); done(2); failed(3); } });
});
/* clang-format on */

static int count, in_flight, most;
static double sum;

static pausable void rejected(co4_js promise)
{
    char text[32];
    co4_js reason;
    if (co4_js_await(promise, &reason) != CO4_JS_EREJECTED)
        printf("not rejected\n");
    co4_js_text(reason, text, sizeof text);
    printf("rejected: %s\n", text);
    co4_js_drop(reason);
}

static pausable int wait_for_ever(void)
{
    return co4_js_await(never(), NULL);
}

static pausable void one(int i)
{
    char local[200];
    co4_js value;
    memset(local, i, sizeof local);
    most = ++in_flight > most ? in_flight : most;
    if (co4_js_await(later(100 + (double)((i * 7919) % 13), i), &value) == CO4_OK) {
        count++;
        sum += co4_js_number(value);
        for (size_t k = 0; k < sizeof local; k++)
            if (local[k] != (char)i)
                count = -1000000;
    }
    in_flight--;
    co4_js_drop(value);
}

static pausable void values(void)
{
    unsigned char bytes[8];
    char text[16], cut[4];
    co4_js value = some_bytes();
    size_t n = co4_js_bytes(value, bytes, sizeof bytes);
    printf("bytes %zu: %d %d %d\n", n, bytes[0], bytes[1], bytes[2]);
    co4_js_drop(value);
    value = co4_js_of_text("grüße!");
    n = co4_js_text(value, text, sizeof text);
    size_t all = co4_js_text(value, cut, sizeof cut);
    printf("text %zu of %zu: %s, cut: %s\n", n, all, text, cut);
    co4_js_drop(value);
}

static pausable void all(void)
{
    co4_js value;
    co4_js_await(later(1, 42), &value);
    printf("%g\n", co4_js_number(value));
    co4_js_drop(value);
    rejected(reject_with(1));
    rejected(reject_with(0));
    co4_js_await(co4_js_of_number(7), &value);
    printf("plain %g\n", co4_js_number(value));
    co4_js_drop(value);
    int err = co4_js_await_until(never(), &value, co4_now() + 2 * CO4_MS);
    printf("%s, aborted %d\n", err == CO4_ETIMEDOUT ? "timed out" : "no", aborted());
    co4_task *t = co4_task_create(wait_for_ever());
    co4_runtime_schedule(NULL, t);
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    printf("%s, ", co4_task_join(t) == CO4_ECANCELED ? "cancelled" : "no");
    printf("aborted %d\n", aborted());
    co4_task_release(t);
    co4_future *slow = co4_js_future(later(500, 1)), *quick = co4_js_future(later(2, 5));
    co4_js_outcome outcome = { 0 };
    co4_case cases[] = { CO4_CASE(co4_future_source(slow), &outcome),
                         CO4_CASE(co4_future_source(quick), &outcome) };
    int which = co4_select(cases, 2);
    printf("selected %d: %g\n", which, co4_js_number(outcome.value));
    co4_js_drop(outcome.value);
    co4_future_cancel(slow, 0);
    co4_future_release(slow);
    co4_future_release(quick);
    values();
    for (int i = 0; i < 1000; i++)
        co4_spawn(one(i));
    while (count < 1000)
        co4_sleep(CO4_MS);
    printf("%d of %d in flight: %g\n", count, most, sum);
    printf("no handle: %s\n", co4_errname(co4_js_await(12345, NULL)));
    co4_js_await(twice(), &value);
    co4_js_drop(value);
    co4_sleep(600 * CO4_MS);
    printf("left %d\n", left());
}

pausable_or_plain int main(void)
{
    all();
    return 0;
}
