/* output.pml - whose the output of a connection is (net/conn_output.c). Two tasks write in turns.
 * The ends of their steps send, on two workers, and so does the sender, while the system has room.
 *
 *   - one thread at a time touches the output
 *   - what was put is sent, though no task flushes, if the connection is not closed before
 *   - the connection is freed once, and no thread accesses it later
 *
 * break: NOT_OWNED       a task that puts does not take the output over
 * break: OWNS_BUSY       it does not wait for a thread that is sending
 * break: ENDS_ANY        the end of a step does not look whether the output is still its own
 * break: RESTS_ANY       the sender does not look whether it is RESTING
 * break: LISTED_UNREF    a list has no reference
 * break: SENDER_UNREF    the sender has none
 * break: RESTS_UNSENT    no sender is started for what the system did not take
 * break: ENDS_UNLOOKED   the sender does not look again after it has cleared its flag
 * break: CLEARS_LAST     it looks first, then clears the flag
 * break: GIVES_UP        a flush that takes the output over, and fails, does not list it again */
#include "model.h"

#define NOBODY  0
#define SENDING    1
#define RESTING 2
#define A       4 /* LISTED: one more */
#define B       6
#define TOTAL   3

byte writer, refs = 1, out, sent, inside, turn = A;
bool has_sender, room, closed, freed;
chan start = [4] of { bit };

#define ACCESS assert(!freed)
#define TOUCH  assert(!freed); inside++; assert(inside == 1)
#define LEAVE  inside--

#define CHANGE(from, to, won)                                                                      \
    atomic                                                                                         \
    {                                                                                              \
        ACCESS;                                                                                    \
        won = (writer == from);                                                                    \
        writer = (won -> to : writer)                                                              \
    }

#define UNREF                                                                                      \
    atomic                                                                                         \
    {                                                                                              \
        ACCESS;                                                                                    \
        refs--;                                                                                    \
        freed = (refs == 0)                                                                        \
    }

#ifdef NOT_OWNED
#define OWN(me) skip
#elif defined(OWNS_BUSY)
#define OWN(me)                                                                                    \
    atomic                                                                                         \
    {                                                                                              \
        ACCESS;                                                                                    \
        writer = (writer == NOBODY || writer == me + 1 -> writer : me)                             \
    }
#else
#define OWN(me)                                                                                    \
    atomic                                                                                         \
    {                                                                                              \
        writer != SENDING;                                                                         \
        ACCESS;                                                                                    \
        writer = (writer == NOBODY || writer == me + 1 -> writer : me)                             \
    }
#endif

#ifdef LISTED_UNREF
#define REF_LIST   skip
#define UNREF_LIST skip
#else
#define REF_LIST   refs++
#define UNREF_LIST UNREF
#endif

#ifdef SENDER_UNREF
#define REF_SENDER   skip
#define UNREF_SENDER skip
#else
#define REF_SENDER   refs++
#define UNREF_SENDER UNREF
#endif

/* The first of a step lists. */
#define PUT(me)                                                                                    \
    OWN(me);                                                                                       \
    if                                                                                             \
    :: writer != me + 1 ->                                                                         \
        atomic { REF_LIST; nodes++ };                                                              \
        writer = me + 1                                                                            \
    :: else                                                                                        \
    fi;                                                                                            \
    TOUCH;                                                                                         \
    out++;                                                                                         \
    LEAVE

/* Of a thread that has made it SENDING. */
#define SEND_ALL(waits)                                                                            \
    TOUCH;                                                                                         \
    if                                                                                             \
    :: room || out == 0 ->                                                                         \
        sent = sent + out;                                                                         \
        out = 0;                                                                                   \
        waits = false                                                                              \
    :: !room && out > 0 -> waits = true                                                            \
    fi;                                                                                            \
    LEAVE;                                                                                         \
    writer = (waits -> RESTING : NOBODY)

#ifdef ENDS_ANY
#define TAKE(me)                                                                                   \
    atomic                                                                                         \
    {                                                                                              \
        won = true;                                                                                \
        writer = SENDING                                                                           \
    }
#else
#define TAKE(me) CHANGE(me + 1, SENDING, won)
#endif

#ifdef RESTS_UNSENT
#define START skip
#else
#define START                                                                                      \
    atomic                                                                                         \
    {                                                                                              \
        ACCESS;                                                                                    \
        won = !has_sender;                                                                         \
        has_sender = true                                                                          \
    };                                                                                             \
    if                                                                                             \
    :: won ->                                                                                      \
        REF_SENDER;                                                                                \
        start ! 1                                                                                  \
    :: else                                                                                        \
    fi
#endif

#define STEP_ENDS(me)                                                                              \
    do                                                                                             \
    :: nodes > 0 ->                                                                                \
        nodes--;                                                                                   \
        TAKE(me);                                                                                  \
        if                                                                                         \
        :: won ->                                                                                  \
            SEND_ALL(waits);                                                                       \
            if                                                                                     \
            :: waits -> START                                                                      \
            :: else                                                                                \
            fi                                                                                     \
        :: else                                                                                    \
        fi;                                                                                        \
        UNREF_LIST                                                                                 \
    :: else -> break                                                                               \
    od

/* A flush that ends by its deadline, without having sent. */
#ifdef GIVES_UP
#define LIST(me) writer = me
#else
#define LIST(me)                                                                                   \
    atomic { REF_LIST; nodes++ };                                                                  \
    writer = me + 1
#endif
#define FAILS(me)                                                                                  \
    OWN(me);                                                                                       \
    if                                                                                             \
    :: out > 0 -> LIST(me)                                                                         \
    :: else                                                                                        \
    fi

active proctype a()
{
    byte nodes;
    bool won, waits;
    PUT(A);
    if
    :: turn = B;
        STEP_ENDS(A)
    :: STEP_ENDS(A);
        turn = B
    fi;
    turn == A;
    if
    :: PUT(A);
        STEP_ENDS(A)
    :: PUT(A);
        STEP_ENDS(A);
        FAILS(A);
        STEP_ENDS(A)
    fi;
    if
    :: true -> sent == TOTAL
    :: skip
    fi;
    OWN(A); /* co4_conn_destroy */
    TOUCH;
    out = 0;
    LEAVE;
    closed = true;
    UNREF;
    won = false;
    waits = false
}

active proctype b()
{
    byte nodes;
    bool won, waits;
    turn == B;
    PUT(B);
    turn = A;
    STEP_ENDS(B);
    won = false;
    waits = false
}

/* One at a time: `has_sender`. */
active proctype sender()
{
    bool won, waits;
end:
    do
    :: start ? 1 ->
        do
        :: room || closed;
            if
            :: closed ->
                has_sender = false;
                break
            :: else
            fi;
#ifdef RESTS_ANY
            atomic { ACCESS; won = true; writer = SENDING };
#else
            CHANGE(RESTING, SENDING, won);
#endif
            if
            :: won -> SEND_ALL(waits)
            :: else -> waits = false
            fi;
            if
            :: !waits ->
#ifdef CLEARS_LAST
                won = (writer == RESTING);
                has_sender = false;
#else
                ACCESS;
                has_sender = false;
                won = (writer == RESTING);
#endif
#ifdef ENDS_UNLOOKED
                won = false;
#endif
                if
                :: won ->
                    atomic { won = !has_sender; has_sender = true }
                :: else
                fi;
                if
                :: !won -> break
                :: else
                fi
            :: else
            fi
        od;
        UNREF_SENDER;
        won = false;
        waits = false
    od
}

active proctype peer()
{
    if
    :: room = true;
        room = false
    :: skip
    fi;
    room = true
}

active proctype finally()
{
    timeout;
    assert(freed && inside == 0)
}
