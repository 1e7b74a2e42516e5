/* look.pml - one task waits at a mailbox through a filter, another one receives all messages.
 * Messages come, and the first task may be cancelled (source.h).
 *
 *   - each message is received once, and the filter's task receives only messages that the filter
 *     was asked about and wanted
 *   - while the lock is free, a waiting task has nothing to receive but what is left to a notified
 *     one
 *   - no task waits for ever
 *
 * break: NOT_COMPARED  the message is taken without a check that it is the one the filter was asked
 *                      about
 * break: NOT_TOLD      a sender skips the filter
 * break: NOT_LOOKED    the listener is added without another check for messages since the poll
 * break: NOT_ENDED     a task that is cancelled after its notification does not end it
 * break: NOT_PASSED    the end of a notification serves no other waiter */
#include "model.h"

#define MESSAGES 3
#define PLAIN    0
#define WANTED   1

byte ring[MESSAGES], head, tail; /* each message has its place */
bool lock, closed;
byte notified, refused; /* listeners that will look; the number of the message, from 1, or 0 */
bool filter_stands, taker_stands, filter_first;
byte wait = NONE;         /* of the filter's task */
bool told, chosen, ended; /* how its wait ended: by CO4_LOOK; by a message, or the close */
byte wakes, taker_wakes;
byte by_filter, by_taker;
bool cancelled;

active proctype monitor() /* first, with finish: they outlive the others */
{
end:
    do
    :: atomic {
            !lock && tail - head > notified ->
            assert(!taker_stands && !(filter_stands && wait == LISTED && ring[head] == WANTED))
        }
    od
}

active proctype finish()
{
    (_nr_pr == 2) -> assert(by_filter + by_taker == MESSAGES && head == tail)
}

/* The filter's task, which is queued: notified, or passed over. */
#define TELL(x)                                                                                    \
    atomic                                                                                         \
    {                                                                                              \
        x = (wait == LISTED);                                                                      \
        if                                                                                         \
        :: x ->                                                                                    \
            wait = NONE;                                                                           \
            told = true;                                                                           \
            notified++;                                                                            \
            filter_stands = false;                                                                 \
            wakes++                                                                                \
        :: else                                                                                    \
        fi                                                                                         \
    }

#define SERVE_TAKER()                                                                              \
    head++;                                                                                        \
    by_taker++;                                                                                    \
    taker_stands = false;                                                                          \
    taker_wakes++

/* co4__mailbox_settle, under the lock. */
inline settle()
{
    do
    :: tail - head > notified && filter_stands && (filter_first || !taker_stands) ->
        if
        :: refused == head + 1 -> break
        :: else
        fi;
#ifdef NOT_TOLD
        won = false;
#else
        TELL(won);
#endif
        if
        :: won
        :: !won && taker_stands -> SERVE_TAKER()
        :: else -> break
        fi
    :: tail - head > notified && taker_stands && !(filter_stands && filter_first) -> SERVE_TAKER()
    :: else -> break
    od;
    if
    :: head == tail && closed ->
        if
        :: filter_stands ->
            atomic {
                if
                :: wait == LISTED ->
                    wait = NONE;
                    ended = true;
                    filter_stands = false;
                    wakes++
                :: else
                fi
            }
        :: else
        fi;
        if
        :: taker_stands -> taker_stands = false; taker_wakes++
        :: else
        fi
    :: else
    fi
}

/* Under the lock: asks without it, until it has been asked about the oldest. `verdict`: about that,
 * if there is one. */
inline look()
{
    verdict = false;
    do
    :: head < tail ->
        seen = head;
        UNLOCK(lock);
        verdict = (ring[seen] == WANTED);
        LOCK(lock);
#ifdef NOT_COMPARED
        break
#else
        if
        :: head < tail && head == seen -> break
        :: else -> verdict = false
        fi
#endif
    :: else -> verdict = false; break
    od
}

inline take_wanted()
{
    if
    :: head < tail -> assert(ring[head] == WANTED); head++
    :: else -> assert(false)
    fi;
    by_filter++;
    chosen = true;
    settle()
}

active proctype filter()
{
    byte seen;
    bool verdict, won, counted;
    do
    :: closed && head == tail -> break
    :: cancelled -> break
    :: else ->
        chosen = false;
        LOCK(lock); /* poll */
        look();
        if
        :: verdict -> take_wanted()
        :: !verdict && closed && head == tail -> ended = true
        :: else
        fi;
        UNLOCK(lock);
        if
        :: counted ->
            LOCK(lock);
            counted = false;
            notified--;
#ifndef NOT_PASSED
            settle();
#endif
            UNLOCK(lock)
        :: else
        fi;
        if
        :: ended -> break
        :: !ended && !chosen ->
            wait = LISTED;
            LOCK(lock); /* add */
#ifndef NOT_LOOKED
            look();
#endif
            won = false;
            if
            :: verdict ->
                CLAIM(wait, won);
                if
                :: won -> wakes++; take_wanted()
                :: else
                fi
            :: !verdict && closed && head == tail ->
                CLAIM(wait, won);
                if
                :: won -> wakes++; ended = true
                :: else
                fi
            :: else ->
                filter_stands = true;
                filter_first = !taker_stands;
                refused = 0;
                if
                :: head < tail -> refused = head + 1
                :: else
                fi
            fi;
            UNLOCK(lock);
            atomic { wakes > 0 -> wakes-- }; /* park */
            LOCK(lock); /* drop */
            filter_stands = false;
            UNLOCK(lock);
            assert(wait == NONE && wakes == 0);
            if
            :: told -> told = false; counted = true
            :: else
            fi;
            if
            :: ended -> break
            :: else
            fi
        :: else
        fi
    od;
    if
    :: counted ->
        LOCK(lock);
#ifndef NOT_ENDED
        notified--;
#endif
        settle();
        UNLOCK(lock)
    :: else
    fi
}

active proctype taker()
{
    bool won;
    do
    :: LOCK(lock);
        if
        :: head < tail ->
            head++;
            by_taker++;
            settle();
            UNLOCK(lock)
        :: head == tail && closed -> UNLOCK(lock); break
        :: else ->
            taker_stands = true;
            if
            :: filter_stands -> filter_first = true
            :: else -> filter_first = false
            fi;
            UNLOCK(lock);
            atomic { taker_wakes > 0 -> taker_wakes-- }
        fi
    od
}

active proctype putter()
{
    byte n;
    bool won;
    do
    :: n < MESSAGES ->
        LOCK(lock);
        if
        :: ring[tail] = PLAIN
        :: ring[tail] = WANTED
        fi;
        tail++;
        settle();
        UNLOCK(lock);
        n++
    :: else -> break
    od;
    LOCK(lock);
    closed = true;
    settle();
    UNLOCK(lock)
}

active proctype canceller()
{
    bool won;
    if
    :: cancelled = true;
        CLAIM(wait, won);
        if
        :: won -> wakes++
        :: else
        fi
    :: true
    fi
}
