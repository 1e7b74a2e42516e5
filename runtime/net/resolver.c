/* resolver.c - getaddrinfo on threads of its own, so that slow name servers hold up no other call.
 *
 * Invariants: a lookup owns copies of its arguments, and has two references: its task's, and that
 * of the queue, then of the thread that makes the call. So the task may leave at any time, for a
 * deadline or a cancellation. A lookup that is still queued then leaves the queue. Otherwise its
 * thread frees it, with the result, when getaddrinfo returns at last. The future is completed after
 * the result is stored.
 *
 * Concurrency: the pool's lock guards the fields of a lookup that say where it is. If there is no
 * thread, and none can be started, the queued lookups fail with EAGAIN.
 *
 * A child of fork() has none of these threads. A lookup remembers the generation of its process;
 * its task looks now and then, and begins it anew in the child.
 *
 * Rejected: the threads of co4_blocking (a name server that does not answer would occupy them); a
 * client of DNS of our own (it ignores nsswitch.conf); a call on the task's thread when there is no
 * other (it would block all tasks of the worker). */
#define _GNU_SOURCE /* struct addrinfo and others, whatever -std says */
#include "net/resolver.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "net/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/thread_pool.h"

struct co4__lookup {
    co4_abi_job job;     /* first */
    unsigned generation; /* of the process in which it is queued or made; guarded by the lock */
    bool is_over;        /* likewise */
    _Atomic unsigned refs;
    /* The answer: written by the thread before `is_over`, then the task's. */
    int code, error;
    struct addrinfo *result;
    /* Constant. */
    co4_future *future;
    const char *host, *service; /* in `text`; or NULL */
    bool has_hints;
    struct addrinfo hints;
    char text[];
};

/* ---- lookups ---- */

static void release(struct co4__lookup *l)
{
    if (atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (l->result)
        freeaddrinfo(l->result);
    co4_future_release(l->future);
    co4__free(l);
}

static struct co4__lookup *lookup_of(co4_abi_job *job)
{
    return (struct co4__lookup *)(void *)job;
}

static void look_up(co4_abi_job *job)
{
    struct co4__lookup *l = lookup_of(job);
    errno = 0;
    l->code = getaddrinfo(l->host, l->service, l->has_hints ? &l->hints : NULL, &l->result);
    l->error = errno;
    if (l->code != 0)
        l->result = NULL;
}

static void finish(co4_abi_job *job);
static void fail(co4_abi_job *job);

static struct co4__thread_pool resolver = {
    .make = look_up, .done = finish, .lost = fail, .limit = CO4_RESOLVER_THREADS
};

static void finish(co4_abi_job *job)
{
    struct co4__lookup *l = lookup_of(job);
    co4__lock_take(&resolver.lock);
    l->is_over = true;
    co4__lock_give(&resolver.lock);
    (co4_future_complete)(l->future, NULL, 0);
    release(l);
}

static void fail(co4_abi_job *job)
{
    lookup_of(job)->code = EAI_SYSTEM;
    lookup_of(job)->error = EAGAIN;
    finish(job);
}

/* Called under the lock; releases it. */
static void queue(struct co4__lookup *l)
{
    l->generation = co4__generation;
    co4__thread_pool_add(&resolver, &l->job);
}

/* ---- the tasks ---- */

bool co4__lookup_at_once(const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result, int *code)
{
#ifdef __GLIBC__
    struct addrinfo numeric = { .ai_flags = AI_V4MAPPED | AI_ADDRCONFIG }; /* its defaults */
#else
    struct addrinfo numeric = { .ai_flags = 0 };
#endif
    /* The clock of test mode does not wait for another thread. */
    if (!co4__has_threads || co4__local()->simulate.state) {
        *code = getaddrinfo(host, service, hints, result);
        return true;
    }
    if (hints)
        numeric = *hints;
    bool asks_numbers = (!host || numeric.ai_flags & AI_NUMERICHOST) &&
                        (!service || numeric.ai_flags & AI_NUMERICSERV);
    int own = (AI_NUMERICHOST | AI_NUMERICSERV) & ~numeric.ai_flags;
    numeric.ai_flags |= own;
    *code = getaddrinfo(host, service, asks_numbers ? hints : &numeric, result);
    for (struct addrinfo *a = *code == 0 ? *result : NULL; a; a = a->ai_next)
        a->ai_flags &= ~own; /* glibc puts the flags of the question there */
    return *code == 0 || asks_numbers;
}

static size_t bytes_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

struct co4__lookup *co4__lookup_begin(const char *host, const char *service,
                                      const struct addrinfo *hints)
{
    size_t for_host = bytes_of(host), for_service = bytes_of(service);
    struct co4__lookup *l = co4__alloc(sizeof *l + for_host + for_service);
    if (!l)
        return NULL;
    if (!(l->future = co4_future_create(0))) {
        co4__free(l);
        return NULL;
    }
    if (host)
        l->host = memcpy(l->text, host, for_host);
    if (service)
        l->service = memcpy(l->text + for_host, service, for_service);
    l->has_hints = hints != NULL;
    if (hints)
        l->hints = (struct addrinfo){ .ai_flags = hints->ai_flags,
                                      .ai_family = hints->ai_family,
                                      .ai_socktype = hints->ai_socktype,
                                      .ai_protocol = hints->ai_protocol };
    atomic_init(&l->refs, 2);
    co4__lock_take(&resolver.lock);
    queue(l);
    return l;
}

co4_future *co4__lookup_future(struct co4__lookup *lookup)
{
    return lookup->future;
}

bool co4__lookup_is_over(struct co4__lookup *lookup)
{
    co4__lock_take(&resolver.lock);
    bool over = lookup->is_over;
    if (over || lookup->generation == co4__generation) {
        co4__lock_give(&resolver.lock);
        return over;
    }
    queue(lookup); /* the thread or the queue that has had it is the parent's */
    return false;
}

int co4__lookup_take(struct co4__lookup *lookup, struct addrinfo **result)
{
    *result = lookup->result;
    lookup->result = NULL;
    if (lookup->code == EAI_SYSTEM)
        errno = lookup->error;
    return lookup->code;
}

void co4__lookup_end(struct co4__lookup **lookup)
{
    struct co4__lookup *l = *lookup;
    int was = errno;
    if (!l)
        return;
    co4__lock_take(&resolver.lock);
    bool forked = l->generation != co4__generation;
    bool queued = co4__thread_pool_has(&l->job) && !forked;
    if (queued)
        co4__thread_pool_remove(&resolver, &l->job);
    bool alone = queued || (forked && !l->is_over); /* no thread has the other reference */
    co4__lock_give(&resolver.lock);
    if (alone)
        release(l);
    release(l);
    errno = was;
}

/* ---- settings ---- */

int co4_resolver_limit(int threads)
{
    return co4__thread_pool_set_limit(&resolver, threads);
}

int co4_resolver_threads(void)
{
    return co4__thread_pool_threads(&resolver);
}

int co4_resolver_stop(void)
{
    return co4__thread_pool_stop(&resolver);
}

__attribute__((destructor)) static void end_with_program(void)
{
    co4__thread_pool_exit(&resolver);
}

void co4__resolver_fork(enum co4__fork how)
{
    co4__thread_pool_fork(&resolver, how);
}
