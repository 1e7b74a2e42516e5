/* environment.c - CO4_CONSOLE, CO4_DUMP, CO4_STALL and CO4_TRACE: variables by which a program is
 * observed that knows nothing of it.
 *
 * A program with more rights than its user ignores them. A value that means nothing is reported,
 * as nothing else would show that it has no effect. */
#include "debug/environment.h"

#ifndef __wasi__
#include <signal.h>
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/public.h"
#include "base/text.h"
#include "core/task.h"
#include "debug/observer.h"
#include "debug/on_step.h"
#include "debug/stall_detector.h"
#include "platform/system.h"
#include "sched/runtime.h"

static int64_t stall_ns; /* written once, before the first runtime is enrolled */

static void say(const char *name, const char *value, const char *what)
{
    struct co4__text x;
    co4__text_begin(&x, co4_write_fd, (void *)2);
    co4__put(&x, "co4: ");
    co4__put(&x, name);
    co4__put(&x, "=");
    co4__put(&x, value);
    co4__put(&x, ": ");
    co4__put(&x, what);
    co4__put(&x, "\n");
    co4__text_end(&x);
}

/* A number of seconds with a unit, "50ms"; 0: it is none. */
static int64_t time_of(const char *s)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = { { "s", CO4_SEC }, { "ms", CO4_MS }, { "us", CO4_US }, { "ns", 1 } };
    int64_t n = 0;
    for (; *s >= '0' && *s <= '9'; s++)
        n = n < INT32_MAX ? n * 10 + *s - '0' : n;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(s, units[i].name) == 0)
            return n <= INT32_MAX ? n * units[i].ns : 0;
    return 0;
}

/* The number of a signal, by number, or by the name of one that is left to programs; 0: neither. */
static int signal_of(const char *s)
{
    int n = 0;
    if (strncmp(s, "SIG", 3) == 0)
        s += 3;
#ifdef SIGUSR2
    if (strncmp(s, "USR", 3) == 0 && (s[3] == '1' || s[3] == '2') && s[4] == '\0')
        return s[3] == '1' ? SIGUSR1 : SIGUSR2;
#endif
    for (; *s >= '0' && *s <= '9' && n < 1000; s++)
        n = n * 10 + *s - '0';
    return *s ? 0 : n;
}

static void ask_dump(const char *value)
{
    int signo = signal_of(value);
    if (signo == 0 || co4_dump_on_signal(signo, co4_write_fd, (void *)2) != CO4_OK)
        say("CO4_DUMP", value, "a signal is expected, such as USR1");
}

static void ask_trace(const char *value)
{
    if (co4__step_users.trace_to)
        co4__step_users.trace_to(value);
    else
        say("CO4_TRACE", value, "this program has no traces: link it with -Wl,-u,co4_trace_begin");
}

static void start_observer(const char *console)
{
    int err = co4__observer_start(console, stall_ns);
    if (console && err == CO4_EBUSY)
        say("CO4_CONSOLE", console,
            "no console: another program answers there, or it is a file; %p stands for the "
            "process");
    else if (console && err != CO4_OK)
        say("CO4_CONSOLE", console,
            err == CO4_EINVAL ? "no console: the name is too long" : co4_strerror(err));
}

void co4__environment_ask(void)
{
    const char *trace = co4__safe_env("CO4_TRACE"), *dump = co4__safe_env("CO4_DUMP");
    const char *stall = co4__safe_env("CO4_STALL"), *console = co4__safe_env("CO4_CONSOLE");
    if (trace && *trace)
        ask_trace(trace);
    if (dump && *dump)
        ask_dump(dump);
    if (stall && *stall && (stall_ns = time_of(stall)) == 0)
        say("CO4_STALL", stall, "a time is expected, such as 50ms");
    if (console && !*console)
        console = NULL;
    if (console || stall_ns)
        start_observer(console);
}

void co4__environment_runtime_begins(co4_runtime *rt)
{
    if (stall_ns == 0 || rt->options.on_stall || rt->simulate.state)
        return;
    rt->options.on_stall = co4__stall_say;
    rt->options.stall_ns = stall_ns;
    if (rt->local) /* a runtime begins to be watched when it starts */
        co4__stalls_begin(rt);
}

void co4__environment_runtime_ends(co4_runtime *rt)
{
    if (rt->local)
        co4__stalls_end(rt);
}
