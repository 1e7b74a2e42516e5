/* co4/policy.h - the choice of a worker for a task that has become ready.
 *
 * A policy is a function of the workers' loads. The library has three; a program's own policy is an
 * option of a runtime:
 *
 *     static int to_the_first(void *data, const co4_placing *p) { … return 0; }
 *     static const co4_policy mine = { "first", to_the_first };
 *     co4_runtime *rt = co4_runtime_create(
 *         &(co4_runtime_options){ .workers = 8, .policy = &mine });
 *
 * It is called on any thread, on several at once, for each task that becomes ready. So it should be
 * short, and use `data` as threads do. A runtime of one worker does not call it. */
#ifndef CO4_POLICY_H
#define CO4_POLICY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

typedef struct co4_runtime co4_runtime;

/* The workers among which a policy chooses. */
typedef struct co4_placing {
    unsigned workers; /* their number: 0 … workers - 1 */
    unsigned batch;   /* the runtime's option */
    unsigned turn;    /* choices made before, by `here` or by all threads that are no worker */
    /* The worker whose thread has made the task ready; -1: none. */
    int here;
    const co4_runtime *of;     /* the runtime that has the loads, or NULL */
    const unsigned *simulated; /* the loads that co4_policy_try() was given */
} co4_placing;

/* The load of a worker: its ready tasks and the one that runs, as last known.
 *
 * Returns: the number, which may be out of date; 0 for a number that is no worker.
 * Thread safety: the function of a policy, during its call. */
unsigned co4_placing_load(const co4_placing *placing, unsigned worker);

/* A policy: a name for people, and the function that chooses. */
typedef struct co4_policy {
    const char *name;
    /* The chosen worker. Anything else than a worker counts as `here`, or 0 where that is none. */
    int (*choose)(void *data, const co4_placing *placing);
} co4_policy;

/* The least loaded of `batch` workers, which move on with each turn. For 22 workers and batch 8
 * those are 0 to 8, 8 to 16, 16 to 22, 0 to 8, and so on. The policy prefers `here` if its load is
 * not much higher: by at most 1 + an eighth of it (no more than 256). The default. */
extern const co4_policy co4_policy_windows;
/* The same over all workers. */
extern const co4_policy co4_policy_least_loaded;
/* One after the other, whatever their loads. */
extern const co4_policy co4_policy_round_robin;

/* Asks a policy for a choice among workers with these loads: for tests and simulations.
 *
 * Returns: the policy's choice; CO4_EINVAL for NULL and for no workers.
 * Thread safety: as the policy. */
int co4_policy_try(const co4_policy *policy, void *data, const unsigned *loads, unsigned workers,
                   unsigned batch, unsigned turn, int here);

#ifdef __cplusplus
}
#endif

#endif
