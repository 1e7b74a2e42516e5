/* wake.c - wakes of what is no task: blocked threads, and listeners. */
#include <stddef.h>

#include "base/public.h"
#include "core/blocker.h"
#include "core/wait.h"
#include "platform/thread.h"

void co4__wake_other(struct co4__waiter *w)
{
    if (w->kind == CO4__WAITER_THREAD) {
        co4__parker_wake(&((struct co4__blocker *)(void *)w)->parker);
        return;
    }
    co4_listener *l = co4__listener_of(w);
    l->ops->wake(l);
}

void co4__list_wake(const struct co4__list *woken)
{
    for (struct co4__waiter *w = woken->head, *next; w; w = next) {
        next = w->next;
        co4__wait_hooks.wake(w);
    }
}
