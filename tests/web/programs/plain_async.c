/* plain_async.c - a function that stays plain cannot wait for one of EM_ASYNC_JS().
 *
 * options: --plain=plain_one -Wno-co4-blocking
 * expect: co4: a function that stays plain calls one of EM_ASYNC_JS(), for which it cannot wait;
 * --auto-report says why it is plain | refused */
#include <emscripten.h>
#include <stdio.h>
#include <unistd.h>

/* clang-format off */
EM_ASYNC_JS(int, ask, (void), { return 5; });
/* clang-format on */

EMSCRIPTEN_KEEPALIVE int plain_one(void)
{
    return ask();
}

/* clang-format off */
EM_JS(void, use, (void), {
    var show = err;
    err = (text) => String(text).startsWith('co4') && show(text); /* not where it aborts */
    setTimeout(() => {
        try {
            Module.co4.enter('plain_one', []);
        } catch (e) {
            out(e instanceof WebAssembly.RuntimeError ? 'refused' : 'no: ' + e);
        }
        process.exit(0);
    });
});
/* clang-format on */

int main(void)
{
    use();
    usleep(1000000);
    return ask();
}
