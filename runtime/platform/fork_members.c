/* fork_members.c - modules that take part in a fork once they are used.
 *
 * Purpose: locks of the C library in tasks, streams, jumps and descriptors come before those of all
 * rows of co4__forks, in no order among each other. Such a module joins before it uses its locks.
 *
 * Invariants: `joining` is held while the process forks, so a member joins before all of a fork or
 * after it. Members prepare before all rows of the table: one may wait there until another thread
 * has left a call of the library that takes further locks. They release their locks before these
 * rows, too: in the child, rows use what the members guard. */
#include <stdbool.h>
#include <stddef.h>

#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"

static co4__lock joining; /* guards `members` */
static struct co4__fork_member *members;

void co4__fork_add(struct co4__fork_member *m)
{
    co4__lock_take(&joining);
    if (!atomic_load_explicit(&m->joined, memory_order_relaxed)) {
        m->next = members;
        members = m;
        atomic_store_explicit(&m->joined, true, memory_order_release);
    }
    co4__lock_give(&joining);
}

static void all(enum co4__fork how)
{
    for (const struct co4__fork_member *m = members; m; m = m->next)
        m->handler(how);
}

void co4__members_prepare(enum co4__fork how)
{
    if (how != CO4__FORK_PREPARE)
        return;
    co4__lock_take(&joining);
    all(how);
}

void co4__members_release(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        return;
    all(how);
    co4__lock_give(&joining);
}
