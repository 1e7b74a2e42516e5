/* strategy.h - test mode: which of the tasks that are ready runs next. strategy.c explains it. */
#ifndef CO4_STRATEGY_H
#define CO4_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"

#define CO4__CHANGES 64 /* the greatest depth of PCT */

struct co4__simulated;
struct co4__worker;

/* The state of a strategy: a part of struct co4__simulated. */
struct co4__strategy {
    uint64_t drawn;    /* the number of random numbers so far */
    int64_t patience;  /* ns that may pass yet while tasks are ready */
    int64_t due;       /* when a timer fires next, as far as the running task has to know */
    co4_task *running; /* the one whose step it is; NULL: none */
    struct co4__worker *worker; /* … and its worker; NULL: not known */
    uint32_t last;              /* the number of the one that has run last */
    bool decided;               /* it has not ended its step: a decision has */
    bool leaves;                /* … and another one has to run */
    bool jumps;     /* … or the clock goes to the next deadline, as if all others took long */
    bool woken;     /* a task has become ready since the last choice */
    unsigned every; /* of so many decisions of the random walk one chooses */
    unsigned jump_every;  /* … and of so many one lets time pass; 0: none */
    uint32_t victim;      /* the number of a task that does not run while others can, … */
    uint64_t from, until; /* … between these choices */
    int64_t lowest;       /* PCT: the lowest priority that has been given */
    uint64_t changes[CO4__CHANGES];
    unsigned nchanges, changed;
    size_t scheduled; /* the next line of the schedule */
};

/* Draws what holds for the whole run. */
void co4__strategy_begin(struct co4__simulated *x);
/* At a decision of the running task. Returns whether its step ends here. */
bool co4__strategy_decides(struct co4__simulated *x);
/* Some worker can run a step. Returns the one to do so; its lanes are joined, and *place is where
 * the task is in them. */
struct co4__worker *co4__strategy_choose(struct co4__simulated *x, unsigned *place);

#endif
