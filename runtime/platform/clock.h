/* clock.h - time, random choices and the sleep of threads, as programs see them: real or
 * simulated. */
#ifndef CO4_CLOCK_H
#define CO4_CLOCK_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "platform/thread.h"

/* Blocks the thread until co4_now() reaches the deadline. */
void co4__sleep_block(int64_t deadline);
/* Returns a number that differs from call to call. A select chooses by it which case it tries
 * first. */
CO4__PRIVATE unsigned co4__choice(void);
/* Like co4__parker_look(), with a deadline by co4_now(). The report of a deadlock begins with
 * `what`. */
int co4__park_thread(struct co4__parker *p, int64_t deadline, const char *what);

#endif
