/* supervisor.h - what supervisor.c and the woven supervising share. */
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
    /* the supervisor's: as long as children are in it, it keeps what they may look at; it
     * cancels nobody */
    co4_scope *scope;
    co4_future *end; /* a share; NULL: it does not run */
    bool wanted;     /* it runs, or is to run */
};

/* All of it belongs to the supervisor's task. */
struct co4__supervisor {
    const co4_supervision *how;
    co4_scope *scope;
    int count;
    struct co4_child *children;
    co4_case *cases;
    co4_ring times; /* int64_t: when children were started again, the last how->restarts times */
};

/* CO4_OK, CO4_ENOMEM, CO4_EINVAL. */
int co4__supervisor_open(struct co4__supervisor *s, const co4_supervision *how,
                         const co4_child_spec *specs, int count);
/* Also when children run still: these are cancelled. Once or more; of one that is all zero,
 * nothing. */
void co4__supervisor_close(struct co4__supervisor *s);
/* Those in this range that are to run and do not. CO4_OK, or the code of the first that cannot
 * be. */
int co4__supervisor_start(struct co4__supervisor *s, int first, int last);
/* Readies the cases of those that run; how many. */
int co4__supervisor_watch(struct co4__supervisor *s);
/* Child i has ended, by itself: its code. */
int co4__supervisor_ended(struct co4__supervisor *s, int i);
/* Is it to be started again? */
bool co4__supervisor_again(struct co4__supervisor *s, int i, int code);
/* Whom that concerns. */
void co4__supervisor_concerned(struct co4__supervisor *s, int i, int *first, int *last);
/* Counts a restart after the end of a child with this code. CO4_OK, or what to fail with: it is one
 * too many, or there is no memory to count on. */
int co4__supervisor_count(struct co4__supervisor *s, int code);
/* It is to end: asks for that. Until when to wait before it is cancelled; CO4_NEVER: it has
 * been. */
int64_t co4__child_stop(struct co4_child *child);

/* For CO4_PLAIN. */
CO4__PUBLIC int co4_plain_supervised(co4_child *child, co4_future *end);
CO4__PUBLIC int co4_plain_supervised_actor(co4_child *child, co4_actor *actor, int started);

#endif
