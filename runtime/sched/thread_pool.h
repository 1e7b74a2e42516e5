/* thread_pool.h - threads that make calls which block: co4_blocking's, and the resolver's. */
#ifndef CO4_THREAD_POOL_INTERNAL_H
#define CO4_THREAD_POOL_INTERNAL_H

#include <stdbool.h>

#include "base/public.h"
#include "platform/fork.h"
#include "platform/lock.h"

struct co4__pool_thread;

struct co4__thread_pool {
    /* Constant. A thread of the pool calls `make`, then `done`. If there is none, and none could be
     * started, the thread that has added the job calls `lost`. After these two the job may not
     * exist. */
    void (*make)(co4_abi_job *job);
    void (*done)(co4_abi_job *job);
    void (*lost)(co4_abi_job *job);
    co4__lock lock; /* guards all below */
    /* The queue, first in, first out; last is NULL before the first job. */
    co4_abi_job *first, **last;
    struct co4__pool_thread *idle, *all;
    int threads, limit;
    int here; /* `threads`, and those that do not count any more but still run */
    bool stopping, exiting;
};

/* Called under the lock, which it releases: a thread makes the job's call as soon as one may. */
void co4__thread_pool_add(struct co4__thread_pool *pool, co4_abi_job *job);
/* Called under the lock. Removes a job for which co4__thread_pool_has() is true. */
void co4__thread_pool_remove(struct co4__thread_pool *pool, co4_abi_job *job);

/* Called under the lock: returns whether the job is queued. */
static inline bool co4__thread_pool_has(const co4_abi_job *job)
{
    return job->link != NULL;
}

/* CO4_EINVAL: the limit is less than 1. */
int co4__thread_pool_set_limit(struct co4__thread_pool *pool, int threads);
int co4__thread_pool_threads(struct co4__thread_pool *pool);
/* Ends all threads, and waits for that. CO4_EDEADLK: in a task, or on a thread of a pool. */
int co4__thread_pool_stop(struct co4__thread_pool *pool);
/* Called when the program ends: ends and joins the threads that make no call. */
void co4__thread_pool_exit(struct co4__thread_pool *pool);
/* In the child of a fork the threads do not exist, so their calls do not return. */
void co4__thread_pool_fork(struct co4__thread_pool *pool, enum co4__fork how);

#endif
