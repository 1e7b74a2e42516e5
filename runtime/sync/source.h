/* source.h - what source.c, the woven waits and the sources share. */
#ifndef CO4_SOURCE_INTERNAL_H
#define CO4_SOURCE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/look.h"

/* A select that is under way. In the frame of the woven wait, or on the stack of a blocked
 * thread. */
struct co4__selecting {
    co4_case *cases;
    int count, first; /* where it begins to look */
    int added;        /* so many, from there on, have been handed to their sources */
    int chosen;       /* index; written by the thread that completes a case, read after the wait */
    co4_task *waiter; /* whose `wait` is the claim; NULL: it only polls */
    struct co4__hold *hold; /* as `chosen`; NULL: none */
    bool again;             /* likewise: it has been told to look */
};

/* Of a source whose value is not of the size that its user says: CO4_EINVAL. */
extern const co4_source_ops co4__wrong_size_ops;

static inline co4_case *co4__case_of(co4_listener *l)
{
    return (co4_case *)(void *)((char *)l - offsetof(co4_case, co4_private.listener));
}

/* Before it nothing is there to end. */
static inline void co4__selecting_init(struct co4__selecting *s)
{
    s->added = s->count = 0;
    s->hold = NULL;
    s->again = false;
}

/* Once, and after each drop by which co4__selecting_again() holds. */
int co4__selecting_begin(struct co4__selecting *s, co4_case *cases, int count, int flags);
/* The chosen case; CO4_EEMPTY; CO4_ENOMEM; CO4_ETIMEDOUT when it looks again after the deadline.
 * Ends the hold. */
int co4__selecting_poll(struct co4__selecting *s, int64_t deadline);
int co4__selecting_add(struct co4__selecting *s);
/* Takes the listeners back; the cases are the caller's again. Once or more. */
void co4__selecting_drop(struct co4__selecting *s);
/* The same, and ends the hold. */
void co4__selecting_end(struct co4__selecting *s);
/* When the wait is over, after the drop: has it been told to look? */
bool co4__selecting_again(struct co4__selecting *s);
int co4__select_block(co4_case *cases, int count, int flags, int64_t deadline);

/* The code with which a pausing call ends that has not waited: an operation, as any other. Plain:
 * nobody is waiting for his turn. */
#ifdef CO4_PLAIN
#define co4__spent(code) (code)
#else
pausable int co4__spent(int code);
#endif
/* May the task wait here? CO4_ESTATE, CO4_ECANCELED. An operation: it yields when the step's
 * budget is spent. */
pausable int co4__may_wait(void);
/* Does not pause; pausable for the sake of the fiber. Listed from here on, in no place: sources may
 * claim it. CO4_OK, also when it has been cancelled: park tells; CO4_ENOMEM: it is not. `waiter`:
 * which task that is. */
pausable int co4__park_begin(int64_t deadline, co4_task **waiter);
/* Pauses until the one who has claimed the task, or will, wakes it. */
pausable int co4__park(void);

#endif
