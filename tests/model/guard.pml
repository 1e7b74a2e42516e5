/* guard.pml - a worker opens its queue while a step runs, and the monitor may take tasks from
 * it (spares.c). A step makes a task ready, and goes on.
 *
 *   - the owner and the monitor never access the queue at the same time
 *   - each task runs once, here or at another worker, and none is lost
 *   - neither waits for the other for ever
 *
 * break: PUSHES_OPEN      a step makes a task ready without taking the queue
 * break: ENDS_OPEN        the end of a step does not take the queue back
 * break: TAKES_OWNED       the monitor does not look whether the queue is open
 * break: NOT_GIVEN_BACK   the monitor keeps the queue
 * break: DROPS_FOR_TAKEN  a step whose queue is taken forgets the task that it makes ready */
#include "model.h"

#define OWNED  0
#define OPEN  1
#define TAKEN 2
#define TASKS 3 /* each makes the next one ready */

byte guard = OWNED, inside;   /* how many access the queue */
byte queue, inbox, elsewhere; /* sets of tasks, a bit each */
byte runs[TASKS];
byte done;

active proctype finish() /* it outlives the others */
{
    (_nr_pr == 1) -> assert(runs[0] == 1 && runs[1] == 1 && runs[2] == 1)
}

inline enter()
{
    atomic { inside++; assert(inside == 1) }
}

inline leave()
{
    inside--
}

inline run_one(t)
{
    atomic { runs[t]++; done++ }
}

/* What a step makes ready: co4__spares_push, while `guard` is not OWNED. */
inline make_ready(t)
{
#ifdef PUSHES_OPEN
    enter();
    queue = queue | (1 << (t));
    leave()
#else
    atomic { taken_back = (guard == OPEN); guard = (taken_back -> OWNED : guard) };
    if
    :: taken_back ->
        enter();
        queue = queue | (1 << (t));
        leave();
        guard = OPEN
    :: else ->
#ifndef DROPS_FOR_TAKEN
        atomic { inbox = inbox | (1 << (t)) }
#else
        skip
#endif
    fi
#endif
}

active proctype owner()
{
    byte t;
    bool taken_back;
    enter();
    queue = 1;
    leave();
    do
    :: done == TASKS -> break
    :: done < TASKS ->
        enter();
        atomic { queue = queue | inbox; inbox = 0 };
        t = 0;
        do
        :: t < TASKS && !(queue & (1 << t)) -> t++
        :: else -> break
        od;
        if
        :: t < TASKS -> queue = queue & ~(1 << t)
        :: else
        fi;
        leave();
        if
        :: t < TASKS ->
            guard = OPEN;
            if
            :: t + 1 < TASKS -> make_ready(t + 1)
            :: else
            fi;
            run_one(t);
#ifdef ENDS_OPEN
            guard = OWNED
#else
            atomic { guard == OPEN -> guard = OWNED } /* co4__spares_take_back */
#endif
        :: else -> (inbox != 0 || done == TASKS)
        fi
    od
}

active proctype monitor()
{
    byte part;
    do
    :: done == TASKS -> break
    :: done < TASKS ->
#ifdef TAKES_OWNED
        guard = TAKEN;
#else
        if
        :: atomic { guard == OPEN -> guard = TAKEN }
        :: done == TASKS -> break
        fi;
#endif
        enter();
        part = queue;
        queue = 0;
        leave();
#ifndef NOT_GIVEN_BACK
        guard = OPEN;
#endif
        atomic { elsewhere = elsewhere | part }
    od
}

active proctype other() /* a free worker */
{
    byte t;
    do
    :: done == TASKS -> break
    :: elsewhere != 0 ->
        t = 0;
        do
        :: !(elsewhere & (1 << t)) -> t++
        :: else -> break
        od;
        atomic { elsewhere = elsewhere & ~(1 << t) };
        if
        :: t + 1 < TASKS -> atomic { inbox = inbox | (1 << (t + 1)) } /* it places it there */
        :: else
        fi;
        run_one(t)
    od
}
