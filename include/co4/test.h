/* co4/test.h - switches for tests. Not pulled in by co4.h; nothing here is needed to use co4. */
#ifndef CO4_TEST_H
#define CO4_TEST_H

/* Makes an allocation of the runtime fail: n = 1 the next one, n = 2 the one after, …; then all go
 * well again. Negative: the |n|-th and all that follow. 0 switches it off. Frames and tasks from
 * the pools count as allocations. Returns the n that was left over: how far it had still been; -1:
 * all fail. */
long co4_test_fail_alloc(long n);

/* Pool objects (tasks, frames, timers, generators, mailboxes) in use, over all threads. Exact when
 * no other thread is at work. Equal before and after means that nothing has leaked. */
long long co4_test_pool_live(void);

/* Blocks that the runtime has from malloc for other things: runtimes, mailboxes' rings, co4_runs.
 */
long long co4_test_alloc_live(void);

#endif
