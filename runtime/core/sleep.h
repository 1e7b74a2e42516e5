/* sleep.h - the heap of timers of a thread. */
#ifndef CO4_SLEEP_INTERNAL_H
#define CO4_SLEEP_INTERNAL_H

#include "core/timers.h"

/* Returns the heap of the calling thread, or NULL if it has none. */
struct co4__timers *co4__timers_here(void);

#endif
