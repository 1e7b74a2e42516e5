/* wide.c - a struct cannot be a result that comes later.
 *
 * expect: co4: wide() waits, and returns a struct to JavaScript, which cannot get it later: let it
 * return a number, or store the struct by a pointer. | refused */
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct wide {
    double a, b, c;
};

EMSCRIPTEN_KEEPALIVE struct wide wide(void)
{
    usleep(10);
    return (struct wide){ 1, 2, 3 };
}

/* clang-format off */
EM_JS(void, use, (void *at), {
    var show = err;
    err = (text) => String(text).startsWith('co4') && show(text); /* not where it aborts */
    setTimeout(() => {
        try {
            Module.co4.enter('wide', [at]);
        } catch (e) {
            out(e instanceof WebAssembly.RuntimeError ? 'refused' : 'no: ' + e);
        }
        process.exit(0);
    });
});
/* clang-format on */

int main(void)
{
    use(malloc(sizeof(struct wide)));
    usleep(1000000);
    return 1;
}
