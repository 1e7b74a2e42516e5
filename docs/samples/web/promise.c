/* promise.c - C that waits for a promise.
 *
 * expect: 42 | the promise was rejected: too late */
#include <co4.h>
#include <co4/js.h>
#include <emscripten.h>
#include <stdio.h>

/* clang-format off */
EM_JS(co4_js, ask, (int ms), {
    return Module.co4.keep(new Promise((done, failed) => setTimeout(
        () => ms < 10 ? done(42) : failed(new Error('too late')), ms)));
});
/* clang-format on */

static pausable void show(int ms)
{
    char text[80];
    co4_js value;
    int err = co4_js_await(ask(ms), &value);
    co4_js_text(value, text, sizeof text);
    co4_js_drop(value);
    if (err != CO4_OK)
        printf("%s: ", co4_strerror(err));
    puts(text);
}

pausable_or_plain int main(void)
{
    show(1);
    show(10);
    return 0;
}
