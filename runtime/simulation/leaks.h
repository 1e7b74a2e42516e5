/* leaks.h - what a run leaves at its end: threads, locked mutexes, simulated descriptors. */
#ifndef CO4_SIMULATION_LEAKS_H
#define CO4_SIMULATION_LEAKS_H

#include <stdbool.h>

#include "base/compiler.h"

/* Keeps what there is from now on, if the environment asks for it. */
CO4__OWN void co4__leaks_begin(void);
/* Says on standard error what is left. Returns whether something is. */
CO4__OWN bool co4__leaks_report(void);
/* The program has made this descriptor, by a call that returns to `place`; -1: it has failed.
 * Returns it. */
CO4__OWN int co4__made_at(int fd, const void *place);

#endif
