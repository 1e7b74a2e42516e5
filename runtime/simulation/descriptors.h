/* descriptors.h - simulated descriptors of a program of --auto=test: see descriptors.c. */
#ifndef CO4_SIMULATION_DESCRIPTORS_H
#define CO4_SIMULATION_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "io/descriptor.h"
#include "io/network.h"

/* NULL: the number is none, or the system's. */
CO4__OWN struct co4__descriptor *co4__simulated_at(int fd);
/* Whether the program has set O_NONBLOCK. */
CO4__OWN bool co4__simulated_is_nonblocking(int fd);
/* A wait of a call that cannot pause: gives steps to others until `is_over`, or the deadline.
 * Returns whether it is over. Where nothing can end it, the program ends. `name`: of the call. */
CO4__OWN bool co4__simulated_step_until(bool (*is_over)(void *data), void *data, int64_t deadline,
                                        const char *name);
/* Set where there are descriptors that are no sockets: as co4__posix_duplicated, with an error
 * number. */
extern CO4__OWN int (*co4__simulated_duplicates)(int from, int to);

#endif
