/* resolver.c - getaddrinfo on threads of its own, so that slow name servers hold up no other call.
 *
 * Invariants: a lookup owns copies of its arguments, and has two references: its task's, and that
 * of the queue, then of the thread that makes the call. So the task may leave at any time, for a
 * deadline or a cancellation. A lookup that is still queued then leaves the queue. Otherwise its
 * thread frees it, with the result, when getaddrinfo returns at last. The future is completed after
 * the result is stored.
 *
 * Concurrency: one lock guards the queue, the idle threads and the fields of a lookup that say
 * where it is. While a thread is idle no lookup is queued. A thread is counted before it starts. A
 * thread that removes another from the stack of idle ones wakes it exactly once. If the system
 * gives no thread and none is left, the queued lookups fail with EAGAIN. Threads are detached, so
 * the process may exit while a lookup hangs.
 *
 * A child of fork() has none of these threads. A lookup remembers the generation of its process;
 * its task looks now and then, and begins it anew in the child.
 *
 * Rejected: the blocking pool (a name server that does not answer would occupy its threads, and a
 * task of that pool cannot leave); a client of DNS of our own (it ignores nsswitch.conf); a call on
 * the task's thread when there is no other (it would block all tasks of the worker). */
#define _GNU_SOURCE /* struct addrinfo and others, whatever -std says */
#include "net/resolver.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "core/caller.h"
#include "memory/pool.h"
#include "net/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"

#define IDLE (2 * CO4_SEC)

struct co4__lookup {
    struct co4__lookup *next, **link; /* link: NULL unless it is queued; guarded by the lock */
    unsigned generation;              /* of the process in which it is queued or made; likewise */
    bool is_over;                     /* likewise */
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

struct idle {
    struct idle *below, **link; /* link: NULL when removed from the stack */
    struct co4__parker parker;
};

static struct {
    co4__lock lock;                    /* guards all below */
    struct co4__lookup *first, **last; /* the queue; last is NULL before the first lookup */
    struct idle *idle;
    int threads, limit;
    int here; /* `threads`, and those that do not count any more but still run */
    bool stopping;
} resolver = { .limit = CO4_RESOLVER_THREADS };

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

static void finish(struct co4__lookup *l, int code, int error, struct addrinfo *result)
{
    l->code = code;
    l->error = error;
    l->result = result;
    co4__lock_take(&resolver.lock);
    l->is_over = true;
    co4__lock_give(&resolver.lock);
    co4_future_complete_sized(l->future, NULL, 0);
    release(l);
}

static void look_up(struct co4__lookup *l)
{
    struct addrinfo *result = NULL;
    errno = 0;
    int code = getaddrinfo(l->host, l->service, l->has_hints ? &l->hints : NULL, &result);
    finish(l, code, errno, code == 0 ? result : NULL);
}

/* ---- under the lock ---- */

static void push(struct co4__lookup *l)
{
    l->generation = co4__generation;
    l->next = NULL;
    l->link = resolver.first ? resolver.last : &resolver.first;
    *l->link = l;
    resolver.last = &l->next;
}

static void take_out(struct co4__lookup *l)
{
    *l->link = l->next;
    if (l->next)
        l->next->link = l->link;
    else
        resolver.last = l->link;
    l->link = NULL;
}

static void put_on(struct idle *self)
{
    self->below = resolver.idle;
    self->link = &resolver.idle;
    if (self->below)
        self->below->link = &self->below;
    resolver.idle = self;
}

static void take_off(struct idle *self)
{
    *self->link = self->below;
    if (self->below)
        self->below->link = self->link;
    self->link = NULL;
}

static struct idle *take_idle(void)
{
    struct idle *idle = resolver.idle;
    if (idle)
        take_off(idle);
    return idle;
}

/* ---- the threads ---- */

/* Called under the lock, which it releases meanwhile: waits for a wake, or ends the idle time. The
 * thread is off the stack afterwards. Returns whether it was woken. */
static bool wait_idle(struct idle *self)
{
    put_on(self);
    co4__lock_give(&resolver.lock);
    int err = co4__parker_idle(&self->parker, co4__clock() + IDLE);
    co4__lock_take(&resolver.lock);
    if (err == CO4_OK)
        return true;
    if (self->link) {
        take_off(self);
        return false;
    }
    co4__lock_give(&resolver.lock); /* its wake is about to come */
    co4__parker_wait(&self->parker, CO4_NEVER);
    co4__lock_take(&resolver.lock);
    return true;
}

/* Returns the next lookup, perhaps after a wait; without `self` it does not wait. NULL: the thread
 * has to end, and does not count any more. */
static struct co4__lookup *next_lookup(struct idle *self)
{
    struct co4__lookup *l = NULL;
    co4__lock_take(&resolver.lock);
    while (resolver.threads <= resolver.limit && !(l = resolver.first) && self &&
           !resolver.stopping)
        if (!wait_idle(self))
            break;
    struct idle *other = NULL;
    if (l) {
        take_out(l);
    } else {
        resolver.threads--;
        if (resolver.first) /* this thread was woken for it, and is above the limit */
            other = take_idle();
    }
    co4__lock_give(&resolver.lock);
    if (other)
        co4__parker_wake(&other->parker);
    return l;
}

static void thread_main(void *unused)
{
    struct idle self;
    struct co4__lookup *l;
    (void)unused;
    bool can_idle = co4__parker_init(&self.parker) == CO4_OK;
    while ((l = next_lookup(can_idle ? &self : NULL)) != NULL)
        look_up(l);
    if (can_idle)
        co4__parker_fini(&self.parker);
    co4__pool_thread_exit();
    co4__lock_take(&resolver.lock);
    resolver.here--;
    co4__lock_give(&resolver.lock);
}

/* A thread could not be started. Without threads no queued lookup can be made. */
static void start_failed(void)
{
    struct co4__lookup *lost = NULL;
    co4__lock_take(&resolver.lock);
    resolver.threads--;
    resolver.here--;
    if (resolver.threads == 0) {
        lost = resolver.first;
        resolver.first = NULL;
        for (struct co4__lookup *l = lost; l; l = l->next)
            l->link = NULL; /* their tasks leave them alone */
    }
    co4__lock_give(&resolver.lock);
    for (struct co4__lookup *l = lost, *next; l; l = next) {
        next = l->next;
        finish(l, EAI_SYSTEM, EAGAIN, NULL);
    }
}

/* Called under the lock; releases it. Wakes or starts a thread for the first queued lookup. Returns
 * whether it has done so; otherwise a busy thread takes the lookup later. */
static bool serve(void)
{
    struct idle *idle = resolver.first ? take_idle() : NULL;
    bool start = resolver.first && !idle && resolver.threads < resolver.limit;
    resolver.threads += start;
    resolver.here += start;
    co4__lock_give(&resolver.lock);
    if (idle)
        co4__parker_wake(&idle->parker);
    if (start && co4__thread_start_detached(thread_main, NULL) != CO4_OK) {
        start_failed();
        return false;
    }
    return idle || start;
}

/* Called under the lock; releases it. Idle threads look at the limit and at `stopping`. */
static void wake_all(void)
{
    struct idle *idle = resolver.idle;
    resolver.idle = NULL;
    for (struct idle *i = idle; i; i = i->below)
        i->link = NULL;
    co4__lock_give(&resolver.lock);
    for (struct idle *below; idle; idle = below) {
        below = idle->below; /* its thread may put it on the stack again */
        co4__parker_wake(&idle->parker);
    }
}

/* ---- the tasks ---- */

/* Without threads, and in test mode, whose clock does not wait for other threads. */
static bool is_direct(void)
{
    return !co4__has_threads || co4__local()->simulate.state;
}

bool co4__lookup_at_once(const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result, int *code)
{
#ifdef __GLIBC__
    struct addrinfo numeric = { .ai_flags = AI_V4MAPPED | AI_ADDRCONFIG }; /* its defaults */
#else
    struct addrinfo numeric = { .ai_flags = 0 };
#endif
    if (is_direct()) {
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
    push(l);
    serve();
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
    push(lookup); /* the thread or the queue that has had it is the parent's */
    serve();
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
    bool queued = l->link && !forked;
    if (queued)
        take_out(l);
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
    if (threads < 1)
        return CO4_EINVAL;
    co4__lock_take(&resolver.lock);
    resolver.limit = threads;
    wake_all();
    do
        co4__lock_take(&resolver.lock);
    while (serve());
    return CO4_OK;
}

int co4_resolver_threads(void)
{
    co4__lock_take(&resolver.lock);
    int n = resolver.threads;
    co4__lock_give(&resolver.lock);
    return n;
}

int co4_resolver_stop(void)
{
    if (co4__in_task())
        return CO4_EDEADLK;
    for (;;) {
        co4__lock_take(&resolver.lock);
        bool more = resolver.stopping = resolver.here > 0;
        wake_all();
        if (!more)
            return CO4_OK;
        co4__sleep_thread(co4__clock() + CO4_MS / 4);
    }
}

/* ---- forks ---- */

void co4__resolver_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&resolver.lock);
    if (how == CO4__FORK_CHILD) {
        resolver.first = NULL;
        resolver.idle = NULL;
        resolver.threads = resolver.here = 0;
        resolver.stopping = false;
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&resolver.lock);
}
