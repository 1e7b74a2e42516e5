/* clock.h - time, chance and the sleep of threads, as programs see them: real, or simulated. */
#ifndef CO4_CLOCK_H
#define CO4_CLOCK_H

#include <stdint.h>

#include "base/public.h"
#include "platform/thread.h"

/* The thread sleeps, by co4_now(). */
void co4__sleep_block(int64_t deadline);
/* A number that differs from call to call: which case a select looks at first, say. */
unsigned co4__random(void);
/* co4__parker_look(), by co4_now(). */
int co4__park_thread(struct co4__parker *p, int64_t deadline);

#endif
