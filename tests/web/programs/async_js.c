/* async_js.c - functions of EM_ASYNC_JS(), which with Asyncify unwind the stack.
 *
 * expect: tick | 10 1.5 | nested 6 | pointer ok | long 4294967296 | wide 5 -5 0 0 | caught */
#include <emscripten.h>
#include <stdint.h>
#include <stdio.h>

/* clang-format off */
EM_ASYNC_JS(int, add_later, (int a, int b), {
    await new Promise((done) => setTimeout(done, 5));
    return a + b;
});
EM_ASYNC_JS(double, half, (double a), { return a / 2; });
EM_ASYNC_JS(void, tick, (void), {
    await 0;
    out('tick');
});
EM_ASYNC_JS(char *, same, (char *p), { return p; });
EM_ASYNC_JS(int, wide, (int sign), { return sign * 1099511627781; });
EM_ASYNC_JS(int, no_number, (void), { return NaN; });
EM_ASYNC_JS(int, nothing, (void), {});
EM_ASYNC_JS(double, large, (void), { return 4294967296; });
EM_ASYNC_JS(int, caught, (void), {
    try {
        await Promise.reject(new Error('no'));
    } catch (e) {
        return 1;
    }
});
/* clang-format on */

static int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += add_later(i, 1);
    return s;
}

int main(void)
{
    char text[] = "add_later(1, 2)";
    tick();
    emscripten_sleep(3);
    printf("%d %g\n", sum(4), half(3));
    printf("nested %d\n", add_later(add_later(1, 2), add_later(1, (2))));
    printf("pointer %s\n", same(text) == text ? "ok" : "wrong");
    printf("long %.0f\n", large());
    printf("wide %d %d %d %d\n", wide(1), wide(-1), no_number(), nothing());
    puts(caught() ? "caught" : "lost");
    return 0;
}
