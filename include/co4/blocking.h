/* co4/blocking.h - ordinary calls that block, made by other threads while the task pauses.
 *
 *     ssize_t n = co4_blocking(read(fd, buffer, sizeof buffer));
 *
 * A pausable function writes co4_blocking(f(a, b)), with a call of an ordinary function. It
 * evaluates the arguments in place; then a thread of a pool makes the call, and the task goes on
 * with the value that f returned. It has f's own type, void included. Memory that the arguments
 * point to stays in place meanwhile; so do locals whose address is taken.
 *
 * The call is always made, once, and the task always waits for its end. A cancellation of the task
 * does not shorten the call; the next pausing call reports it. The call runs outside tasks, on a
 * thread of its own. Thread-local values, errno among them, are that thread's. It may block, and
 * may block in co4 as well (co4_block()). The pool makes at most as
 * many calls at once as it has threads, first come, first served; calls that wait for each other
 * may need more.
 *
 * If no thread of the pool can make the call, the calling thread makes it, and blocks. That is so
 * inside a generator, in test mode, in a build without threads, and when the system gives no thread
 * and the pool has none. Plain: a call. When there is no memory for a frame the task ends with
 * CO4_ENOMEM, as at any pause: before the call, if the call's own frame is missing, or after it.
 *
 * The pool starts threads when there are more calls than threads. They end after some time without
 * calls. */
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

/* The greatest number of threads of the pool, unless co4_blocking_limit() sets another. */
#define CO4_BLOCKING_THREADS 64

/* Sets the greatest number of threads of the pool; the default is CO4_BLOCKING_THREADS. Threads
 * beyond it end after their call.
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
