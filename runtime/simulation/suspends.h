/* suspends.h - waits that signals end, in a program of --auto=test: suspends.c. */
#ifndef CO4_SIMULATION_SUSPENDS_H
#define CO4_SIMULATION_SUSPENDS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* A wait of a call that a handler ends. In memory of the caller. */
struct co4__suspend {
    unsigned count; /* of handlers */
    sigset_t before;
    bool masked;
};

/* The wait begins, with this mask of signals; NULL: as it is. */
CO4__OWN void co4__suspend_begin(struct co4__suspend *s, const sigset_t *mask);
/* Whether a handler has run. */
CO4__OWN bool co4__suspend_is_over(const struct co4__suspend *s);
/* The mask is as before; `errno` stays. */
CO4__OWN void co4__suspend_end(const struct co4__suspend *s);

/* Before each step: pending signals come. As co4__kills.between. */
CO4__OWN bool co4__suspends_between(void);
/* What looks at what is pending then; or NULL. */
extern CO4__OWN void (*co4__suspends_look)(void);

/* As sigsuspend(). */
CO4__OWN int co4__simulated_suspend(const sigset_t *mask);

#endif
