/* modules.c - what is linked together: the tables by which lower layers call higher ones. The only
 * file that knows all modules (tests/checks/layers). */
#include <stddef.h>

#include "base/hooks.h"
#include "core/gen.h"
#include "core/join.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "debug/layout.h"
#include "debug/on_step.h"
#include "debug/registry.h"
#include "debug/report.h"
#include "debug/signal.h"
#include "debug/simulate.h"
#include "debug/stall_detector.h"
#include "debug/task_record.h"
#include "debug/trace.h"
#include "io/closed.h"
#include "io/descriptor.h"
#include "io/reactor.h"
#include "memory/buffers.h"
#include "memory/depot.h"
#include "memory/kept.h"
#include "memory/pool.h"
#include "net/fork.h"
#include "os/signals.h"
#include "plain/plain.h"
#include "platform/before_wait.h"
#include "platform/deadlock.h"
#include "platform/exclusive.h"
#include "platform/fork.h"
#include "platform/thread.h"
#include "sched/blocking.h"
#include "sched/forked.h"
#include "sched/run.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"
#include "structured/ends.h"
#include "structured/group.h"
#include "sync/mailbox.h"
#include "sync/sync.h"

const size_t co4__kept_bytes = (sizeof(co4_task) + CO4__GRAIN - 1) / CO4__GRAIN *
                               CO4__GRAIN; /* tasks */

const struct co4__hooks co4__hooks = {
    .turn_all = co4__runtime_turn_all,
    .simulate = co4__simulate,
    .deadlock = co4__report_deadlock,
    .sleep_for_events = co4__reactor_sleep,
    .layout = &co4__layout,
};

const struct co4__step_hooks co4__step_hooks = {
    .runtime_begins = co4__on_runtime_begins,
    .report = co4__report_left,
    .runtime_ends = co4__registry_strike,
    .stalls_begin = co4__stalls_begin,
    .stalls_look = co4__stalls_look,
    .stalls_end = co4__stalls_end,
    .task_enters = co4__on_task_enters,
    .task_is_ready = co4__on_task_is_ready,
    .step_begins = co4__on_step_begins,
    .step_ends = co4__on_step_ends,
    .task_ends = co4__on_task_ends,
    .signal = co4__signal_look,
};

const struct co4__mailbox_hooks co4__mailbox_hooks = {
    .is_made = co4__account_add,
    .is_destroyed = co4__account_drop,
};

const struct co4__gen_hooks co4__gen_hooks = {
    .advance = co4__plain_gen_advance,
    .release = co4__plain_gen_release,
};

static bool has_left(struct co4__wait_queue *p, co4_waiter *w, struct co4__list *woken)
{
    if (p->gate != CO4__GATE_DESCRIPTOR)
        return co4__sync_left(p, w, woken);
    co4__descriptor_left(p);
    return false;
}

const struct co4__poller_hooks co4__poller_hooks = {
    .host_fd = co4__reactor_host_fd,
};

const struct co4__wait_hooks co4__wait_hooks = {
    .wake = co4__wake,
    .runs_look = co4__runs_look,
    .runs_left_by = co4__runs_left_by,
    .run_root = co4__run_root,
    .timers_of = co4__worker_timers_of,
    .has_left = has_left,
    .is_undriven = co4__runtime_is_undriven,
    .listener_is_due = co4__timer_source_due,
};

const struct co4__task_hooks co4__task_hooks = {
    .is_started = co4__task_is_started,
    .ends = co4__task_ends,
    .has_stopped = co4__member_ended,
    .has_notified = co4__task_notified,
    .is_freed = co4__task_is_freed,
    .is_detached = co4__record_free,
    .is_named = co4__trace_named,
    .keeps_reason = co4__scope_has_cancelled,
    .holds_frame = co4__scope_holds,
    .frames_are_lost = co4__scopes_end,
};

/* Members are first, and last but one: fork_members.c. exclusive.c is last: a thread that
 * takes any other lock may revoke an exclusive owner, and that takes exclusive.c's lock. */
co4__fork_handler *const co4__forks[] = {
    co4__members_prepare, co4__signal_fork,    co4__registry_fork,
    co4__report_fork,     co4__group_fork,     co4__join_fork,
    co4__plain_fork,      co4__runtime_fork,   co4__forked_fork,
    co4__blocking_fork,   co4__resolver_fork,  co4__closed_fork,
    co4__reactor_fork,    co4__signals_fork,   co4__trace_fork,
    co4__runtime_id_fork, co4__pool_fork,      co4__deadlock_fork,
    co4__members_release, co4__exclusive_fork, NULL,
};

/* pool.c is last: the others give memory back. */
void (*const co4__thread_exits[])(void) = {
    co4__runs_thread_exit,
    co4__trace_thread_exit,
    co4__before_wait_run,
    co4__runtime_id_thread_exit,
    co4__buffers_thread_exit,
    co4__pool_thread_exit,
    NULL,
};
