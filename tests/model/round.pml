/* round.pml - a barrier of two parties, to which three tasks come twice each, with a deadline
 * (rounds.c). The last one to come counts the round up. Then it claims the others one at a time, and
 * releases the lock in between. Meanwhile each may be claimed by its timer.
 *
 *   - from each completed round exactly two tasks continue, from other rounds none, whatever timers
 *     do
 *   - each wait is ended once, by a thread that removes the task from the list
 *   - no task is left behind: a task of a completed round continues without its timer
 *
 * break: DEAF_TIMER       the timer does not ask at the gate whether the round was completed
 * break: TAKES_NEWCOMERS  all waiters in the list are taken, of any round
 * break: COUNTED_TWICE    a task whose round is completed is subtracted from the count of the next
 *                         one
 * break: COUNT_STAYS      a task that gives up is still counted */
#include "model.h"

#define TASKS   3
#define PARTIES 2
#define WAITS   2
#define ROUNDS  4

bool place;
byte round, come;
byte wait[TASKS], of_round[TASKS], wakes[TASKS];
bool in_list[TASKS], went_on[TASKS];
byte gone_on[ROUNDS];
byte ended;

#ifdef TAKES_NEWCOMERS
#define IS_BEFORE(t, r) true
#else
#define IS_BEFORE(t, r) of_round[t] < r
#endif

/* Those of rounds before r; the lock is held. */
inline take_before(r)
{
    t = 0;
    do
    :: t == TASKS -> break
    :: else ->
        won = false;
        if
        :: in_list[t] && IS_BEFORE(t, r) ->
            CLAIM(wait[t], won)
        :: else
        fi;
        if
        :: won ->
            in_list[t] = false;
            went_on[t] = true;
            taken[t] = true;
            UNLOCK(place);
            LOCK(place)
        :: else
        fi;
        t++
    od
}

proctype task(byte self)
{
    byte i, t, r;
    bool won, taken[TASKS];
    do
    :: i == WAITS -> break
    :: else ->
        LOCK(place);
        come++;
        of_round[self] = round;
        if
        :: come < PARTIES ->
            went_on[self] = false;
            in_list[self] = true;
            wait[self] = LISTED;
            UNLOCK(place);
            atomic { wakes[self] > 0 -> wakes[self]-- };
            assert(!in_list[self] && wakes[self] == 0);
        :: else ->
            come = 0;
            round++;
            r = round;
            take_before(r);
            UNLOCK(place);
            t = 0;
            do
            :: t == TASKS -> break
            :: else ->
                if
                :: taken[t] -> taken[t] = false; wakes[t]++
                :: else
                fi;
                t++
            od;
            went_on[self] = true
        fi;
        if
        :: went_on[self] -> gone_on[of_round[self]]++
        :: else
        fi;
        i++
    od;
    ended++
}

proctype timer(byte t)
{
    bool won;
    do
    :: wait[t] == LISTED ->
        CLAIM(wait[t], won);
        if
        :: won ->
            LOCK(place);
            in_list[t] = false;
#ifdef DEAF_TIMER
            if
            :: of_round[t] == round -> come--
            :: else
            fi;
#else
            if
            :: of_round[t] != round ->
                went_on[t] = true;
#ifdef COUNTED_TWICE
                come--
#endif
            :: else ->
#ifndef COUNT_STAYS
                come--
#endif
            fi;
#endif
            UNLOCK(place);
            wakes[t]++
        :: else
        fi
    :: ended == TASKS -> break
    od
}

init
{
    byte k;
    atomic {
        run task(0); run task(1); run task(2);
        run timer(0); run timer(1); run timer(2)
    };
    ended == TASKS && _nr_pr == 1;
    do
    :: k == ROUNDS -> break
    :: k < round -> assert(gone_on[k] == PARTIES); k++
    :: else -> assert(gone_on[k] == 0); k++
    od
}
