/* internal.h - the map of the runtime.
 *
 * A folder uses those before it, never those behind it; tests/checks/layers has the references that
 * are still to go.
 *
 *   base/        alloc.c, malloc with a switch that makes it fail; error.c, codes to texts;
 *                ring.c, queues for one user at a time; text.c, words and numbers for people
 *   platform/    pthread.c or none.c, threads, clock, parking, per-thread state; fd.c, descriptors
 *                and signals; fork.c; alone.c, a thread that does without atomic updates
 *   memory/      pool.c, frames and tasks by size class, per thread, with a shared depot
 *   core/        fiber.c, the trampoline, frames, forced pauses; gen.c, generators; task.c,
 *                states, handles, wakes, join, yield; entry.c, what woven code calls for
 *                co4_spawn; extra.c, what few tasks have; local.c, values of tasks; wait.c, where
 *                a task waits: listing, claiming, cancelling; timer.c, deadlines, a heap a worker;
 *                home.c, runtimes by number
 *   sched/       queue.c, a worker's queue; worker.c, fetch, step, settle, doze; policy.c,
 *                sched.c, which worker gets a task; rescue.c, tasks of a worker that is stuck;
 *                runtime.c, the public life of a runtime; run.c, co4_run; blocking.c, threads for
 *                ordinary calls
 *   sync/        messages.c, a ring of messages; mailbox*.c; source.c, listeners of awaits and
 *                selects; sync.c, locks and the like; timer_source.c, timers and tickers
 *   structured/  group.c, scope.c, future.c; exit.c, who is told that a task has ended
 *   extras/      combine.c, sources made of sources; gather.c, futures of futures; collect.c,
 *                futures in the order in which they are done; broadcast.c, actor.c, supervisor.c,
 *                stream.c, retry.c
 *   debug/       watch.c, what is done around steps; insight.c, dumps and counters; trace.c, for
 *                Perfetto; signal.c, a dump at a signal; stall.c, long steps; deadlock.c;
 *                simulate.c, test mode
 *   plain/       the same API for sources built with CO4_PLAIN
 *   small/       takes the place of tasks, pool and mailboxes in libco4_small.a
 *
 * What pauses itself is pausable C, in a folder woven/ beside what it calls.
 *
 * Locks, in this order; a later one may be taken under an earlier one, never the reverse:
 *   all runtimes, the accounts of mailboxes (insight.c)
 *   a task's guard (group.c)  →  a group, from above to below, and a scope before those that are
 *      opened inside  →  a collector
 *   →  a place (mailbox, broadcast, join bucket, future, end of a task, timer, all of sync.c),
 *      never two of them
 *   →  what listeners have: maps from below to above (combine.c), a gathering (gather.c)  →  a
 *      claim (source.c)
 *   →  a heap of timers, a task's `cancelling` (scope.c)  →  a depot class
 * Under any of them a thread may be made to stop being alone; that waits for no thread that takes a
 * lock (alone.c). Nothing but a depot class is taken under these: an actor, the threads for
 * blocking calls, the started runtimes, who joins one, all caches of the pool, all rings of a
 * trace, dumps at a signal (signal.c). Wakes are sent with no lock held, and the user's functions
 * called with none. */
#ifndef CO4_INTERNAL_H
#define CO4_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"
#include "base/random.h"
#include "base/ring.h"
#include "base/simulation.h"
#include "core/extra.h"
#include "core/fiber.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "debug/watch.h"
#include "memory/pool.h"
#include "plain/plain.h"
#include "platform/alone.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/policy.h"
#include "sched/queue.h"
#include "sched/rescue.h"
#include "sched/run.h"
#include "sched/runtime.h"
#include "sched/sched.h"
#include "sched/worker.h"

#endif
