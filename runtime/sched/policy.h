/* policy.h - the choice of the worker for a task. */
#ifndef CO4_POLICY_INTERNAL_H
#define CO4_POLICY_INTERNAL_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/public.h"

static inline unsigned co4__policy_choose(const co4_policy *policy, void *data,
                                          const co4_placing *p)
{
    int chosen = policy->choose(data, p);
    if (CO4__LIKELY(chosen >= 0 && (unsigned)chosen < p->workers))
        return (unsigned)chosen;
    return p->here >= 0 ? (unsigned)p->here : 0;
}

/* Returns whether the policy prefers the worker on whose thread it runs. Then that worker keeps
 * tasks without asking the policy while it has few. */
static inline bool co4__policy_prefers_here(const co4_policy *policy)
{
    return policy == &co4_policy_windows || policy == &co4_policy_least_loaded;
}

void co4__sched_window(unsigned workers, unsigned batch, unsigned turn, unsigned *from,
                       unsigned *to);

#endif
