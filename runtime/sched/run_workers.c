/* run_workers.c - a call on a runtime of its own. */
#include "base/public.h"
#include "core/caller.h"
#include "core/task.h"
#include "sched/made.h"

#include "co4/runtime.h"

/* Returns the task's result; or why it has none. */
static int run_on(co4_runtime *rt, co4_task *task)
{
    int result, err = co4_runtime_start(rt); /* first: without threads the task would stay */
    if (err == CO4_OK)
        err = co4_runtime_schedule(rt, task);
    if (err == CO4_OK)
        err = co4_runtime_join(rt);
    if (err != CO4_OK)
        return err;
    err = co4_task_result(task, &result);
    return err < 0 ? err : result;
}

int co4_run_workers_task(int workers, co4_task *task)
{
    co4_runtime *rt = NULL;
    int err = !task ? CO4_ENOMEM : co4__in_task() ? CO4_EDEADLK : CO4_OK;
    if (err == CO4_OK)
        err = workers < 0 ? CO4_EINVAL
                          : co4__runtime_make(&rt, &(co4_runtime_options){ .workers = workers }, 0);
    if (err == CO4_OK) {
        err = run_on(rt, task);
        co4_runtime_destroy(rt); /* busy: tasks are left that wait for ever */
    }
    co4_task_release(task);
    return err;
}
