/* caller.h - facts about the caller of a public function. */
#ifndef CO4_CALLER_H
#define CO4_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/wait.h"
#include "platform/thread.h"

/* CALLED_AT: the end of the stack of this function's caller. Frames deeper than that have returned,
 * or a longjmp has skipped them. CALLED_FROM: where this function returns to. Both are NULL where
 * this is not known. WebAssembly is such a target: Emscripten finds addresses only with a setting
 * of its own, so runs that a longjmp has skipped there stay. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__wasm__)
#define CO4__CALLED_AT   ((char *)__builtin_dwarf_cfa())
#define CO4__CALLED_FROM __builtin_return_address(0)
#else
#define CO4__CALLED_AT   ((char *)0)
#define CO4__CALLED_FROM ((void *)0)
#endif

/* If a longjmp has skipped runs of this thread, removes them. The next run frees them. */
#define CO4__RUNS_LOOK(here)                                                                       \
    do                                                                                             \
        if (CO4__UNLIKELY((uintptr_t)CO4__CALLED_AT > (here)->run.at))                             \
            co4__wait_hooks.runs_look(CO4__CALLED_AT);                                             \
    while (0)

/* Returns whether the caller is a task. For calls that are not allowed in tasks. */
static CO4__ALWAYS_INLINE bool co4__in_task(void)
{
    if (CO4__LIKELY(!co4__local()->current))
        return false;
    CO4__RUNS_LOOK(co4__local());
    return co4__local()->current != NULL;
}

#endif
