/* postponed.pml - signals that come in sections where no handler may run (posix/handlers.c).
 *
 * There is one place for each number. While one waits there, its number is blocked for the
 * interrupted code, so that the system keeps the next ones. A handler that postpones its signal may
 * be interrupted at any step by that of another number, which gives its mask to this handler, not to
 * the code below. When the section ends, those that wait run, each with its number unblocked.
 *
 *   - none comes whose place is taken
 *   - in the end each has been handled
 *
 * break: OWN_ONLY      a handler blocks only its own number for the interrupted code
 * break: NOT_ALL       other handlers may interrupt one that postpones */
#include "model.h"

#define NUMBERS 2
#define EACH    3
#define LEVELS  4 /* the code, and handlers one above the other */

byte queued[NUMBERS]; /* that the system has */
bool waits[NUMBERS];
byte blocked[LEVELS]; /* bits: the mask of what runs at each level */
byte step[LEVELS];
byte level;
byte handled;
bool section = true;

#define BIT(n) (1 << (n))

/* The system interrupts what runs. */
inline deliver(n)
{
    d_step {
        queued[n] > 0 && !(blocked[level] & BIT(n)) && level + 1 < LEVELS ->
            queued[n]--;
            blocked[level + 1] = blocked[level] | BIT(n);
            level++;
            step[level] = n << 4
    }
}

#define NUMBER (step[level] >> 4)

active proctype thread()
{
    byte n;
    queued[0] = EACH;
    queued[1] = EACH;
    do
    :: deliver(0)
    :: deliver(1)
    :: level > 0 -> /* a step of the handler */
        atomic {
            if
            :: !section -> handled++; step[level] = 0; blocked[level] = 0; level--
            :: else ->
                if
                :: (step[level] & 15) == 0 ->
                    step[level]++;
#ifndef NOT_ALL
                    blocked[level] = BIT(0) | BIT(1)
#endif
                :: (step[level] & 15) == 1 ->
                    step[level]++;
                    n = NUMBER;
                    assert(!waits[n]);
                    waits[n] = true
                :: (step[level] & 15) == 2 -> /* the masks, and the return */
                    step[level]++;
#ifdef OWN_ONLY
                    blocked[level - 1] = blocked[level - 1] | BIT(NUMBER)
#else
                    blocked[level - 1] = blocked[level - 1] | (waits[0] * BIT(0)) |
                                         (waits[1] * BIT(1))
#endif
                :: (step[level] & 15) == 3 ->
                    step[level] = 0;
                    blocked[level] = 0;
                    level--
                fi
            fi
        }
    :: level == 0 && section -> section = false
    :: level == 0 && !section && (waits[0] || waits[1]) -> /* run_postponed() */
        n = (waits[0] -> 0 : 1);
        waits[n] = false;
        handled++;
        blocked[0] = blocked[0] & ~BIT(n);
        section = true; /* the next one begins */
    :: level == 0 && !section && !waits[0] && !waits[1] && queued[0] + queued[1] == 0 -> break
    od;
    assert(handled == NUMBERS * EACH)
}
