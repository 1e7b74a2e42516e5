/* program.c - one program four ways, for WebAssembly: plain, for Asyncify, and woven.
 *
 * -DASYNCIFY: where it waits it calls the host, and wasm-opt --asyncify lets that unwind. -DWOVEN:
 * co4weave, with the small library. -DWEB: co4weave --auto emcc. None: it does not wait. */
#include <stdint.h>

#ifdef WEB
#include <emscripten.h>
#define EXPORT(name) EMSCRIPTEN_KEEPALIVE
#else
#define EXPORT(name) __attribute__((export_name(name)))
#endif

#if defined(WOVEN)
#include <co4.h>
#include <co4/small.h>
#define RUN(call) co4_run(call)

#define pause_here() ((void)co4_yield())

void *co4_port_memory(size_t *bytes)
{
    static _Alignas(16) unsigned char memory[1 << 16];
    *bytes = sizeof memory;
    return memory;
}

int64_t co4_port_now(void)
{
    return 0;
}

int co4_port_idle(int64_t deadline)
{
    (void)deadline;
    return -1;
}
#else
#define pausable
#define RUN(call) (call)
#ifdef ASYNCIFY
__attribute__((import_module("env"), import_name("pause"))) void pause_here(void);
EXPORT("unwound")
void *unwound(void) /* where Asyncify keeps what it unwinds: its bounds, then room */
{
    static struct {
        void *at, *end;
        char room[1 << 16];
    } data;
    data.at = data.room;
    data.end = data.room + sizeof data.room;
    return &data;
}
#elif defined(WEB)
/* clang-format off */
EM_ASYNC_JS(void, wait_for_host, (void), { await Module.pause(); });
EM_JS(double, now, (void), { return performance.now(); });
/* clang-format on */

static int promises; /* does the host answer by a promise, or at once? */

EXPORT("set_promises") void set_promises(int on)
{
    promises = on;
}

static double last_begin;

/* When the first of the waits that are measured began, in ms; the next time it is another. */
EXPORT("take_begin") double take_begin(void)
{
    double at = last_begin;
    last_begin = 0;
    return at;
}

static __attribute__((noinline)) void pause_here(void)
{
    if (promises)
        wait_for_host();
    else
        emscripten_sleep(0);
}
#else
static volatile int waits;
static void pause_here(void)
{
    waits++;
}
#endif
#endif

/* ---- calls that could wait, and do not ---- */

static __attribute__((noinline)) pausable int fib(int n)
{
    if (n < 0)
        pause_here();
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

EXPORT("run_fib") int run_fib(int n)
{
    return RUN(fib(n));
}

/* Both calls stay calls: clang makes a loop of one of fib's, but not where each result is worked
 * with. */
static __attribute__((noinline)) pausable uint32_t tree(uint32_t n)
{
    if (n == UINT32_MAX)
        pause_here();
    return n < 2 ? n : (tree(n - 1) ^ n) + 3 * tree(n - 2);
}

EXPORT("run_tree") uint32_t run_tree(uint32_t n)
{
    return RUN(tree(n));
}

static __attribute__((noinline)) pausable uint32_t mix(uint32_t state, uint32_t value)
{
    if (value == UINT32_MAX)
        pause_here();
    return (state ^ value) * 16777619u;
}

static __attribute__((noinline)) pausable uint32_t hash(uint32_t n)
{
    uint32_t state = 2166136261u;
    for (uint32_t i = 0; i < n; i++)
        state = mix(state, i);
    return state;
}

EXPORT("run_hash") uint32_t run_hash(uint32_t n)
{
    return RUN(hash(n));
}

/* ---- waiting, with `depth` calls above ---- */

static volatile int seen;

static __attribute__((noinline)) pausable int waits_below(int depth, int n)
{
    int sum = depth;
    if (depth > 0) {
        sum += waits_below(depth - 1, n);
        seen = sum; /* something to come back for */
        return sum;
    }
    for (int i = 0; i < n; i++) {
        pause_here();
        sum += i & 3;
    }
    return sum;
}

EXPORT("run_waits") int run_waits(int depth, int n)
{
#ifdef WEB
    if (!promises) /* a yield waits only if another task is ready: both are after this */
        emscripten_sleep(2);
    if (last_begin == 0)
        last_begin = now();
#endif
    return RUN(waits_below(depth, n));
}
