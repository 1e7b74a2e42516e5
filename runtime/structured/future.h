/* future.h - types and functions that future.c and the woven combinators share. */
#ifndef CO4_FUTURE_INTERNAL_H
#define CO4_FUTURE_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "core/wait.h"

/* Follows the value of a future that is made of others (future_combine.c). */
struct co4__combined {
    size_t (*bytes)(const struct co4__combined *g);
    void (*free)(struct co4__combined *g); /* frees what it refers to */
    void (*cancel)(co4_future *whole);
};

struct co4_future {
    co4_source source; /* first; constant, like size */
    /* Its lock guards the fields below, except refs, and the value behind the struct. */
    struct co4__wait_queue wait_queue;
    _Atomic uint32_t refs;
    bool of_task; /* constant */
    bool done, has_value;
    int code;
    unsigned depth; /* of its parts below it; constant */
    size_t size;
    co4_task *task; /* the task to cancel; a reference; NULL once done */
    void (*cancelled)(void *arg, co4_future *future);
    void *cancelled_arg;
    /* Its parts, behind the value (future_combine.c); constant. */
    struct co4__combined *combined;
};

/* Called by a thread that is about to block until the future is done. */
void co4__future_report_undriven(co4_future *f);
/* Creates a future with `size` bytes for its value, and `more` bytes behind it. */
CO4__PRIVATE co4_future *co4__future_make(size_t size, size_t more);
CO4__PRIVATE void *co4__future_value(co4_future *f);
CO4__PRIVATE void *co4__future_more(co4_future *f);
/* Completes the future with a copy of *value, or without one if it is NULL; `value` may be the
 * value itself. False: it was done before. */
CO4__PRIVATE bool co4__future_finish(co4_future *f, int code, const void *value);

/* Called when the future's task has ended; `value` is its result, or NULL. Releases a reference. */
void co4__future_kept(co4_future *f); /* by its task, which is scheduled */
void co4__future_ended(co4_future *f, co4_task *t, int error, const void *value);

/* A function has returned this value, whose code is `code` (result.h). */
void co4__future_returned(co4_future *f, int code, const void *value);

/* For CO4_PLAIN. */
CO4__PUBLIC co4_future *co4_plain_future(const void *value, unsigned long size, int is_code);

#endif
