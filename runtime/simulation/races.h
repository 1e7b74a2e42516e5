/* races.h - data races by happens-before, in programs of co4weave --auto=test --races. */
#ifndef CO4_SIMULATION_RACES_H
#define CO4_SIMULATION_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "simulation/shadow.h"

/* Of a program that is woven without --races these are NULL. */
CO4__IF_LINKED void co4__races_begin(void);

/* An access of the running thread; `place`: where its code goes on. It does not return if there is
 * a race. */
CO4__OWN void co4__race_access(const void *at, size_t bytes, unsigned kind, const void *place);
/* The memory is new, or another object's. */
CO4__OWN void co4__race_forget(const void *at, size_t bytes);

/* Atomic operations, with an order of C11, around the operation itself. */
CO4__OWN void co4__race_load(const void *at, int order);
CO4__OWN void co4__race_store(const void *at, int order);
CO4__OWN void co4__race_update(const void *at, int order);
CO4__OWN void co4__race_fence(int order);

/* The program makes a call that accesses memory later; where the last of them goes on. */
CO4__OWN void co4__race_calls(const void *place);
CO4__OWN const void *co4__race_call(void);

/* Bytes go from one descriptor to another. */
CO4__OWN void co4__race_sent(void);
CO4__OWN void co4__race_received(void);

#endif
