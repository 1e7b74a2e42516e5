/* machine.h - the machine that a program of --auto=test sees: machine.c. */
#ifndef CO4_SIMULATION_MACHINE_H
#define CO4_SIMULATION_MACHINE_H

#include <stddef.h>

#include "base/compiler.h"

/* The name of the machine, which names of hosts have, too. */
CO4__OWN const char *co4__machine_name(void);
/* As those of posix/processes.h. */
CO4__OWN int co4__machine_affinity(unsigned thread, size_t bytes, void *get, const void *wanted);
CO4__OWN void co4__machine_inherits(unsigned thread, unsigned from);

#endif
