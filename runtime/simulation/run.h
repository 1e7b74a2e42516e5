/* run.h - what all of the simulation asks of the run: whether it is one, its time, its numbers. */
#ifndef CO4_SIMULATION_RUN_H
#define CO4_SIMULATION_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

/* Whether the calling thread is the one that is simulated. */
CO4__OWN bool co4__program_is_simulated(void);
/* program.c: the numbers of the run begin. Each life of a seed has others. */
CO4__OWN void co4__simulated_numbers(uint64_t seed, unsigned life);
/* The next of the numbers that stand for all that a real run draws from the system. */
CO4__OWN uint64_t co4__simulated_random(void);
/* A number of the run that is the same whenever it is asked for. */
CO4__OWN uint64_t co4__simulated_constant(uint64_t which);
/* program.c: the process ends without exit(). NULL: no run has begun. */
extern CO4__OWN void (*co4__simulated_ends)(void);
/* The time of the simulation. Each look takes some: a program that waits by looking again and again
 * does not wait for ever. */
CO4__OWN int64_t co4__simulated_look(void);
/* How far the wall clock is ahead of that of the run: ns. A node has one of its own. */
CO4__OWN int64_t co4__simulated_wall(void);
/* `ahead` is that, and `is_set` says when it changes next; CO4_NEVER: it does not. */
CO4__OWN void co4__simulated_wall_is(const int64_t *ahead, int64_t (*is_set)(void));
CO4__OWN int64_t co4__simulated_wall_is_set(void);
/* Other processes may end a wait here: it has children, or shares memory. */
extern CO4__OWN bool co4__simulated_shares;
/* Ends the process with a message, as the simulation cannot begin or go on. */
CO4__OWN _Noreturn void co4__simulation_refuses(const char *what, const char *why);
/* Reads a line, as getline() does. False at the end of the file; a file that cannot be read to its
 * end is refused. */
CO4__OWN bool co4__simulation_line(FILE *f, const char *file, char **line, size_t *room);
/* Sets a variable of the environment, for the parts of the run that look there. */
CO4__OWN void co4__simulation_sets(const char *name, const char *value);

#endif
