/* program.h - a program of --auto=test: program.c explains it. */
#ifndef CO4_SIMULATION_PROGRAM_H
#define CO4_SIMULATION_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "co4/test.h"

/* Whether the calling thread is the one that is simulated. */
CO4__OWN bool co4__program_is_simulated(void);
/* options.c: what the environment asks of a run with this seed. */
CO4__OWN void co4__simulation_options(co4_test_options *options, uint64_t seed);
/* Ends the process with a message, as the simulation cannot begin or go on. */
CO4__OWN _Noreturn void co4__simulation_refuses(const char *what, const char *why);
/* The time of the simulation. Each look takes some: a program that waits by looking again and again
 * does not wait for ever. */
CO4__OWN int64_t co4__simulated_look(void);
/* The next of the numbers that stand for all that a real run draws from the system. */
CO4__OWN uint64_t co4__simulated_random(void);

#endif
