/* observer.h - a thread that observes the program, when the environment asks for it. */
#ifndef CO4_OBSERVER_H
#define CO4_OBSERVER_H

#include <stdint.h>

#include "platform/fork.h"

/* Called once. `console`: the path of its socket, or NULL. `stall_ns`: 0, or the length of steps in
 * runs that are reported. Returns CO4_OK, or why there is no console, or no thread. */
int co4__observer_start(const char *console, int64_t stall_ns);

co4__fork_handler co4__observer_fork;

#endif
