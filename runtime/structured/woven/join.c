/* join.c - a join that copies the result of the task and releases it. */
#include "core/join.h"
#include "sync/source.h"

pausable int(co4_join)(co4_task *task, void *out, size_t size)
{
    __attribute__((cleanup(co4__task_released))) co4_task *held = task;
    int err = co4_task_join(held);
    return co4__join_result(held, err, out, size);
}

/* A task that has not ended stays the caller's. */
pausable int(co4_join_until)(co4_task *task, void *out, size_t size, int64_t deadline)
{
    int err = co4_task_join_until(task, deadline);
    if (!task || co4_task_state_of(task) != CO4_TASK_STOPPED)
        return err;
    err = co4__join_result(task, err, out, size);
    co4_task_release(task);
    return err;
}
