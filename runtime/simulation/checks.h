/* checks.h - the command that looks at what a crash has left (co4test --check). */
#ifndef CO4_SIMULATION_CHECKS_H
#define CO4_SIMULATION_CHECKS_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/public.h"

/* If there is such a command, standard output is a file that it can read. */
CO4__OWN void co4__check_takes_output(unsigned life);
/* Runs it in the folder of the disk that the program calls `home`. True if there is none. */
CO4__OWN bool co4__check_passes(const char *home);

#endif
