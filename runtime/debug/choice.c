/* choice.c - test mode: random numbers of the seed, and the workers among which it chooses. */
#include <stddef.h>

#include "base/random.h"
#include "debug/simulate.h"
#include "sched/look.h"
#include "sched/queue.h"

uint64_t co4__simulated_draw(struct co4__simulated *x)
{
    /* The seed is mixed first: the sequences of neighbours would be the same, one number apart. */
    return co4__random(co4__random(x->options.seed) + ++x->chance);
}

unsigned co4__simulated_below(struct co4__simulated *x, unsigned n)
{
    return n > 1 ? (unsigned)(co4__simulated_draw(x) % n) : 0;
}

bool co4__simulated_is_stalled(const struct co4__simulated *x, const struct co4__worker *w)
{
    return w->simulate.busy || w->simulate.stalled_until > x->result.steps;
}

struct co4__worker *co4__simulated_next_worker(const struct co4__simulated *x,
                                               const struct co4__worker *w)
{
    co4_runtime *rt = w ? w->rt : x->runtimes;
    if (w && w->index + 1 < co4__nworkers(rt))
        return &rt->workers[w->index + 1];
    rt = w ? rt->simulate.next : rt;
    return rt ? rt->workers : NULL;
}

bool co4__simulated_is_ready(const struct co4__simulated *x, const struct co4__worker *w)
{
    return !co4__simulated_is_stalled(x, w) && co4__queue_any(&w->queue);
}
