/* runtime.c - the fields of a runtime, whether co4_run or the program has made it. */
#include "sched/runtime.h"

#include <string.h>

#include "core/runtime_id.h"
#include "sched/sched.h"
#include "sched/step_hooks.h"

_Atomic uint8_t co4__hook_bits = CO4__NOT_ASKED;

static void fini_workers(co4_runtime *rt)
{
    while (rt->nworkers > 0)
        co4__worker_fini(&rt->workers[--rt->nworkers]);
}

int co4__runtime_init(co4_runtime *rt, struct co4__worker *workers, unsigned nworkers,
                      unsigned batch)
{
    memset(rt, 0, sizeof *rt);
    rt->workers = workers;
    rt->batch = batch;
    rt->sched.processors = nworkers;
    rt->generation = co4__generation;
    atomic_init(&rt->idle.awake, (int)nworkers);
    rt->options.step_budget = CO4_STEP_BUDGET;
    for (; rt->nworkers < nworkers; rt->nworkers++) {
        int err = co4__worker_init(&workers[rt->nworkers], rt, rt->nworkers);
        if (err != CO4_OK) {
            fini_workers(rt);
            return err;
        }
    }
    int err = co4__runtime_id_take(rt, &rt->runtime_id);
    if (err != CO4_OK)
        fini_workers(rt);
    for (unsigned i = 0; i < nworkers; i++) {
        workers[i].near.keeps = nworkers == 1;
        co4__sched_near(&workers[i]);
    }
    return err;
}

void co4__runtime_fini(co4_runtime *rt)
{
    fini_workers(rt);
    co4__runtime_id_release(rt->runtime_id);
}
