/* co4.h - straight-line C code that waits, without a thread and without a stack of its own.
 *
 * Include this file; mark functions that wait with `pausable`; build with co4weave.
 *
 * A function marked `pausable` in these headers pauses the *task* that calls it and is called from
 * pausable functions. All others never pause; only those whose comment says so block the *thread*.
 */

/* By topic:
 *
 *   co4/mark.h     pausable, co4_run, co4_spawn, co4_task_create, co4_generate
 *   co4/error.h    the table of codes
 *   co4/time.h     the clock, yield, sleep
 *   co4/task.h     handles, states, join
 *   co4/actor.h    tasks with an inbox, which can be asked
 *   co4/supervisor.h tasks that are started again when they fail
 *   co4/exit.h     notices of a task's end
 *   co4/gen.h      generators
 *   co4/future.h   co4_async, values that come later
 *   co4/group.h    scopes: tasks that end together; groups, cancelled together
 *   co4/source.h   await and select: waiting for one or the first of several
 *   co4/combine.h  map, filter, race, either, timeout: sources made of sources
 *   co4/timer.h    timers and tickers as sources
 *   co4/retry.h    repeated attempts, with delays
 *   co4/blocking.h co4_blocking: ordinary calls on other threads while the task pauses
 *   co4/mailbox.h  messages between tasks and threads
 *   co4/typed.h    mailboxes whose messages are of one type
 *   co4/sync.h     mutex, read-write lock, semaphore, condition, wait group, barrier, once
 *   co4/broadcast.h every subscriber gets every message
 *   co4/inbox.h    a mailbox that can be looked into: urgent messages, peek, remove, numbers
 *   co4/stream.h   values pulled one by one, through stages
 *   co4/ring.h     a queue for one user at a time
 *   co4/local.h    task-local values
 *   co4/policy.h   the choice of a worker for a task
 *   co4/runtime.h  workers, start, join, embedding
 *   co4/insight.h  introspection: counters, dumps, traces
 *
 * Not included: co4/io.h, co4/file.h, co4/net.h, co4/conn.h, co4/process.h and co4/signal.h, for
 * descriptors, names and processes; co4/tls.h; co4/nats.h and its like; co4/test.h. */
#ifndef CO4_H
#define CO4_H

/* The release, "MAJOR.MINOR.PATCH". */
#define CO4_VERSION "0.2.0"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "co4/mark.h"

#include "co4/actor.h"
#include "co4/blocking.h"
#include "co4/broadcast.h"
#include "co4/combine.h"
#include "co4/error.h"
#include "co4/exit.h"
#include "co4/future.h"
#include "co4/gen.h"
#include "co4/group.h"
#include "co4/inbox.h"
#include "co4/insight.h"
#include "co4/local.h"
#include "co4/mailbox.h"
#include "co4/policy.h"
#include "co4/retry.h"
#include "co4/ring.h"
#include "co4/runtime.h"
#include "co4/source.h"
#include "co4/stream.h"
#include "co4/supervisor.h"
#include "co4/sync.h"
#include "co4/task.h"
#include "co4/time.h"
#include "co4/timer.h"
#include "co4/typed.h"

#endif
