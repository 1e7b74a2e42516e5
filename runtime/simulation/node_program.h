/* node_program.h - whether the program of a node's line can be one: node_program.c. */
#ifndef CO4_SIMULATION_NODE_PROGRAM_H
#define CO4_SIMULATION_NODE_PROGRAM_H

#include <stdbool.h>

#include "base/compiler.h"

/* Why it cannot be one; NULL: it may be. Of a script, or a program that is found by PATH, nothing
 * is known. */
CO4__OWN const char *co4__node_program_wrong(const char *path);

#endif
