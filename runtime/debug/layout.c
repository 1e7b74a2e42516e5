/* layout.c - struct co4__layout, by which debuggers find the library's data of tasks. */
#include "debug/layout.h"

#include <stddef.h>

#include "base/compiler.h"
#include "core/blocker.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/timers.h"
#include "core/wait.h"
#include "debug/registry.h"
#include "debug/task_record.h"
#include "io/descriptor.h"
#include "memory/depot.h"
#include "memory/kept.h"
#include "sched/runtime.h"
#include "sync/mailbox.h"
#include "sync/source.h"
#include "sync/sync.h"

extern CO4__IF_LINKED const char co4__words_of_calls[];

const struct co4__layout co4__layout = {
    .version = CO4__LAYOUT_VERSION,
    .runtimes = &co4__runtimes,
    .slabs = &co4__depot[CO4__CLASS_OF_KEPT].slabs,
    .fresh = &co4__depot[CO4__CLASS_OF_KEPT].fresh,
    .hidden = &co4__hidden_kept,
    .words_of_calls = co4__words_of_calls,
    .hidden_next = offsetof(struct co4__hidden, next),
    .hidden_task = offsetof(struct co4__hidden, object),
    .slab_next = offsetof(struct co4__slab, next),
    .slab_first = offsetof(struct co4__slab, first),
    .slab_bytes = offsetof(struct co4__slab, bytes),
    .task_bytes = (sizeof(co4_task) + CO4__GRAIN - 1) / CO4__GRAIN * CO4__GRAIN,
    .task_runtime_id = offsetof(co4_task, fiber.runtime_id),
    .task_extension = offsetof(co4_task, extension),
    .task_state = offsetof(co4_task, state),
    .task_wait = offsetof(co4_task, waiter.claim),
    .task_cancel = offsetof(co4_task, cancel),
    .task_leaf = offsetof(co4_task, fiber.leaf),
    .task_buffer = offsetof(co4_task, waiter.result.wait.buffer),
    .task_where = offsetof(co4_task, waiter.result.wait.where),
    .timer_queue = offsetof(struct co4__timer, wait_queue),
    .queue_second = offsetof(struct co4__wait_queue, second),
    .queue_bytes = sizeof(struct co4__wait_queue),
    .extension_name = offsetof(struct co4__task_extension, name),
    .extension_record = offsetof(struct co4__task_extension, record),
    .record_function = offsetof(struct co4__task_record, function),
    .record_number = offsetof(struct co4__task_record, number),
    .runtime_next = offsetof(co4_runtime, registry.next),
    .runtime_number = offsetof(co4_runtime, registry.number),
    .runtime_main = offsetof(co4_runtime, run.main),
    .mailbox_queue = offsetof(struct co4_mailbox, queues),
    .lock_queue = offsetof(struct co4__sync, wait_queue),
    .queue_gate = offsetof(struct co4__wait_queue, gate),
    .gate_of_descriptors = CO4__GATE_DESCRIPTOR,
    .descriptor_fd = offsetof(struct co4__descriptor, fd),
    .selecting_count = offsetof(struct co4__selecting, count),
    .selecting_cases = offsetof(struct co4__selecting, cases),
    .case_source = offsetof(co4_case, source),
};
