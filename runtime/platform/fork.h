/* fork.h - what modules do when the process forks: see fork.c. */
#ifndef CO4_FORK_H
#define CO4_FORK_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/compiler.h"

enum co4__fork {
    CO4__FORK_PREPARE, /* the module takes its locks */
    CO4__FORK_PARENT,  /* it releases them */
    CO4__FORK_CHILD    /* it releases them, and forgets the other threads */
};

typedef void co4__fork_handler(enum co4__fork how);

/* The handlers of all modules that have locks or threads, in lock order. NULL: the program lacks
 * the module. modules.c fills it. */
extern co4__fork_handler *const co4__forks[];
extern const size_t co4__nforks;

/* A module whose locks come before those of all rows, in no order among such modules. It joins
 * before it uses its locks. */
struct co4__fork_member {
    co4__fork_handler *handler;
    struct co4__fork_member *next;
    atomic_bool joined;
};
CO4__PRIVATE void co4__fork_add(struct co4__fork_member *m);
/* The rows of all members: they take the members' locks before those of the other rows, and release
 * them before these. */
co4__fork_handler co4__members_prepare, co4__members_release;

static inline void co4__fork_join(struct co4__fork_member *m)
{
    if (CO4__UNLIKELY(!atomic_load_explicit(&m->joined, memory_order_acquire)))
        co4__fork_add(m);
}

/* The generation of this process. A child's is one more. */
extern CO4__OWN unsigned co4__generation;

#endif
