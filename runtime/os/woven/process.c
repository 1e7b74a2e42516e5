/* process.c - the calls of child processes that wait: pausable C, and once more plain.
 *
 * Invariants: a child that one of these calls has started does not outlive the call, except for
 * that of co4_process_start(). The waits for the end of a killed child are shielded. If such a wait
 * cannot pause, it blocks the thread: the child has been killed, so that is short. A cleanup ends
 * the child of a task that is abandoned. */
#define _GNU_SOURCE
#include "os/process.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "os/public.h"
#include "sync/begin.h"
#include "sync/source.h"

#include "co4/task.h"
#include "co4/time.h"

pausable int co4_process_start(co4_process **process, const char *const argv[],
                               const co4_process_options *options)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return err;
    co4_process *p; /* set by a thread of the pool: the caller's variable is the task's alone */
    err = co4_blocking(co4__process_start(process ? &p : NULL, argv, options));
    if (err == CO4_OK)
        *process = p;
    return err;
}

/* ---- waiting ---- */

pausable int co4_process_wait_until(co4_process *process, int *status, int64_t deadline)
{
    int err = process ? CO4__BEGIN() : CO4_EINVAL;
    while (err >= 0 && (err = co4__process_reap(process, status)) == CO4__WOULD_WAIT)
        err = co4_await_until(co4_process_ended(process), NULL, deadline);
    return err;
}

pausable int co4_process_wait(co4_process *process, int *status)
{
    return co4_process_wait_until(process, status, CO4_NEVER);
}

/* Waits for the end, also in a cancelled task. Returns whether it has come. */
static pausable bool wait_shielded(co4_process *p, int64_t deadline)
{
    int shielded = co4_shield_begin(), err = CO4_OK;
    while (err >= 0 && co4__process_reap(p, NULL) == CO4__WOULD_WAIT)
        err = co4_await_until(co4_process_ended(p), NULL, deadline);
    if (shielded == CO4_OK)
        co4_shield_end();
    return err >= 0;
}

pausable void co4_process_destroy(co4_process *process)
{
    if (!process)
        return;
    co4_process_kill(process, SIGKILL);
    wait_shielded(process, CO4_NEVER);
    co4__process_drop(&process);
}

/* Ends the child: SIGTERM, and after the grace SIGKILL. */
static pausable void end_child(co4_process *p, const co4_process_options *options)
{
    int64_t grace = options && options->grace ? options->grace : CO4_PROCESS_GRACE;
    if (grace > 0) {
        co4_process_kill(p, SIGTERM);
        if (wait_shielded(p, co4_after(grace)))
            return;
    }
    co4_process_kill(p, SIGKILL);
    wait_shielded(p, CO4_NEVER);
}

/* ---- start to end ---- */

static bool has_pipe(const co4_process_options *o)
{
    return o &&
           (o->in == CO4_PROCESS_PIPE || o->out == CO4_PROCESS_PIPE || o->err == CO4_PROCESS_PIPE);
}

/* `err`: CO4_OK, or why the child has to end early. Returns as co4_process_run() does. */
static pausable int finish(co4_process *p, const co4_process_options *options, int *status, int err,
                           int64_t deadline)
{
    if (err == CO4_OK)
        err = co4_process_wait_until(p, status, deadline);
    if (err != CO4_OK) {
        end_child(p, options);
        co4__process_reap(p, status);
    }
    return err;
}

pausable int co4_process_run_until(const char *const argv[], const co4_process_options *options,
                                   int *status, int64_t deadline)
{
    __attribute__((cleanup(co4__process_drop))) co4_process *p = NULL;
    if (status)
        *status = -1;
    if (has_pipe(options))
        return CO4_EINVAL;
    int err = co4_process_start(&p, argv, options);
    return err == CO4_OK ? finish(p, options, status, CO4_OK, deadline) : err;
}

pausable int co4_process_run(const char *const argv[], const co4_process_options *options,
                             int *status)
{
    return co4_process_run_until(argv, options, status, CO4_NEVER);
}

/* ---- output ---- */

/* Returns CO4_OK at the end of the output, or a code. */
static pausable int collect(int fd, struct co4__output *o, int64_t deadline)
{
    for (;;) {
        int err = co4__output_grow(o);
        if (err != CO4_OK)
            return err;
        ssize_t n = co4_read_until(fd, o->text + o->bytes, o->room - o->bytes - 1, deadline);
        if (n <= 0)
            return n == 0 ? CO4_OK : co4__wait_code();
        o->bytes += (size_t)n;
    }
}

pausable int co4_process_output_until(const char *const argv[], const co4_process_options *options,
                                      char **out, size_t *bytes, size_t limit, int *status,
                                      int64_t deadline)
{
    __attribute__((cleanup(co4__process_drop))) co4_process *p = NULL;
    __attribute__((cleanup(co4__output_free))) struct co4__output o = { .limit = limit };
    co4_process_options with = { .flags = 0 };
    if (!out || !bytes)
        return CO4_EINVAL;
    if (options)
        with = *options;
    with.out = CO4_PROCESS_INHERIT;
    *out = NULL;
    *bytes = 0;
    if (status)
        *status = -1;
    if (has_pipe(&with))
        return CO4_EINVAL;
    with.out = CO4_PROCESS_PIPE;
    int err = co4_process_start(&p, argv, &with);
    if (err != CO4_OK)
        return err;
    err = collect(co4_process_stdout(p), &o, deadline);
    err = finish(p, options, status, err, deadline);
    if (err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_ECANCELED || err == -EMSGSIZE)
        *out = co4__output_take(&o, bytes);
    return err;
}

pausable int co4_process_output(const char *const argv[], const co4_process_options *options,
                                char **out, size_t *bytes, size_t limit, int *status)
{
    return co4_process_output_until(argv, options, out, bytes, limit, status, CO4_NEVER);
}
