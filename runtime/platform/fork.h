/* fork.h - what modules do when the process forks: see fork.c. */
#ifndef CO4_FORK_H
#define CO4_FORK_H

#include "base/compiler.h"

enum co4__fork {
    CO4__FORK_PREPARE, /* the module takes its locks */
    CO4__FORK_PARENT,  /* it releases them */
    CO4__FORK_CHILD    /* it releases them, and forgets the other threads */
};

typedef void co4__fork_handler(enum co4__fork how);

/* The handlers of all modules that have locks or threads, in lock order, up to NULL. modules.c
 * fills it. */
extern co4__fork_handler *const co4__forks[];

/* The generation of this process. A child's is one more. */
extern CO4__OWN unsigned co4__generation;

/* The handlers for pthread_atfork(). Without threads nothing calls them. */
void co4__fork_prepare(void);
void co4__fork_in_parent(void);
void co4__fork_in_child(void);

#endif
