/* co4/blocking.h - ordinary calls that block, made by other threads while the task pauses.
 *
 *     ssize_t n = co4_blocking(read(fd, buffer, sizeof buffer));
 *
 * co4_blocking(f(a, b)) stands in a pausable function and takes a call of an ordinary one. The
 * arguments are evaluated where it stands; then a thread of a pool makes the call, and the task
 * goes on with what f returned. It has f's own type, void included. What the arguments point to
 * stays where it is meanwhile: locals whose address is taken do.
 *
 * The call is always made, once, and the task always waits for its end: cancelling the task does
 * not cut it short, and is heard by the next pausing call. It runs outside tasks, on a thread of
 * its own: thread-local values, errno among them, are that thread's; it may block, and may use what
 * is for threads (co4_mailbox_send_block() and the like). At most as many calls as the pool has
 * threads are made at once, first come, first served; calls that wait for each other may need more
 * than that.
 *
 * Where there is nobody to make the call, it is made in place, and blocks the thread: inside a
 * generator, in test mode, in a build without threads, when the system gives no thread and none is
 * there. Plain: a call. When there is no memory for a frame the task ends with CO4_ENOMEM, as at
 * any pause: before the call, for want of the call's own, or after it.
 *
 * Threads are started when there are more calls than threads, and end when they have had nothing to
 * do for a while.
 * */
#ifndef CO4_BLOCKING_H
#define CO4_BLOCKING_H

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* How many threads the pool has at most, unless co4_blocking_limit() says otherwise. */
#define CO4_BLOCKING_THREADS 64

/* Sets how many threads the pool has at most; the default is CO4_BLOCKING_THREADS. Threads that are
 * too many end after their call.
 *
 * Returns: CO4_OK; CO4_EINVAL below 1. */
int co4_blocking_limit(int threads);

/* Threads of the pool, at some moment during the call.
 *
 * Returns: the number. */
int co4_blocking_threads(void);

/* Ends the threads of the pool, for a program that has to end without threads. Later calls start
 * new ones.
 *
 * Returns: CO4_OK; CO4_EDEADLK inside a task and on a thread of the pool.
 * Blocks: the thread, until all calls of the pool have ended. */
int co4_blocking_stop(void);

#ifdef __cplusplus
}
#endif

#endif
