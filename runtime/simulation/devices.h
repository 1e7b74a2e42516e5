/* devices.h - files of the system whose bytes differ from run to run: devices.c. */
#ifndef CO4_SIMULATION_DEVICES_H
#define CO4_SIMULATION_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/* Fills the bytes with numbers that the seed decides. */
CO4__OWN void co4__simulated_fill(void *bytes, size_t count);
/* program.c: from now on what the program opens may be one of these. */
CO4__OWN void co4__devices_begin(void);
/* Whether the descriptor is a device of random numbers. */
CO4__OWN bool co4__is_random_device(int fd);

#endif
