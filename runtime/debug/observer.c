/* observer.c - a thread that answers at the console's socket, and looks for long steps of runs.
 *
 * Purpose: the environment asks for both (environment.c), so a program that knows nothing of them
 * can be observed. Runtimes have a thread that looks for long steps, their monitor; runs have this
 * one. It sleeps until a client comes if it need not look for anything.
 *
 * Concurrency: the fields are written before the thread starts, and by the child of a fork, which
 * does not have it. */
#include "debug/observer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/public.h"
#include "debug/console.h"
#include "debug/registry.h"
#include "debug/stall_detector.h"
#include "platform/deadlock.h"
#include "platform/local_server.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"

#define LOOKED_AT (3 * CO4_SEC) /* so long after a client, steps are noted */
#define NOTE      (10 * CO4_MS)

static struct {
    struct co4__local_server server;
    bool answers;
    int64_t stall_ns;
    int64_t looked_at; /* its thread: when a client has come */
} the;

/* Finds a long step of a run, and copies what is known of it, under the lock. */
static bool find_stall(struct co4__cursor *c, co4_stall *stall)
{
    bool found = false;
    co4__lock_take(&co4__runtimes_lock);
    for (unsigned n = 1; c->at && !found; n++) {
        co4_runtime *rt = c->at;
        c->at = rt->registry.next;
        if (rt->local && rt->stall_detector.running)
            found = co4__stall_look(&rt->workers[0], co4__clock(), stall);
        if (n % CO4__BATCH == 0)
            co4__lock_yield(&co4__runtimes_lock);
    }
    co4__lock_give(&co4__runtimes_lock);
    return found;
}

static void report_stalls(void)
{
    struct co4__cursor c;
    co4_stall stall;
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_begin(&c);
    co4__lock_give(&co4__runtimes_lock);
    while (find_stall(&c, &stall))
        co4__stall_say(NULL, &stall);
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
}

/* Until a client comes, or there is something to look for. */
static int wait_for_client(int64_t until)
{
    int64_t ms = until == CO4_NEVER ? -1 : (until - co4__clock() + CO4_MS - 1) / CO4_MS;
    if (ms < 0 && until != CO4_NEVER)
        ms = 0;
    co4__sleep_begins();
    int client = -1;
    if (the.answers)
        client = co4__local_server_accept(&the.server, (int)(ms < 1000 ? ms : 1000));
    else
        co4__sleep_thread(until);
    co4__sleep_ends();
    return client;
}

static void answer(int client)
{
    char line[64];
    if (co4__local_client_read(client, line, sizeof line)) {
        the.looked_at = co4__clock();
        co4__console_answer(client, line);
    }
    co4__local_client_close(client);
}

static void observe(void *unused)
{
    (void)unused;
    for (;;) {
        int64_t now = co4__clock(), next = the.stall_ns ? now + the.stall_ns / 4 : CO4_NEVER;
        bool notes = the.looked_at != 0 && now - the.looked_at < LOOKED_AT;
        if (notes && next > now + NOTE)
            next = now + NOTE;
        int client = wait_for_client(next);
        if (client >= 0)
            answer(client);
        if (notes)
            co4__console_note_steps(co4__clock());
        if (the.stall_ns)
            report_stalls();
    }
}

static void remove_socket(void)
{
    if (the.answers)
        co4__local_server_remove(&the.server);
}

int co4__observer_start(const char *console, int64_t stall_ns)
{
    struct co4__thread thread;
    if (!co4__has_threads) /* there steps are timed when they end */
        return console ? CO4_ESTATE : CO4_OK;
    int err = console ? co4__local_server_open(&the.server, console) : CO4_OK;
    the.answers = console && err == CO4_OK;
    the.stall_ns = stall_ns;
    if (the.answers)
        atexit(remove_socket);
    if (!the.answers && stall_ns == 0)
        return err;
    int started = co4__thread_start_apart(&thread, observe, NULL);
    if (started == CO4_OK)
        co4__thread_detach(&thread);
    return err != CO4_OK ? err : started;
}

void co4__observer_fork(enum co4__fork how)
{
    if (how == CO4__FORK_CHILD && the.answers) {
        co4__local_server_forget(&the.server);
        the.answers = false;
    }
}
