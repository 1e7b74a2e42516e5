/* result.h - the result of a task's function, and the code of a task's end.
 *
 * Purpose: a task that was spawned from `f(x)` has the result of f until it is freed. A negative
 * int, long or long long is the code of the task's end: co4_task_join(), the future of the task and
 * its scope all give it.
 *
 * Invariants: `fiber.kind` says how long the result is, and whether it is such a number. The result
 * is in fiber.result, which the task does not need for waiting any more. A wide result is in the
 * root frame, and result.p points to it; that frame is fiber.leaf then, and is freed with the task.
 * If the task fails before its function returns, its code takes the place of a number. */
#ifndef CO4_RESULT_INTERNAL_H
#define CO4_RESULT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "core/fiber.h"
#include "core/task.h"

/* The kind of a task whose call frame is `call`. */
static inline uint8_t co4__kind_of(const co4_frame *call)
{
    const co4_abi_func *func = co4_abi_func_of(call->at);
    if (co4__is_wide(call))
        return CO4__KIND_WIDE;
    return (uint8_t)((func->result_bytes & CO4_ABI_CODE ? CO4__KIND_CODE : CO4__KIND_VALUE) +
                     co4__result_bytes(call));
}

static inline bool co4__returns_code(const co4_task *t)
{
    return t->fiber.kind >= CO4__KIND_CODE && t->fiber.kind < CO4__KIND_VALUE;
}

/* Returns the code that a number stands for: CO4_OK unless it is negative. */
static inline int co4__code_of_number(long long n)
{
    return n >= 0 ? CO4_OK : n < CO4__CODE_LEAST ? CO4__CODE_LEAST : (int)n;
}

/* The same for an int, long or long long of `size` bytes, or for nothing. */
static inline int co4__code_of(const void *value, size_t size)
{
    int i = 0;
    long long ll = 0;
    if (size == sizeof i)
        memcpy(&i, value, sizeof i);
    else if (size == sizeof ll)
        memcpy(&ll, value, sizeof ll);
    return co4__code_of_number(i + ll);
}

/* The function of t has returned. Returns CO4_OK, or its result if that is a code. */
static inline int co4__result_code(const co4_task *t)
{
    if (!co4__returns_code(t))
        return CO4_OK;
    return co4__code_of_number(t->fiber.kind == CO4__KIND_CODE + sizeof(int) ? t->fiber.result.i
                                                                             : t->fiber.result.ll);
}

/* Called when the function of t has returned, before any thread is notified. Keeps a wide result.
 * Returns the code of the task's end; *value is the result. */
static inline int co4__task_returned(co4_task *t, const void **value)
{
    *value = &t->fiber.result;
    if (CO4__LIKELY(t->fiber.kind != CO4__KIND_WIDE))
        return co4__result_code(t);
    *value = t->fiber.result.p;
    t->fiber.last->caller = NULL;
    t->fiber.leaf = t->fiber.last;
    return CO4_OK;
}

/* Called when the task ends with this code before its function has returned. */
static inline void co4__task_has_failed(co4_task *t, int error)
{
    if (t->fiber.kind == CO4__KIND_CODE + sizeof(int))
        t->fiber.result.i = error;
    else if (co4__returns_code(t))
        t->fiber.result.ll = error;
}

/* The code with which a task has stopped. */
static inline int co4__task_error(const co4_task *t)
{
    return t->fiber.error == CO4__CODE_ELSEWHERE ? co4__result_code(t)
                                                 : co4__code_unpack(t->fiber.error);
}

#endif
