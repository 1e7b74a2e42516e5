/* runtime.c - the fields of a runtime, whether co4_run or the program has made it. */
#include "sched/runtime.h"

#include <string.h>

#include "core/runtime_id.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"

_Atomic uint8_t co4__hook_bits = CO4__NOT_ASKED;

int co4__runtime_init(co4_runtime *rt, struct co4__worker *workers, unsigned nworkers,
                      unsigned batch)
{
    memset(rt, 0, sizeof *rt);
    rt->workers = workers;
    rt->batch = batch;
    rt->sched.processors = nworkers;
    rt->regular = rt->places = nworkers;
    rt->generation = co4__generation;
    atomic_init(&rt->idle.awake, (int)nworkers);
    rt->options.step_budget = CO4_STEP_BUDGET;
    int err = co4__runtime_id_take(rt, &rt->runtime_id);
    if (err != CO4_OK)
        return err;
    for (unsigned i = 0; i < nworkers; i++) {
        err = co4__worker_init(&workers[i], rt, i);
        if (err != CO4_OK) {
            co4__runtime_fini(rt);
            return err;
        }
        workers[i].near.keeps = nworkers == 1;
        co4__sched_near(&workers[i]);
        atomic_init(&rt->nworkers, i + 1);
    }
    return CO4_OK;
}

void co4__runtime_fini(co4_runtime *rt)
{
    for (unsigned n; (n = co4__nworkers(rt)) > 0; atomic_init(&rt->nworkers, n - 1))
        co4__worker_fini(&rt->workers[n - 1]);
    co4__runtime_id_release(rt->runtime_id);
}
