/* policy.c - the predefined policies, which choose the worker of a ready task.
 *
 * Purpose: `windows` takes the least loaded of a window of `batch` workers. The window moves on
 * with each choice (22 workers, batch 8: (0,8), (8,16), (16,22), (0,8), …). So a choice reads at
 * most `batch` counters, and no worker is left out for long. With up to `batch` workers the choice
 * reads all. The load is the number of queued and running tasks, so a worker in one long task does
 * not appear idle. Of equal loads the lowest index wins, on purpose: a light load stays on few
 * threads.
 *
 * The worker on whose thread the choice is made is a candidate besides the window. It wins if its
 * load is within a slack of the least. So tasks that talk to each other stay together, where no
 * other thread has to be woken. The slack is small (1, and an eighth of the load) and limited, so
 * it does not keep work from idle workers. The queue is a FIFO, so a task kept here runs in order.
 * If this worker has only the running task, that is always within the slack, and sched.c does not
 * call the policy.
 *
 * Concurrency: the loads are read without order. A stale load costs balance, never correctness.
 *
 * bench/policies simulates the policies; docs/performance.md compares them.
 *
 * Rejected: power of two random choices (no better up to 8 workers, and not reproducible); one
 * cursor for all workers (its cache line moves at each wake): each worker has its own. */
#include "sched/policy.h"

#include "sched/runtime.h"

#include <stddef.h>
#include <stdint.h>

#include "sched/queue.h"

#define SLACK_CAP 256

void co4__sched_window(unsigned workers, unsigned batch, unsigned turn, unsigned *from,
                       unsigned *to)
{
    unsigned windows = (workers + batch - 1) / batch;
    *from = turn % windows * batch;
    *to = workers - *from < batch ? workers : *from + batch;
}

static inline uint32_t load(const co4_placing *p, unsigned worker)
{
    return CO4__LIKELY(p->of != NULL) ? co4__queue_load(&p->of->workers[worker].queue)
                                      : p->simulated[worker];
}

unsigned co4_placing_load(const co4_placing *placing, unsigned worker)
{
    return placing && worker < placing->workers ? load(placing, worker) : 0;
}

static inline int least_loaded(const co4_placing *p, unsigned from, unsigned to)
{
    unsigned best = from;
    uint32_t least = load(p, from);
    for (unsigned i = from + 1; i < to && least > 0; i++) {
        uint32_t other = load(p, i);
        if (other < least) {
            least = other;
            best = i;
        }
    }
    if (p->here >= 0) {
        uint32_t mine = CO4__LIKELY(p->of != NULL) ? co4__own_load(&p->of->workers[p->here])
                                                   : p->simulated[p->here];
        uint32_t slack = 1 + (mine / 8 < SLACK_CAP ? mine / 8 : SLACK_CAP);
        if (mine <= least + slack)
            return p->here;
    }
    return (int)best;
}

static int windows(void *data, const co4_placing *p)
{
    unsigned from = 0, to = p->workers;
    (void)data;
    if (CO4__UNLIKELY(p->workers > p->batch))
        co4__sched_window(p->workers, p->batch, p->turn, &from, &to);
    return least_loaded(p, from, to);
}

static int all(void *data, const co4_placing *p)
{
    (void)data;
    return least_loaded(p, 0, p->workers);
}

static int round_robin(void *data, const co4_placing *p)
{
    (void)data;
    return (int)(p->turn % p->workers);
}

const co4_policy co4_policy_windows = { "windows", windows };
const co4_policy co4_policy_least_loaded = { "least-loaded", all };
const co4_policy co4_policy_round_robin = { "round-robin", round_robin };

int co4_policy_try(const co4_policy *policy, void *data, const unsigned *loads, unsigned workers,
                   unsigned batch, unsigned turn, int here)
{
    if (!policy || !policy->choose || !loads || workers == 0 || batch == 0 || here >= (int)workers)
        return CO4_EINVAL;
    co4_placing p = { workers, batch, turn, here < 0 ? -1 : here, NULL, loads };
    return co4__policy_choose(policy, data, &p);
}
