/* syscalls.h - what posix/ asks of the simulation about the process: syscalls.c. */
#ifndef CO4_SIMULATION_SYSCALLS_H
#define CO4_SIMULATION_SYSCALLS_H

#include "base/compiler.h"
#include "posix/processes.h"

extern CO4__OWN const struct co4__posix_processes co4__simulated_processes;

#endif
