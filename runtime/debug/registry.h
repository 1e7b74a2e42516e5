/* registry.h - the list of all runtimes. */
#ifndef CO4_REGISTRY_INTERNAL_H
#define CO4_REGISTRY_INTERNAL_H

#include "base/public.h"
#include "platform/fork.h"
#include "platform/lock.h"

/* The position of a thread that walks the list: the next runtime. A thread has one while it writes
 * a dump, or switches step hooks for all runtimes. */
struct co4__cursor {
    co4_runtime *at;
    struct co4__cursor *next;
};

/* Guards the list, which begins with the newest, and the cursors. */
extern co4__lock co4__runtimes_lock;
extern co4_runtime *co4__runtimes;

/* Called under the lock. */
void co4__cursor_begin(struct co4__cursor *c);
void co4__cursor_end(const struct co4__cursor *c);

/* For struct co4__step_hooks: enters a runtime in the list, and removes it. Called without the
 * lock. The end ignores a runtime that was never enrolled. */
void co4__registry_begins(co4_runtime *rt);
void co4__registry_ends(co4_runtime *rt);

co4__fork_handler co4__registry_fork;

#endif
