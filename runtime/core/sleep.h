/* sleep.h - firing timers. */
#ifndef CO4_SLEEP_INTERNAL_H
#define CO4_SLEEP_INTERNAL_H

#include <stdint.h>

#include "core/timers.h"

/* Returns the heap of the calling thread, or NULL if it has none. */
struct co4__timers *co4__timers_here(void);
/* The thread owns h and is in no step. */
void co4__timers_fire(struct co4__timers *h, int64_t now);

#endif
