/* thrown.c - exceptions of JavaScript that leave C, plain code between, pipes, traps.
 *
 * options: -Wno-co4-blocking
 * expect: sorted 1 2 3 | through a pipe: 12 | first no luck | later no luck | waits still 5 |
 * others 3 | its own error RangeError | waits still 6 | nested 8 | trap RuntimeError | after it:
 * the program has ended */
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT EMSCRIPTEN_KEEPALIVE

/* clang-format off */
EM_JS(void, throw_at, (int range), {
    throw range ? new RangeError('of a program') : new Error('no luck');
});
EM_JS(int, call_again, (int n), { return Module.co4.enter('at_once', [n]); });
/* clang-format on */

EXPORT int at_once(int n)
{
    return n + 1;
}

EXPORT int waits(int n)
{
    usleep(2000);
    return n;
}

EXPORT void throws_first(int range)
{
    throw_at(range);
    usleep(1);
}

EXPORT void throws_later(void)
{
    usleep(1000);
    throw_at(0);
}

EXPORT int nested(int n)
{
    usleep(10);
    n = call_again(n);
    usleep(10);
    return n;
}

EXPORT void traps(void)
{
    usleep(10);
    __builtin_trap();
}

static int compare(const void *a, const void *b)
{
    usleep(10);
    return *(const int *)a - *(const int *)b;
}

/* clang-format off */
EM_JS(void, use, (void), {
    var c = Module.co4;
    var call = (name, ...args) => c.call(name, args);
    var main = async function () {
        out('first ' + await call('throws_first', 0).catch((e) => e.message));
        var other = call('waits', 3);
        out('later ' + await call('throws_later').catch((e) => e.message));
        out('waits still ' + await call('waits', 5));
        out('others ' + await other);
        out('its own error ' + await call('throws_first', 1).catch((e) => e.name));
        out('waits still ' + await call('waits', 6));
        out('nested ' + await call('nested', 7));
        out('trap ' + await call('traps').catch((e) => e.name));
        out('after it: ' + await call('waits', 1).catch((e) => e.message.split(':')[0]));
        process.exit(0);
    };
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', () => {});
    main();
});
/* clang-format on */

int main(void)
{
    int v[] = { 3, 1, 2 }, fd[2], n = 0;
    char text[16] = "";
    qsort(v, 3, sizeof *v, compare);
    printf("sorted %d %d %d\n", v[0], v[1], v[2]);
    if (pipe(fd) == 0 && write(fd[1], "12\n", 3) == 3)
        n = (int)read(fd[0], text, sizeof text - 1);
    printf("through a pipe: %.*s\n", n > 0 ? n - 1 : 0, text);
    usleep(1000);
    use();
    usleep(20000000);
    return 1;
}
