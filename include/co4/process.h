/* co4/process.h - child processes, for tasks.
 *
 *     const char *const argv[] = { "sort", NULL };
 *     co4_process *p;
 *     int status;
 *     if (co4_process_start(&p, argv, &(co4_process_options){ .in = CO4_PROCESS_PIPE }) != CO4_OK)
 *         return -1;
 *     co4_write(co4_process_stdin(p), "b\na\n", 4);
 *     co4_process_close(p, STDIN_FILENO);           it has all of its input now
 *     co4_process_wait(p, &status);
 *     co4_process_destroy(p);
 *
 * A child begins without the parent's signal mask. All signals have their default actions, except
 * for ignored ones of terminals and shells: SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU. It
 * has the descriptors 0, 1 and 2 alone (with glibc 2.34 or later; else also those without
 * FD_CLOEXEC).
 *
 * The program must not wait for these children by other means: neither wait(), nor SIGCHLD ignored.
 * Otherwise the status is lost, and waits fail with -ECHILD. */
#ifndef CO4_PROCESS_H
#define CO4_PROCESS_H

#ifdef __wasi__
#error "co4/process.h: WASI has no processes"
#endif

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "mark.h"
#include "source.h"
#include "time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_process co4_process;

/* What the child has as its descriptor 0, 1 or 2. A greater number than 0 is a descriptor of the
 * program, which stays the program's; the child has a duplicate. It must not have O_NONBLOCK,
 * unless the child can handle that. */
enum {
    CO4_PROCESS_INHERIT = 0, /* the program's own */
    CO4_PROCESS_NULL = -1,   /* /dev/null */
    CO4_PROCESS_PIPE = -2,   /* a pipe: co4_process_stdin() … is the other end */
    CO4_PROCESS_OUTPUT = -3  /* of `err`: the child's descriptor 1 */
};

/* Flags. */
enum {
    /* The child leads a new process group. Signals go to all of the group. */
    CO4_PROCESS_GROUP = 1,
    /* The child also inherits descriptors above 2, except for those with FD_CLOEXEC. */
    CO4_PROCESS_KEEP_FDS = 2
};

/* The grace of options that name none. */
#define CO4_PROCESS_GRACE (2 * CO4_SEC)

/* All zero: the program's directory, environment and descriptors. */
typedef struct co4_process_options {
    const char *const *env; /* "NAME=value" …, NULL; NULL: the program's environment */
    const char *folder;     /* where the child begins; NULL: the program's folder */
    int in, out, err;       /* CO4_PROCESS_INHERIT … */
    int flags;
    /* In ns: from SIGTERM to SIGKILL, when a run ends early. 0: CO4_PROCESS_GRACE; negative:
     * SIGKILL at once. */
    int64_t grace;
} co4_process_options;

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK or a code (error.h): CO4_EINVAL for NULL and bad arguments, CO4_ECANCELED when
 *     the task is cancelled, CO4_ESTATE inside a generator. _until: CO4_ETIMEDOUT.
 * Blocks: never.
 * Thread safety: any task, also several with one process.
 * Ownership: strings and options stay the caller's, until the call returns.
 * Since: 0.2. */

/* Starts argv[0], a path or a name that PATH finds, with `argv` up to NULL as its arguments.
 * `options` may be NULL.
 *
 * Returns: CO4_OK, and *process is set. A code: no child exists. -ENOENT, -EACCES, -ENOEXEC and
 *     others: the program could not be executed; -E2BIG; -EMFILE; CO4_ENOMEM; CO4_ECLOSED for a
 *     descriptor that is not open. -ENOSYS where the system reports no ends of processes.
 * Pauses: while a thread of the blocking pool starts the child.
 * Cancellation: CO4_ECANCELED, and no child exists.
 * Ownership: the process is the caller's, until co4_process_destroy(). */
pausable_or_block int co4_process_start(co4_process **process, const char *const argv[],
                                        const co4_process_options *options);

/* The number of the child. After the end of the child the number may name another process.
 *
 * Returns: the number; -1 for NULL. */
pid_t co4_process_pid(const co4_process *process);

/* The program's ends of the pipes. They are attached, and do not block (io.h).
 *
 * Returns: the descriptor; -1 when there is no pipe, or it is closed, or a connection has it.
 * Ownership: the process's: co4_process_close() or co4_process_destroy() closes it, unless
 *     co4_close() has. A connection over it (conn.h) takes it over: from then on it is the
 *     connection's alone, and may outlive the process. */
int co4_process_stdin(const co4_process *process);
int co4_process_stdout(const co4_process *process);
int co4_process_stderr(const co4_process *process);

/* Closes the program's end of a pipe: STDIN_FILENO, STDOUT_FILENO or STDERR_FILENO.
 *
 * Returns: CO4_OK; CO4_ECLOSED when there is none, or a connection has it. */
int co4_process_close(co4_process *process, int which);

/* Waits for the end of the child. *status is as of waitpid(): WIFEXITED() and so on. It may be
 * NULL. Any number of calls gets it.
 *
 * Returns: as above; -ECHILD when the status is lost.
 * Pauses: until the end. Plain: blocks the thread.
 * Cancellation: CO4_ECANCELED; the child goes on. */
pausable_or_block int co4_process_wait(co4_process *process, int *status);
pausable_or_block int co4_process_wait_until(co4_process *process, int *status, int64_t deadline);

/* The end of the child as a source, without a value. Afterwards co4_process_wait() returns at
 * once.
 *
 * Returns: the source, valid until co4_process_destroy(); NULL for NULL. */
co4_source *co4_process_ended(co4_process *process);

/* Sends a signal to the child, or to its group. Another process never gets it.
 *
 * Returns: as above; -ESRCH when a wait has reported the end; CO4_EPERM. */
int co4_process_kill(co4_process *process, int signo);

/* Closes the pipes, kills the child with SIGKILL unless it has ended, waits for its end, and frees
 * the process. NULL does nothing.
 *
 * Returns: nothing.
 * Pauses: until the child has ended, also in a cancelled task. Plain: blocks the thread.
 * Cancellation: none.
 * Thread safety: no other call uses the process.
 * Ownership: ends the caller's. */
pausable_or_block void co4_process_destroy(co4_process *process);

/* Starts a child, and waits for its end. If the task is cancelled or the deadline comes, the child
 * gets SIGTERM, and SIGKILL when `grace` is over. Pipes are CO4_EINVAL.
 *
 * Returns: CO4_OK, and *status is set; codes as co4_process_start() and co4_process_wait(). After
 *     CO4_ECANCELED and CO4_ETIMEDOUT *status has the end of the child, or is -1 if none was
 *     started.
 * Pauses: until the child has ended, in any case. Plain: blocks the thread.
 * Cancellation: CO4_ECANCELED, after the end of the child. */
pausable_or_block int co4_process_run(const char *const argv[], const co4_process_options *options,
                                      int *status);
pausable_or_block int co4_process_run_until(const char *const argv[],
                                            const co4_process_options *options, int *status,
                                            int64_t deadline);

/* The same, and collects what the child writes to its descriptor 1: *bytes bytes, with a NUL behind
 * them. `out` of the options is not looked at.
 *
 * Returns: as co4_process_run(). -EMSGSIZE when there is more than `limit`: the child is ended as
 *     by a cancellation; CO4_ENOMEM likewise. After CO4_ETIMEDOUT, CO4_ECANCELED and -EMSGSIZE *out
 *     has what the child had written so far; else it is NULL.
 * Pauses: until all processes have closed that descriptor, and the child has ended.
 * Cancellation: CO4_ECANCELED, after the end of the child.
 * Ownership: *out is the caller's, until free(). */
pausable_or_block int co4_process_output(const char *const argv[],
                                         const co4_process_options *options, char **out,
                                         size_t *bytes, size_t limit, int *status);
pausable_or_block int co4_process_output_until(const char *const argv[],
                                               const co4_process_options *options, char **out,
                                               size_t *bytes, size_t limit, int *status,
                                               int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
