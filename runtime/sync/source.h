/* source.h - types and helpers that source.c, the woven waits and the sources share. */
#ifndef CO4_SOURCE_INTERNAL_H
#define CO4_SOURCE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/look.h"

/* A select that is under way. It is in the frame of the woven wait, or on the stack of a blocked
 * thread. */
struct co4__selecting {
    co4_case *cases;
    int count, first; /* their number, and where the look begins */
    int added;        /* the number, from there on, that have been added to their sources */
    int chosen;       /* the result, CO4_EEMPTY before; written by the thread that completes a case,
                       * read after the wait */
    struct co4__waiter
        *waiter; /* its claim is that of all listeners; NULL: the select only polls */
    co4_listener
        *held;  /* for which a source holds something back; written and read like `chosen` */
    bool again; /* likewise: it has been notified */
};

static inline co4_case *co4__case_of(co4_listener *l)
{
    return (co4_case *)(void *)((char *)l - offsetof(co4_case, co4_private.listener));
}

/* The result of an await that has selected its one case with this result. */
static inline int co4__code_of_one(const co4_case *one, int result)
{
    return result < 0 && result != CO4_ENDED(0) ? result : one->code;
}

/* Called first, so that the end function may be called at any time. */
static inline void co4__selecting_init(struct co4__selecting *s)
{
    s->added = s->count = 0;
    s->held = NULL;
    s->again = false;
}

/* Sets the codes of the cases of a select that does not begin. */
void co4__selecting_refuse(co4_case *cases, int count);
/* Called once, and after each drop while co4__selecting_again() is true. */
int co4__selecting_begin(struct co4__selecting *s, co4_case *cases, int count, int flags);
/* Returns `chosen`; CO4_EEMPTY; CO4_ENOMEM; CO4_ETIMEDOUT when it looks again after the deadline.
 * Ends the hold. */
int co4__selecting_poll(struct co4__selecting *s, int64_t deadline);
int co4__selecting_add(struct co4__selecting *s);
/* Removes the listeners from their sources; the cases belong to the caller again. May be called
 * more than once. */
void co4__selecting_drop(struct co4__selecting *s);
/* The same, and ends the hold. */
void co4__selecting_end(struct co4__selecting *s);
/* Called when the wait is over, after the drop. Returns whether the select was notified, and looks
 * again. */
bool co4__selecting_again(struct co4__selecting *s);
/* A select that does not wait; co4__select_block(): one for which the thread waits. */
int co4__select_now(co4_case *cases, int count, int flags);
int co4__select_block(co4_case *cases, int count, int flags, int64_t deadline);

/* The code with which a pausing call ends that has not waited. It counts as an operation. In plain
 * builds no other task waits for its turn. */
#ifdef CO4_PLAIN
#define co4__spent(code) (code)
#else
pausable int co4__spent(int code);
#endif
/* Returns CO4_ESTATE or CO4_ECANCELED if the task may not wait here. Counts as an operation: the
 * task yields when the step's budget is spent. */
pausable int co4__may_wait(void);
/* The rest of co4_select_until(), when no case was ready. */
CO4__OWN pausable int co4__select_wait(co4_case *cases, int count, int flags, int64_t deadline);
/* Does not pause; it is pausable to get the fiber. From here on the task waits, in no wait queue,
 * and sources may claim it. CO4_OK, also when it has been cancelled: then park returns the code.
 * CO4_ENOMEM: the task does not wait. `waiter`: the task. */
pausable int co4__park_begin(int64_t deadline, struct co4__waiter **waiter);
/* Pauses until the thread that claims the task wakes it. */
pausable int co4__park(void);

#endif
