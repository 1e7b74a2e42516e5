/* exports.c - functions that JavaScript calls, and that wait: each call is a promise.
 *
 * options: --plain=plain_one -Wno-co4-blocking
 * expect: int 7 | negative -3 | unsigned -294967296 | double 2.5 | float 0.5 | long -5000000000 |
 * short -2 | bool true | text hello, you | void undefined | bytes 6 | at once 3 | 1000 in flight,
 * 1000 right | order 3 2 1 | locals ok | cancelled AbortError | aborted before AbortError | no
 * function TypeError | sandwich: plain_one() calls slow_int(), which waits | stack as
 * before | calls left 0 */
#include <emscripten.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT EMSCRIPTEN_KEEPALIVE

EXPORT int slow_int(int n)
{
    usleep(1000 * (unsigned)abs(n));
    return n;
}

EXPORT unsigned slow_unsigned(void)
{
    usleep(100);
    return 4000000000u;
}

EXPORT double slow_double(double d)
{
    usleep(100);
    return d / 2;
}

EXPORT float slow_float(void)
{
    usleep(100);
    return 0.5f;
}

EXPORT int64_t slow_long(void)
{
    usleep(100);
    return -5000000000;
}

EXPORT short slow_short(void)
{
    usleep(100);
    return -2;
}

EXPORT bool slow_bool(void)
{
    usleep(100);
    return true;
}

EXPORT const char *slow_text(const char *name)
{
    static char text[64];
    usleep(100);
    snprintf(text, sizeof text, "hello, %s", name);
    return text;
}

static int voids;

EXPORT void slow_void(void)
{
    usleep(100);
    voids++;
}

EXPORT int sum_bytes(const unsigned char *bytes, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++, usleep(10))
        sum += bytes[i];
    return sum;
}

EXPORT int sometimes(int waits)
{
    if (waits)
        usleep(10);
    return 3;
}

/* Addressed locals, in turns with those of others. */
EXPORT int locals(int seed)
{
    unsigned char mine[200];
    for (int round = 0; round < 3; round++) {
        memset(mine, seed + round, sizeof mine);
        usleep((unsigned)(seed * 7919 % 13) * 100);
        for (size_t i = 0; i < sizeof mine; i++)
            if (mine[i] != (unsigned char)(seed + round))
                return -1;
    }
    return seed;
}

EXPORT void forever(void)
{
    for (;;)
        if (usleep(1000000) != 0)
            return;
}

/* A function that stays plain: its code behind the call would be left out. */
EXPORT int plain_one(int n)
{
    return slow_int(n) + 1;
}

/* clang-format off */
EM_JS(void, use, (void), {
    var c = Module.co4;
    var call = (name, ...args) => c.call(name, args);
    var why = (promise) => promise.then((v) => 'not ' + v, (e) => e.name);
    var main = async function () {
        out('int ' + await call('slow_int', 7));
        var at = stackSave();
        out('negative ' + await call('slow_int', -3));
        out('unsigned ' + await call('slow_unsigned'));
        out('double ' + await call('slow_double', 5));
        out('float ' + await call('slow_float'));
        out('long ' + await call('slow_long'));
        out('short ' + await call('slow_short'));
        out('bool ' + await c.call('slow_bool', [], { result: 'boolean' }));
        out('text ' + await c.call('slow_text', ['you'], { result: 'text' }));
        out('void ' + await call('slow_void'));
        out('bytes ' + await call('sum_bytes', new Uint8Array([1, 2, 3]), 3));
        out('at once ' + c.enter('sometimes', [0]));
        var all = [];
        for (var i = 0; i < 1000; i++)
            all.push(call('locals', i));
        var flying = c.calls.size - 1; /* main */
        var right = (await Promise.all(all)).filter((v, i) => v === i).length;
        out(flying + ' in flight, ' + right + ' right');
        var order = [];
        var note = (n) => call('slow_int', 20 * (4 - n)).then(() => order.push(n));
        await Promise.all([3, 2, 1].map(note));
        out('order ' + order.join(' '));
        out('locals ' + (await call('locals', 5) === 5 ? 'ok' : 'wrong'));
        var control = new AbortController();
        var aborted = why(c.call('forever', [], { signal: control.signal }));
        setTimeout(() => control.abort(), 5);
        out('cancelled ' + await aborted);
        out('aborted before ' + await why(c.call('forever', [], { signal: control.signal })));
        out('no function ' + await why(call('nothing')));
        out('sandwich: ' + await call('plain_one', 1).catch((e) => e.message.split(', and')[0]));
        await new Promise((done) => setTimeout(done, 20));
        out('stack ' + (stackSave() === at ? 'as before' : 'moved by ' + (at - stackSave())));
        out('calls left ' + (c.calls.size - 1));
        exit(0);
    };
    main().catch((e) => { out('error ' + e.stack); exit(1); });
});
/* clang-format on */

int main(void)
{
    usleep(1000);
    use();
    usleep(20000000);
    return 1;
}
