/* wakeups.h - signals of conditions that found no waiter. */
#ifndef CO4_SIMULATION_WAKEUPS_H
#define CO4_SIMULATION_WAKEUPS_H

#include "base/compiler.h"

/* From now on they are noted. */
CO4__OWN void co4__wakeups_begin(void);
/* In a deadlock: says on standard error which were lost, of conditions where threads wait. */
CO4__OWN void co4__wakeups_report(void);

#endif
