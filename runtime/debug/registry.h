/* registry.h - the list of all runtimes. */
#ifndef CO4_REGISTRY_INTERNAL_H
#define CO4_REGISTRY_INTERNAL_H

#include <stdbool.h>

#include "base/public.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* Where a thread stands that walks the registry: the next to be looked at. There are no more than
 * threads that do so, to write a dump or to switch watching. */
struct co4__cursor {
    co4_runtime *at;
    struct co4__cursor *next;
};

/* Guards the list, which begins with the newest, and the cursors. */
extern co4__lock co4__runtimes_lock;
extern co4_runtime *co4__runtimes;

/* Under the lock. */
void co4__cursor_begin(struct co4__cursor *c);
void co4__cursor_end(const struct co4__cursor *c);

/* Without it. A runtime may be struck off that was never enrolled. */
void co4__registry_enroll(co4_runtime *rt);
void co4__registry_strike(co4_runtime *rt);
/* In `watch` of all runtimes, also of those to come. */
void co4__watch_all(unsigned bit, bool on);

co4__fork_handler co4__registry_fork;

#endif
