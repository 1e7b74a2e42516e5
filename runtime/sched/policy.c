/* policy.c - the stock of policies: which worker gets a task that has become ready.
 *
 * The least loaded of a window of `batch` workers. The window moves on with each choice (22
 * workers, batch 8: (0,8), (8,16), (16,22), (0,8), …), so a choice reads at most `batch` counters,
 * and no worker is left out for long; up to `batch` workers are all looked at. Load is what is
 * queued and what runs, so a worker in one long task does not look idle. Among equals the lowest
 * index wins, on purpose: a light load stays on few threads.
 *
 * The worker on whose thread the choice is made is a candidate besides the window, and wins when
 * its load is within a slack of the least: tasks that talk to each other stay together, where a
 * hand-over costs no other thread's wake. The slack is small (1, and an eighth of the load) and
 * capped, so it cannot hold work back from idle workers; and since the queue is a FIFO, a task
 * kept here waits its turn like any other.
 *
 * With nothing but the task that runs, which is within the slack of any other load, they are not
 * even asked (sched.c).
 *
 * The loads are read without order: a stale one costs balance, never correctness.
 *
 * bench/policies simulates them; docs/performance.md shows how they compare.
 *
 * Rejected: power of two random choices (no better up to 8 workers, and not reproducible); a
 * cursor that all share (its cache line moves at each wake): each worker turns a cursor of its
 * own. */
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
        uint32_t mine = CO4__LIKELY(p->of != NULL) ? p->of->workers[p->here].queue.ninner
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
