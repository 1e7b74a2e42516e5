/* watched.h - what is noted of a task while step hooks are set. */
#ifndef CO4_WATCHED_INTERNAL_H
#define CO4_WATCHED_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "core/task.h"
#include "core/task_extension.h"

/* What a task has once step hooks are set. Written by its scheduler at first, then by the worker
 * that steps it, before its step is finished; `wakes` by the thread that has made it ready. */
struct co4__watched {
    uint32_t number;
    uint32_t wakes;
    const char *function; /* the call that it is */
    const char
        *reason;   /* the call it waits in, since it has paused; NULL: it has been stepped again */
    int64_t since; /* its last change of state; 0: nobody had the clock on */
};

struct co4__watched *co4__watched_of(co4_task *t); /* NULL: nobody has watched */
struct co4__watched *co4__watched_make(co4_task *t, const char *function); /* NULL: out of memory */
int64_t co4__watch_clock(const co4_runtime *rt);

/* What is told of a point; NULL: nothing has begun there, or its function says nothing. */
static inline const co4_abi_site *co4__site_of(const co4_abi_point *at)
{
    return at && at->id > 0 && at->func->sites ? &at->func->sites[at->id - 1] : NULL;
}

uint32_t co4__watch_number(co4_task *t); /* 0: nobody has watched when it was scheduled */
/* What a paused task waits in, for people: the call in the user's deepest function. Before it is
 * settled, or held. */
const char *co4__watch_reason(const co4_task *t);
/* What has been noted of a task that is freed. */
void co4__watch_free(struct co4__task_extension *x);

#endif
