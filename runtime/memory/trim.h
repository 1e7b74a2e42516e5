/* trim.h - unused memory of the pool goes back to the system. trim.c explains how. */
#ifndef CO4_TRIM_INTERNAL_H
#define CO4_TRIM_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "memory/depot.h"

int64_t co4__trim_now(int64_t at);

/* Called by an idle worker, which holds no lock. Does a bounded part of the work that is due.
 * Returns the time of the next part, or CO4_NEVER. */
static inline int64_t co4__trim_idle(void)
{
    int64_t at = atomic_load_explicit(&co4__trim_at, memory_order_relaxed);
    return CO4__LIKELY(at == CO4_NEVER) ? at : co4__trim_now(at);
}

#endif
