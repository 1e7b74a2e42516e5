/* greet.c - a function that JavaScript calls, and that waits.
 *
 * expect: hello, Ada hello, Brian hello, Ken */
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

EMSCRIPTEN_KEEPALIVE char *greet(const char *name)
{
    char *text = malloc(64);
    usleep(1000);
    snprintf(text, 64, "hello, %s", name);
    return text;
}

/* clang-format off */
EM_JS(void, use, (void), {
    var greet = (name) => Module.co4.call('greet', [name], { result: 'text' });
    Promise.all(['Ada', 'Brian', 'Ken'].map(greet)).then((all) => out(all.join(' ')));
});
/* clang-format on */

int main(void)
{
    use();
    usleep(20000);
    return 0;
}
