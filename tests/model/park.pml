/* park.pml - the state of a task: wakes that come while its step still unwinds (task.c).
 *
 * Two workers step one task. In each step the task queues itself, and its frames are saved only
 * after that. Two wakers may claim it at any time after the queueing.
 *
 *   - one worker at a time runs the task, and finds its frames saved
 *   - each wait is followed by one wake and one step: the task ends after all its waits, and no
 *     wake is left
 *
 * break: LOST_WAKE       a wake that finds the task running does not change the state
 * break: EARLY_WAKE      a wake that finds the task running makes it ready itself
 * break: TWO_STEP_WAIT   WAIT reads the state and writes it in two steps
 * break: TWO_STEP_WAKE   WAKE does so */
#include "model.h"

#define WAITS 3

mtype = { READY, RUNNING, WOKEN, PAUSED };

mtype state = READY;
byte wait = NONE;
bool saved = true, ended;
byte inside, waits, wakes;
byte queued = 1; /* how often it is in a queue */

active proctype end() /* first: it outlives the others */
{
    ended && _nr_pr == 1;
    assert(waits == WAITS && wakes == WAITS && queued == 0 && inside == 0 && wait == NONE)
}

active [2] proctype worker()
{
    mtype was;
    do
    :: atomic { queued > 0 -> queued-- };
        assert(saved);
        inside++;
        assert(inside == 1);
        state = RUNNING;
        if
        :: waits == WAITS ->
            inside--;
            ended = true
        :: else ->
            waits++;
            saved = false;
            wait = LISTED;
            saved = true;
            inside--;
#ifdef TWO_STEP_WAIT
            was = state;
            state = (was == RUNNING -> PAUSED : READY);
#else
            atomic { was = state; state = (was == RUNNING -> PAUSED : READY) };
#endif
            if
            :: was == WOKEN -> queued++
            :: else
            fi
        fi
    :: ended -> break
    od
}

active [2] proctype waker()
{
    mtype was;
    bool won;
    do
    :: wait == LISTED ->
        CLAIM(wait, won);
        if
        :: won ->
            wakes++;
            was = state;
            if
            :: was == PAUSED -> state = READY /* no other process changes it */
            :: else ->
#ifdef TWO_STEP_WAKE
                state = WOKEN
#else
                atomic {
                    was = state;
                    assert(was == PAUSED || was == RUNNING);
#ifdef LOST_WAKE
                    state = (was == PAUSED -> READY : RUNNING)
#else
                    state = (was == PAUSED -> READY : WOKEN)
#endif
                }
#endif
            fi;
            if
            :: was == PAUSED -> queued++
#ifdef EARLY_WAKE
            :: was == RUNNING -> queued++
#endif
            :: else
            fi
        :: else
        fi
    :: ended -> break
    od
}
