/* closed.h - a source that is ready when a descriptor has been closed. closed.c explains it. */
#ifndef CO4_CLOSED_H
#define CO4_CLOSED_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "platform/fork.h"

/* A watcher has one. The source is ready when a descriptor was closed after the last look. */
struct co4__closed {
    co4_source source;
    uint32_t seen; /* closings up to the last look */
};

extern CO4__OWN atomic_uint co4__closed_watchers;

/* Between begin and end closings are counted. look: those up to now do not matter. */
void co4__closed_begin(struct co4__closed *c);
void co4__closed_look(struct co4__closed *c);
void co4__closed_end(void);

void co4__closed_notify_slow(void);
/* Called after a descriptor was closed. Keeps `errno`. */
static inline void co4__closed_notify(void)
{
    if (CO4__UNLIKELY(atomic_load_explicit(&co4__closed_watchers, memory_order_relaxed) != 0))
        co4__closed_notify_slow();
}

co4__fork_handler co4__closed_fork;

#endif
