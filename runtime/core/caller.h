/* caller.h - what a function that users call has to know of its caller. */
#ifndef CO4_CALLER_H
#define CO4_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/wait.h"
#include "platform/thread.h"

/* Where the stack of the caller of this function ends: what is deeper has returned, or was jumped
 * over. And where this function returns to. NULL where that is not known: plain WebAssembly has no
 * longjmp, either. */
#if (defined(__GNUC__) || defined(__clang__)) && !(defined(__wasm__) && !defined(__EMSCRIPTEN__))
#define CO4__CALLED_AT   ((char *)__builtin_dwarf_cfa())
#define CO4__CALLED_FROM __builtin_return_address(0)
#else
#define CO4__CALLED_AT   ((char *)0)
#define CO4__CALLED_FROM ((void *)0)
#endif

/* Has the thread left runs by a jump? They are forgotten then, to be given back by the next. */
#define CO4__RUNS_LOOK(here)                                                                       \
    do                                                                                             \
        if (CO4__UNLIKELY((uintptr_t)CO4__CALLED_AT > (here)->run_at))                             \
            co4__wait_hooks.runs_look(CO4__CALLED_AT);                                             \
    while (0)

/* For calls that are not for tasks: is this one? */
static CO4__ALWAYS_INLINE bool co4__in_task(void)
{
    if (CO4__LIKELY(!co4__local()->current))
        return false;
    CO4__RUNS_LOOK(co4__local());
    return co4__local()->current != NULL;
}

#endif
