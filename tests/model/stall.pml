/* stall.pml - the thread that looks for steps that take too long, and sleeps while there are none (stall.c).
 *
 *   - a step that does not end is told of, however it begins beside the watcher's falling asleep
 *
 * break: NOT_LOOKED_AGAIN  the watcher says that it sleeps, and sleeps
 * break: READS_FIRST       a worker looks whether it sleeps before it says that its step has begun
 * break: KEEPS_WAKING      who has begun a step does not take back what the watcher has said */
#include "model.h"

#define STEPS 3

byte steps; /* of the worker: odd while one runs */
bool sleeping, flag, told, stuck;

active proctype end() /* first: it outlives the others */
{
    told && _nr_pr == 1
}

active proctype worker()
{
    byte i;
    bool was;
    do
    :: i < STEPS ->
        i++;
#ifdef READS_FIRST
        was = sleeping;
        sleeping = false;
        steps++;
#else
        steps++;
#ifdef KEEPS_WAKING
        was = sleeping;
#else
        atomic { was = sleeping; sleeping = false };
#endif
#endif
        if
        :: was ->
            flag = true
        :: else
        fi;
        if
        :: i == STEPS -> /* it does not end */
            stuck = true;
            told
        :: else -> steps++
        fi
    :: else -> break
    od
}

#define LOOK(any)                                                                                  \
    now = steps;                                                                                   \
    any = (now != seen || now % 2 == 1);                                                           \
    told = told || (now == seen && now % 2 == 1 && stuck);                                         \
    seen = now

active proctype watcher()
{
    byte now, seen;
    bool any;
    do
    :: told -> break
    :: else ->
        LOOK(any);
        if
        :: !any && !told ->
            sleeping = true;
#ifndef NOT_LOOKED_AGAIN
            LOOK(any);
            if
            :: any -> sleeping = false
            :: else
            fi
#endif
        :: else
        fi;
        if
        :: sleeping ->
            flag; /* until it is woken */
            flag = false
        :: else /* a quarter of the limit, or woken */
        fi
    od
}
