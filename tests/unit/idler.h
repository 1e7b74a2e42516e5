/* idler.h - a task that yields until its thread is the exclusive owner; it returns whether it has
 * become that. */
#ifndef IDLER_H
#define IDLER_H
#include "woven.h"

struct idler {
    co4_frame head;
    int i, r;
};
static void idler_resume(co4_fiber *co4, co4_frame *head);
FUNC(idler, sizeof(int), 1);
static void idler_resume(co4_fiber *co4, co4_frame *head)
{
    struct idler *f = (void *)head;
    ENTRY1(f);
    for (f->i = 0; f->i < 1000; f->i++)
        AWAIT(f, 1, f->r, co4_yield__co4(co4));
    RETURN(f, atomic_load(&co4__local()->exclusive.is_owner));
}

static inline int idle_run(void)
{
    CALL(idler, call);
    return run_call(call);
}
#endif
