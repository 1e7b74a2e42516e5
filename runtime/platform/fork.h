/* fork.h - what modules do when the process forks: see fork.c. */
#ifndef CO4_FORK_H
#define CO4_FORK_H

#include "base/compiler.h"

enum co4__fork {
    CO4__FORK_PREPARE, /* the module's locks are taken */
    CO4__FORK_PARENT,  /* … and given back */
    CO4__FORK_CHILD    /* … as well, and what other threads were to it is gone */
};

typedef void co4__fork_handler(enum co4__fork how);

/* Of all modules that have locks or threads, in lock order; NULL ends it. modules.c fills it. */
extern co4__fork_handler *const co4__forks[];

/* Of this process; its children are one more. */
extern CO4__OWN unsigned co4__generation;

/* What pthread_atfork() wants. Where there are no threads nothing calls them. */
void co4__fork_prepare(void);
void co4__fork_in_parent(void);
void co4__fork_in_child(void);

#endif
