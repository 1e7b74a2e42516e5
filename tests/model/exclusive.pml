/* exclusive.pml - a thread is the exclusive owner at times; it then uses plain reads and writes
 * where others use locks and atomic updates (exclusive.c).
 *
 * The thread runs two tasks. One queues itself and pauses. The other serves it, if it still waits.
 * Other threads also serve it, under the queue's lock, and one cancels it. Or the task waits at a
 * user's source, whose lock is not the library's. The owner's stores to `in_section` may stay in
 * its store buffer for any time.
 *
 *   - one thread at a time accesses the queue, whether it holds the lock or is the owner
 *   - each wait is claimed once and gets one wake, which is not lost; a cancelled task does not
 *     keep waiting
 *
 * break: NO_FENCE       the revoker does not make the owner pass a fence
 * break: NOT_WAITED     nor waits until the section has ended
 * break: TOLD_EARLY     other threads see that there is no owner before its section has ended
 * break: LOCK_UNSEEN    the owner does not read the lock
 * break: LOOKS_FIRST    a locker reads the owner only before it takes the lock
 * break: NOT_EXTERNAL   a canceller reads the owner, but does not count as external
 * break: COUNT_UNSEEN   the owner does not read the count of externals
 * break: WOKEN_UNSEEN   a user's source wakes the task without a revocation
 * break: IN_A_STEP      the thread becomes the owner between a task's queueing and its pause */
#include "model.h"

#define WAITS 2

mtype = { READY, RUNNING, WOKEN, PAUSED };

bool owner, exclusive, in_section, changes, lock, cancel, ended;
byte buffered; /* of `in_section`: 0 nothing, 1 true, 2 false */
byte externals, in_place, claims, queued;
byte wait = NONE;
bool listed, own; /* the task is queued, at the source */
mtype state = READY;

active proctype end() /* first: it outlives the others */
{
    ended && _nr_pr == 1;
    assert(claims == WAITS && queued == 0 && wait == NONE && !listed && !own && in_place == 0 && externals == 0)
}

active proctype buffer()
{
    do
    :: atomic { buffered != 0 -> in_section = (buffered == 1); buffered = 0 }
    :: ended && buffered == 0 -> break
    od
}

/* ---- the others ---- */

#ifdef NO_FENCE
#define FENCE_ALL() skip
#else
#define FENCE_ALL() atomic { in_section = (buffered == 0 -> in_section : buffered == 1); buffered = 0 }
#endif
#ifdef NOT_WAITED
#define OUT() skip
#else
#define OUT() !in_section
#endif
#ifdef TOLD_EARLY
#define TELL_EARLY() owner = false
#define TELL()       skip
#else
#define TELL_EARLY() skip
#define TELL()       owner = false
#endif

/* co4__sections_stop, co4__exclusive_revoke_owner */
#define OVER()                                                                                     \
    do                                                                                             \
    :: !owner -> break                                                                              \
    :: owner ->                                                                                     \
        if                                                                                         \
        :: atomic { !changes -> changes = true };                                                  \
            if                                                                                     \
            :: owner ->                                                                             \
                exclusive = false;                                                                     \
                TELL_EARLY();                                                                      \
                FENCE_ALL();                                                                       \
                OUT();                                                                             \
                TELL()                                                                             \
            :: else                                                                                \
            fi;                                                                                    \
            changes = false                                                                        \
        :: !owner                                                                                   \
        fi                                                                                         \
    od

#ifdef LOOKS_FIRST
#define TAKE() OVER(); LOCK(lock)
#else
#define TAKE() LOCK(lock); OVER()
#endif

#define BEGIN_LIST() in_place++; assert(in_place == 1)
#define END_LIST()   in_place--

#define WAKE()                                                                                     \
    claims++;                                                                                      \
    was = state;                                                                                   \
    if                                                                                             \
    :: was == PAUSED -> state = READY                                                              \
    :: else -> atomic { was = state; state = (was == PAUSED -> READY : WOKEN) }                    \
    fi;                                                                                            \
    if                                                                                             \
    :: was == PAUSED -> queued++                                                                   \
    :: else                                                                                        \
    fi

active proctype server()
{
    bool won;
    mtype was;
    do
    :: listed ->
        TAKE();
        won = false;
        BEGIN_LIST();
        if
        :: listed ->
            CLAIM(wait, won);
            if
            :: won -> listed = false
            :: else
            fi
        :: else
        fi;
        END_LIST();
        UNLOCK(lock);
        if
        :: won -> WAKE()
        :: else
        fi;
        won = false
    :: ended -> break
    od
}

#ifdef WOKEN_UNSEEN
#define OVER_BEFORE_WAKE() skip
#else
#define OVER_BEFORE_WAKE() OVER()
#endif

/* What the user's lock guards is one step. */
active proctype source()
{
    bool won;
    mtype was;
    do
    :: atomic { own -> own = false; won = (wait == LISTED); wait = NONE };
        if
        :: won -> OVER_BEFORE_WAKE(); WAKE()
        :: else
        fi;
        won = false
    :: ended -> break
    od
}

active proctype canceller()
{
    bool won;
    mtype was;
    cancel = true;
#ifndef NOT_EXTERNAL
    externals++;
#endif
    OVER();
    CLAIM(wait, won);
#ifndef NOT_EXTERNAL
    externals--;
#endif
    if
    :: won ->
        TAKE();
        BEGIN_LIST();
        listed = false;
        own = false;
        END_LIST();
        UNLOCK(lock);
        WAKE()
    :: else
    fi
}

/* ---- the thread ---- */

#define MARK(value) atomic { buffered == 0 -> buffered = value }
/* An update of its own is a fence. */
#define FLUSH() buffered == 0
#define MAY_BECOME_EXCLUSIVE()                                                                     \
    if                                                                                             \
    :: skip                                                                                        \
    :: atomic { !owner && !changes -> changes = true };                                             \
        if                                                                                         \
        :: !owner ->                                                                                \
            FLUSH();                                                                               \
            owner = true;                                                                           \
            if                                                                                     \
            :: NO_EXTERNALS -> exclusive = true                                                        \
            :: else -> owner = false                                                                \
            fi                                                                                     \
        :: else                                                                                    \
        fi;                                                                                        \
        changes = false                                                                            \
    fi
#ifdef COUNT_UNSEEN
#define NO_EXTERNALS true
#else
#define NO_EXTERNALS externals == 0
#endif
#ifdef LOCK_UNSEEN
#define FREE true
#else
#define FREE !lock
#endif

/* co4__section_begin, co4__section_begin_at. Sets `plain`. Without it, the section is over. */
#define BEGIN(condition)                                                                           \
    MARK(1);                                                                                       \
    plain = exclusive;                                                                                 \
    if                                                                                             \
    :: plain -> plain = (condition)                                                                \
    :: else                                                                                        \
    fi;                                                                                            \
    if                                                                                             \
    :: plain                                                                                       \
    :: else -> MARK(2)                                                                             \
    fi
#define DONE() MARK(2)

active proctype thread()
{
    byte i;
    bool plain, won;
    mtype was;
    do
    :: i == WAITS -> break
    :: else ->
        MAY_BECOME_EXCLUSIVE();
        state = RUNNING;
        if
        :: atomic { wait = LISTED; own = true }
        :: BEGIN(FREE);
            if
            :: plain ->
                BEGIN_LIST();
                listed = true;
                wait = LISTED;
                END_LIST();
                DONE()
            :: else ->
                FLUSH();
                LOCK(lock); /* no other thread can be exclusive: only one thread ever is */
                BEGIN_LIST();
                listed = true;
                wait = LISTED;
                END_LIST();
                UNLOCK(lock)
            fi
        fi;
#ifdef IN_A_STEP
        MAY_BECOME_EXCLUSIVE();
#endif
        BEGIN(!cancel && state == RUNNING);
        if
        :: plain ->
            state = PAUSED;
            DONE()
        :: else ->
            FLUSH();
            won = false;
            if
            :: cancel ->
                externals++;
                CLAIM(wait, won);
                externals--;
                if
                :: won ->
                    LOCK(lock);
                    BEGIN_LIST();
                    listed = false;
                    own = false;
                    END_LIST();
                    UNLOCK(lock);
                    claims++;
                    state = READY;
                    queued++
                :: else
                fi
            :: else
            fi;
            if
            :: won
            :: else ->
                atomic { was = state; state = (was == RUNNING -> PAUSED : READY) };
                if
                :: was == WOKEN -> queued++
                :: else
                fi
            fi
        fi;
        MAY_BECOME_EXCLUSIVE();
        won = false;
        BEGIN(FREE);
        if
        :: plain ->
            BEGIN_LIST();
            if
            :: listed && wait == LISTED ->
                wait = NONE;
                listed = false;
                won = true
            :: else
            fi;
            END_LIST();
            DONE()
        :: else ->
            FLUSH();
            LOCK(lock);
            BEGIN_LIST();
            if
            :: listed ->
                CLAIM(wait, won);
                if
                :: won -> listed = false
                :: else
                fi
            :: else
            fi;
            END_LIST();
            UNLOCK(lock)
        fi;
        if
        :: won -> WAKE()
        :: else
        fi;
        atomic { queued > 0 -> queued-- };
        assert(wait == NONE && !listed && !own);
        i++
    od;
    FLUSH();
    ended = true
}
