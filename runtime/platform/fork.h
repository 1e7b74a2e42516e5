/* fork.h - what the modules do when the process forks: see fork.c. */
#ifndef CO4_FORK_H
#define CO4_FORK_H

enum co4__fork {
    CO4__FORK_PREPARE, /* the module's locks are taken */
    CO4__FORK_PARENT,  /* … and given back */
    CO4__FORK_CHILD    /* … as well, and what other threads were to it is gone */
};

void co4__signal_fork(enum co4__fork how);
void co4__insight_fork(enum co4__fork how);
void co4__group_fork(enum co4__fork how);
void co4__task_fork(enum co4__fork how);
void co4__runtime_fork(enum co4__fork how);
void co4__blocking_fork(enum co4__fork how);
void co4__trace_fork(enum co4__fork how);
void co4__home_fork(enum co4__fork how);
void co4__alone_fork(enum co4__fork how);
void co4__pool_fork(enum co4__fork how);
void co4__deadlock_fork(enum co4__fork how);

/* Has all of them called at each fork from here on. */
void co4__fork_watch(void);
void co4__fork_handlers(void (*prepare)(void), void (*parent)(void), void (*child)(void));

#endif
