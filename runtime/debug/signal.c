/* signal.c - a dump when a signal comes.
 *
 * Concurrency: the handler only writes to a self-pipe. The pipe is closed only in the child of a
 * fork. A handler may still run on another thread when the signal is given back, and its write must
 * not reach a file that has the same descriptor by then. With threads, one thread waits for the
 * pipe, so a dump comes even if every worker is blocked. Without threads, the driver of a runtime
 * checks regularly, and before it would wait (co4__signal_look). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/public.h"
#include "debug/signal.h"
#include "platform/deadlock.h"
#include "platform/fd.h"
#include "platform/lock.h"
#include "platform/thread.h"

static struct {
    struct co4__self_pipe pipe;
    bool has_pipe;
    struct co4__thread thread;
    atomic_bool rung, over;
    int signo; /* 0: none */
    co4_writer *write;
    void *data;
} the;

/* One thread at a time begins or ends dumps (`changing`), and owns all of `the` meanwhile. It
 * releases the lock while it starts the thread that dumps, or waits for its end, since `write` may
 * be slow. The child of a fork needs `signo` and `has_pipe`; they change only under the lock. */
static co4__lock lock;
static bool changing; /* under the lock */

static void handler(int signo)
{
    (void)signo;
    atomic_store_explicit(&the.rung, true, memory_order_relaxed);
    co4__self_pipe_write(&the.pipe);
}

static void wait_for_it(void *unused)
{
    (void)unused;
    for (;;) {
        co4__sleep_begins();
        co4__self_pipe_wait(&the.pipe);
        co4__sleep_ends();
        if (atomic_load(&the.over))
            return;
        co4__signal_look();
    }
}

void co4__signal_look(void)
{
    if (CO4__UNLIKELY(atomic_load_explicit(&the.rung, memory_order_relaxed)) &&
        atomic_exchange(&the.rung, false))
        co4_dump(NULL, the.write, the.data);
}

static void change_begins(void)
{
    co4__lock_take(&lock);
    for (unsigned tries = 0; changing; tries++) {
        co4__lock_give(&lock);
        co4__back_off(tries);
        co4__lock_take(&lock);
    }
    changing = true;
    co4__lock_give(&lock);
}

static void stop_thread(void)
{
    if (!co4__has_threads)
        return;
    atomic_store(&the.over, true);
    co4__self_pipe_write(&the.pipe);
    co4__thread_join(&the.thread);
}

static int signal_dump_begin(int signo, co4_writer *write, void *data)
{
    co4__lock_take(&lock);
    int err = the.has_pipe ? CO4_OK : co4__self_pipe_open(&the.pipe);
    the.has_pipe = err == CO4_OK;
    co4__lock_give(&lock);
    if (err != CO4_OK)
        return err;
    the.write = write;
    the.data = data;
    atomic_store(&the.over, false);
    atomic_store(&the.rung, false);
    if (co4__has_threads && (err = co4__thread_start(&the.thread, wait_for_it, NULL)) != CO4_OK)
        return err;
    co4__lock_take(&lock);
    err = co4__signal_take(signo, handler);
    the.signo = err == CO4_OK ? signo : 0;
    co4__lock_give(&lock);
    if (err != CO4_OK)
        stop_thread();
    return err;
}

int co4_dump_on_signal(int signo, co4_writer *write, void *data)
{
    int err = CO4_OK;
    if (signo <= 0)
        return CO4_EINVAL;
    change_begins();
    if (the.signo != 0 && (the.signo != signo || write))
        err = CO4_EBUSY;
    else if (write)
        err = signal_dump_begin(signo, write, data);
    else if (the.signo != 0) {
        co4__lock_take(&lock);
        co4__signal_give(the.signo);
        the.signo = 0;
        co4__lock_give(&lock);
        stop_thread();
    }
    co4__lock_take(&lock);
    changing = false;
    co4__lock_give(&lock);
    return err;
}

/* ---- forks ---- */

void co4__signal_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&lock);
    /* The thread is the parent's, and so is the pipe. */
    if (how == CO4__FORK_CHILD && the.has_pipe) {
        if (the.signo != 0)
            co4__signal_give(the.signo);
        co4__self_pipe_close(&the.pipe);
        the.signo = 0;
        the.has_pipe = false;
    }
    if (how == CO4__FORK_CHILD)
        changing = false;
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&lock);
}
