/* inside.c - a function of the library whose direct entry is counted. */
#include <co4.h>

static inline void co4_abi_enter(void) {}
static inline void co4_abi_leave(void) {}

__attribute__((annotate("co4_abi_inside"))) pausable int two_steps(int n)
{
    co4_yield();
    return n + 1;
}

__attribute__((annotate("co4_abi_inside"))) pausable void one_step(void)
{
    co4_yield();
}
