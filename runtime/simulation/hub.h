/* hub.h - the process that begins the nodes of a simulation: hub.c explains it. */
#ifndef CO4_SIMULATION_HUB_H
#define CO4_SIMULATION_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct co4__hub_ends {
    int status; /* of waitpid(): the first node's that has failed, or 0 */
    uint64_t digest, steps, choices;
    int64_t now;
};

/* Refuses a file that is wrong, with the place, and programs that cannot be nodes. */
CO4__OWN void co4__hub_check(const char *file);
/* Runs the nodes of a file. In the process of a node it returns true: the node's life begins. In
 * the hub it returns false at the end of all. */
CO4__OWN bool co4__hub_run(const char *file, uint64_t seed, struct co4__hub_ends *ends);
/* A program that the hub executes: is this process a node? */
CO4__OWN bool co4__hub_is_node(void);
/* The arguments of this node's main; NULL: those of the process. */
CO4__OWN char **co4__hub_words(void);

#endif
