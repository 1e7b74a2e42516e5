/* forced.c - pauses that tests force, and stress mode. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "base/random.h"
#include "core/fiber.h"
#include "core/keep_errno.h"
#include "platform/thread.h"

/* One for each co4_abi_state. Relaxed: they are read when no task runs. */
static atomic_ulong counts[4];

void co4_abi_force_pause(co4_fiber *co4, int resumed)
{
    atomic_fetch_add_explicit(&counts[co4_abi_state_of(co4, resumed)], 1, memory_order_relaxed);
    if (co4->pausing == CO4_ABI_RUNNING) {
        co4_abi_pause(co4, CO4_ABI_READY);
        co4__local()->fiber.forced = true;
        co4__keep_errno(co4);
    }
}

void co4_abi_stress(co4_fiber *co4, unsigned long long seed, int resumed)
{
    struct co4__local *here = co4__local();
    uint64_t n = here->fiber.stress_points++;
    uint64_t every = n < 4000 ? 2 : n < 100000 ? 16 : n < 1000000 ? 256 : 4096;
    if ((co4__random(seed + n) & (every - 1)) == 0)
        co4_abi_force_pause(co4, resumed);
}

void co4_abi_state_counts(unsigned long long out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = atomic_load_explicit(&counts[i], memory_order_relaxed);
}
