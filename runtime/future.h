/* future.h - what future.c and the woven combinators share. */
#ifndef CO4_FUTURE_INTERNAL_H
#define CO4_FUTURE_INTERNAL_H

#include "internal.h"

struct co4_future {
    co4_source source;       /* first; constant, like size and of_task */
    struct co4__place place; /* its lock guards all below but refs, and the value behind it */
    _Atomic uint32_t refs;
    bool of_task, started;
    bool done, has_value;
    int code;
    size_t size;
    co4_task *task; /* to cancel; a share; NULL once done */
    void (*cancelled)(void *arg, co4_future *future);
    void *cancelled_arg;
};

#endif
