/* supervisor.h - types and functions that supervisor.c and the woven supervising share. */
#ifndef CO4_SUPERVISOR_INTERNAL_H
#define CO4_SUPERVISOR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "structured/future.h"
#include "structured/group.h"

struct co4_child {
    const co4_child_spec *spec;
    /* The supervisor's scope. As long as children are in it, it keeps the data that they may use.
     * It cancels no task. */
    co4_scope *scope;
    co4_future *end; /* a reference; NULL: it does not run */
    bool wanted;     /* it runs, or has to run */
};

/* Belongs to the supervisor's task. */
struct co4__supervisor {
    const co4_supervision *how;
    co4_scope *scope;
    int count;
    struct co4_child *children;
    co4_case *cases;
    /* int64_t: the times of the last how->restarts restarts. */
    co4_ring times;
};

/* Returns CO4_OK, CO4_ENOMEM, CO4_EINVAL. */
int co4__supervisor_open(struct co4__supervisor *s, const co4_supervision *how,
                         const co4_child_spec *specs, int count);
/* Cancels children that still run. May be called more than once, and for a struct of zeros. */
void co4__supervisor_close(struct co4__supervisor *s);
/* Starts the children in this range that have to run and do not. Returns CO4_OK, or the code of the
 * first that fails. */
int co4__supervisor_start(struct co4__supervisor *s, int first, int last);
/* Prepares the cases of the children that run. Returns how many. */
int co4__supervisor_watch(struct co4__supervisor *s);
/* Child i has ended by itself. Returns its code. */
int co4__supervisor_ended(struct co4__supervisor *s, int i);
/* Returns whether the child is started again. */
bool co4__supervisor_again(struct co4__supervisor *s, int i, int code);
/* Sets the range of children that are restarted with child i. */
void co4__supervisor_concerned(struct co4__supervisor *s, int i, int *first, int *last);
/* Counts a restart after the end of a child with this code. Returns CO4_OK, or the code to fail
 * with: there are too many restarts, or no memory to count. */
int co4__supervisor_count(struct co4__supervisor *s, int code);
/* Asks the child to end. Returns the time until which to wait before it is cancelled; CO4_NEVER: it
 * has been cancelled. */
int64_t co4__child_stop(struct co4_child *child);

/* For CO4_PLAIN. */
CO4__PUBLIC int co4_plain_supervised(co4_child *child, co4_future *end);
CO4__PUBLIC int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started);

#endif
