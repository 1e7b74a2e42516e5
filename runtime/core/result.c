/* result.c - reads the result of a task that has stopped. */
#include "core/result.h"

#include "base/public.h"

int(co4_task_result)(const co4_task *task, void *out, size_t size)
{
    if (!task)
        return CO4_EINVAL;
    if (co4_task_state_of(task) != CO4_TASK_STOPPED)
        return CO4_EBUSY;
    int error = co4_task_error(task);
    if (!out)
        return error;
    const void *value = &task->fiber.result;
    size_t bytes = 0;
    if (error != CO4_OK && !co4__returns_code(task))
        return error; /* there is no result */
    if (task->fiber.kind == CO4__KIND_WIDE) {
        bytes = co4__result_bytes(task->fiber.leaf);
        value = task->fiber.result.p;
    } else if (task->fiber.kind >= CO4__KIND_CODE) {
        bytes = task->fiber.kind - (co4__returns_code(task) ? CO4__KIND_CODE : CO4__KIND_VALUE);
    }
    if (size != bytes)
        return CO4_EINVAL;
    memcpy(out, value, size);
    return error;
}
