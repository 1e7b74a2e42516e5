/* registry.h - the list of all runtimes. */
#ifndef CO4_REGISTRY_INTERNAL_H
#define CO4_REGISTRY_INTERNAL_H

#include <stdbool.h>

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

/* Called without the lock. Striking ignores a runtime that was never enrolled. */
void co4__registry_enroll(co4_runtime *rt);
void co4__registry_strike(co4_runtime *rt);
/* Sets or clears the bit in `hook_bits` of all runtimes, and of later ones. */
void co4__hook_bits_set(unsigned bit, bool on);

co4__fork_handler co4__registry_fork;

#endif
