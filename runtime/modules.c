/* modules.c - what is linked together: the tables by which lower layers call higher ones. With
 * modules_made.c the only file that knows all modules (tests/checks/layers).
 *
 * Purpose: what a program does not use is not linked. A static program has a module if one of its
 * functions is called: by the program, or by a module that it has. A name in a table does not count
 * (CO4__IF_LINKED): if nothing else calls the module, its rows are NULL. So a module registers by
 * being linked. It needs no moment for that, no constructor and no lock, its place in a list is the
 * place of its row here, and neither a fork nor dlopen() comes in between.
 *
 * Invariants: a module has state only if it is linked. So a row is missing only where it would
 * find nothing to do: no lock to take, no task that waits. What a row names is in the file that has
 * the state, since a program may lack any other file. The shared library has all modules.
 *
 * Rejected: modules that register at their first use (a check on each way in, and a list whose
 * order has to be kept); constructors (the linker leaves them out of archives, too); weak
 * definitions that do nothing (a call by another module would find these, and not draw in the right
 * ones). */
#include <stddef.h>

#include "base/compiler.h"
#include "base/hooks.h"
#include "core/defer.h"
#include "core/gen.h"
#include "core/join.h"
#include "core/local.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "debug/deadlock_report.h"
#include "debug/environment.h"
#include "debug/layout.h"
#include "debug/observer.h"
#include "debug/on_step.h"
#include "debug/registry.h"
#include "debug/report.h"
#include "debug/signal.h"
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
#include "posix/thread_state.h"
#include "sched/blocking.h"
#include "sched/forked.h"
#include "sched/host.h"
#include "sched/made.h"
#include "sched/run.h"
#include "sched/sched.h"
#include "sched/spares.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"
#include "structured/exit_monitor.h"
#include "structured/future.h"
#include "structured/group.h"
#include "sync/mailbox.h"
#include "sync/source.h"
#include "sync/sync.h"

/* Declares that a program may lack a function. */
#define MAY_LACK(function) CO4__IF_LINKED __typeof__(function) function

const size_t co4__kept_bytes = (sizeof(co4_task) + CO4__GRAIN - 1) / CO4__GRAIN *
                               CO4__GRAIN; /* tasks */

MAY_LACK(co4__runtime_turn_all);
MAY_LACK(co4__reactor_sleep);
#ifdef __EMSCRIPTEN__
MAY_LACK(co4__reactor_awaits);
#endif

const struct co4__hooks co4__hooks = {
    .turn_all = co4__runtime_turn_all,
    .deadlock = co4__report_deadlock,
    .sleep_for_events = co4__reactor_sleep,
#ifdef __EMSCRIPTEN__
    .awaits_events = co4__reactor_awaits,
#endif
    .layout = &co4__layout,
};

MAY_LACK(co4__on_task_enters);
MAY_LACK(co4__on_task_is_ready);
MAY_LACK(co4__on_step_begins);
MAY_LACK(co4__on_step_ends);
MAY_LACK(co4__on_task_ends);
MAY_LACK(co4__signal_look);
const struct co4__step_hooks co4__step_hooks = {
    .runtime_begins = co4__registry_begins,
    .runtime_ends = co4__registry_ends,
    .task_enters = co4__on_task_enters,
    .task_is_ready = co4__on_task_is_ready,
    .step_begins = co4__on_step_begins,
    .step_ends = co4__on_step_ends,
    .task_ends = co4__on_task_ends,
    .signal = co4__signal_look,
};

MAY_LACK(co4__trace_to);
MAY_LACK(co4__trace_entered);
MAY_LACK(co4__trace_woken);
MAY_LACK(co4__trace_step);
MAY_LACK(co4__trace_stepped);
MAY_LACK(co4__stall_step);
MAY_LACK(co4__stall_stepped);
#ifdef __EMSCRIPTEN__ /* a page sets no variables: a program has what it calls itself */
MAY_LACK(co4__environment_ask);
MAY_LACK(co4__environment_runtime_begins);
MAY_LACK(co4__environment_runtime_ends);
#endif

const struct co4__step_users co4__step_users = {
    .asks_environment = co4__environment_ask,
    .runtime_begins = co4__environment_runtime_begins,
    .runtime_ends = co4__environment_runtime_ends,
    .trace_to = co4__trace_to,
    .trace_entered = co4__trace_entered,
    .trace_woken = co4__trace_woken,
    .trace_step = co4__trace_step,
    .trace_stepped = co4__trace_stepped,
    .stall_step = co4__stall_step,
    .stall_stepped = co4__stall_stepped,
};

MAY_LACK(co4__account_add);
MAY_LACK(co4__account_drop);

const struct co4__mailbox_hooks co4__mailbox_hooks = {
    .is_made = co4__account_add,
    .is_destroyed = co4__account_drop,
};

MAY_LACK(co4__plain_gen_advance);
MAY_LACK(co4__plain_gen_release);

const struct co4__gen_hooks co4__gen_hooks = {
    .advance = co4__plain_gen_advance,
    .release = co4__plain_gen_release,
};

MAY_LACK(co4__reactor_host_fd);
MAY_LACK(co4__reactor_prepare);

const struct co4__poller_hooks co4__poller_hooks = {
    .host_fd = co4__reactor_host_fd,
    .prepare = co4__reactor_prepare,
};

MAY_LACK(co4__several_place);
MAY_LACK(co4__several_place_other);
MAY_LACK(co4__several_yield);
MAY_LACK(co4__several_sample);
MAY_LACK(co4__several_rescue);
MAY_LACK(co4__several_answer);
MAY_LACK(co4__spares_push);
MAY_LACK(co4__spares_take_back);
MAY_LACK(co4__spares_begin);
MAY_LACK(co4__spares_idle);
MAY_LACK(co4__spares_look);

const struct co4__several co4__several = {
    .place = co4__several_place,
    .place_other = co4__several_place_other,
    .yield = co4__several_yield,
    .sample = co4__several_sample,
    .rescue = co4__several_rescue,
    .answer = co4__several_answer,
    .push_guarded = co4__spares_push,
    .takes_back = co4__spares_take_back,
    .begins = co4__spares_begin,
    .idles = co4__spares_idle,
    .look = co4__spares_look,
};

MAY_LACK(co4__rwlock_left);
MAY_LACK(co4__round_left);
MAY_LACK(co4__descriptor_left);
MAY_LACK(co4__runtime_is_undriven);
MAY_LACK(co4__runtime_newest);
MAY_LACK(co4__timer_source_due);

const struct co4__wait_hooks co4__wait_hooks = {
    .wake = co4__wake,
    .runs_look = co4__runs_look,
    .runs_left_by = co4__runs_left_by,
    .run_root = co4__run_root,
    .timers_of = co4__worker_timers_of,
    .has_left = { [CO4__GATE_RWLOCK] = co4__rwlock_left,
                  [CO4__GATE_ROUNDS] = co4__round_left,
                  [CO4__GATE_DESCRIPTOR] = co4__descriptor_left },
    .is_undriven = co4__runtime_is_undriven,
    .newest = co4__runtime_newest,
    .listener_is_due = co4__timer_source_due,
};

MAY_LACK(co4__task_notify);
MAY_LACK(co4__defers_run);
MAY_LACK(co4__task_local_end);
MAY_LACK(co4__future_ended);
MAY_LACK(co4__future_kept);
MAY_LACK(co4__member_ended);
MAY_LACK(co4__scope_failed);
MAY_LACK(co4__exits_ended);
MAY_LACK(co4__exits_free);
MAY_LACK(co4__record_free);
MAY_LACK(co4__trace_named);
MAY_LACK(co4__scope_has_cancelled);
MAY_LACK(co4__scope_holds);
MAY_LACK(co4__scopes_end);

#ifdef __linux__ /* posix/ */
MAY_LACK(co4__as_thread);
#endif
#ifdef __EMSCRIPTEN__
MAY_LACK(co4__host_call_ends);
#endif

const struct co4__task_hooks co4__task_hooks = {
    .wakes_joiners = co4__task_notify,
#ifdef __EMSCRIPTEN__
    .host_call_ends = co4__host_call_ends,
#endif
    .runs_defers = co4__defers_run,
    .ends_locals = co4__task_local_end,
    .keeps_future = co4__future_kept,
    .ends_future = co4__future_ended,
    .leaves_group = co4__member_ended,
    .fails_scope = co4__scope_failed,
    .sends_exits = co4__exits_ended,
    .frees_exits = co4__exits_free,
    .frees_record = co4__record_free,
    .is_named = co4__trace_named,
    .keeps_reason = co4__scope_has_cancelled,
    .holds_frame = co4__scope_holds,
    .frames_are_lost = co4__scopes_end,
#ifdef __linux__
    .as_thread = co4__as_thread,
#endif
};

CO4__IF_LINKED co4__fork_handler co4__signal_fork, co4__report_fork, co4__join_fork,
    co4__plain_fork, co4__runtime_fork, co4__blocking_fork, co4__resolver_fork, co4__closed_fork,
    co4__reactor_fork, co4__signals_fork, co4__trace_fork;

/* Members are first, and last but one: fork_members.c. exclusive.c is last: a thread that
 * takes any other lock may revoke an exclusive owner, and that takes exclusive.c's lock. */
co4__fork_handler *const co4__forks[] = {
    co4__members_prepare, co4__observer_fork, co4__signal_fork,   co4__registry_fork,
    co4__report_fork,     co4__join_fork,     co4__plain_fork,    co4__runtime_fork,
    co4__forked_fork,     co4__blocking_fork, co4__resolver_fork, co4__closed_fork,
    co4__reactor_fork,    co4__signals_fork,  co4__trace_fork,    co4__runtime_id_fork,
    co4__timers_fork,     co4__pool_fork,     co4__deadlock_fork, co4__members_release,
    co4__exclusive_fork,
};
const size_t co4__nforks = sizeof co4__forks / sizeof *co4__forks;

MAY_LACK(co4__trace_thread_exit);
MAY_LACK(co4__buffers_thread_exit);

/* pool.c is last: the others give memory back. */
void (*const co4__thread_exits[])(void) = {
    co4__runs_thread_exit,       co4__trace_thread_exit,   co4__before_wait_run,
    co4__runtime_id_thread_exit, co4__buffers_thread_exit, co4__pool_thread_exit,
};
const size_t co4__nthread_exits = sizeof co4__thread_exits / sizeof *co4__thread_exits;
