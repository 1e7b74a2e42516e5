/* reactor.c - a worker waits for events of descriptors in its reactor, and handles them.
 *
 * Purpose: the reactor is the idle path. An idle worker waits in the driver (epoll, say), not on
 * its parker, and one call reports many events. A busy worker looks without waiting, by steps and
 * by time. A descriptor is registered where a task first waits for it. Ends of calls in the ring of
 * the worker (uring.c) are events as well. The reactor of a run has its thread alone to look: so a
 * descriptor moves from there when another thread waits for it, and what is ready is reported anew.
 *
 * Stuck workers: a worker in a long step takes no events. While a worker is awake, one of those
 * that sleep wakes after WATCH. If that worker has not looked since, its events wake the sleeper
 * from then on (rescue.c). While all sleep, each wakes to look for lost descriptors only (lost.c).
 *
 * Concurrency: any thread may take events of any reactor (rescue.c). A waker calls the driver, and
 * then sets `woken`, its last access. An owner that finds `notified` set by another thread waits
 * for `woken`. So no waker accesses a reactor after its owner has continued. Threads that call the
 * driver of another reactor count themselves in `users`; the end waits for them. Lock order: a
 * descriptor, then a reactor. Models: reactor.pml and nesting.pml in tests/model.
 *
 * Rejected: one driver for all workers (each wake is a fight for it, and descriptors change
 * workers); a thread for I/O alone (two wakes an event); spinning without a bound. */
#include "io/reactor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/count.h"
#include "core/wait.h"
#include "io/lost.h"
#include "platform/clock.h"
#include "platform/deadlock.h"
#include "platform/fd.h"
#include "platform/system.h"
#include "sched/idle.h"
#include "sched/monitor.h"
#include "sched/queue.h"
#include "sched/run.h"
#include "sched/step_hooks.h"

#define WATCH     (250 * INT64_C(1000)) /* the sleep of a worker that watches a busy one, … */
#define WATCH_MAX (2 * CO4_MS)          /* … at most, while that one looks by itself */
#define SPIN      (50 * INT64_C(1000))  /* ns */
#define SPIN_MOST 16
#define AT_ONCE   (4 * INT64_C(1000)) /* ns */

static struct co4__reactor *reactor_of_poller(struct co4__poller *p)
{
    return (struct co4__reactor *)(void *)p;
}

/* ---- drivers ---- */

static const struct co4__io_driver *const drivers[] = {
#ifdef __linux__
    &co4__io_epoll,
#endif
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(CO4_TEST_KQUEUE)
    &co4__io_kqueue,
#endif
#if defined(__EMSCRIPTEN__)
    &co4__io_js,
#elif defined(__wasi__)
    &co4__io_wasi,
#else
    &co4__io_poll,
#endif
};

/* CO4_IO_DRIVER names another one than the first, for tests. */
static int reactor_open_driver(struct co4__reactor *r)
{
    const char *name = co4__safe_env("CO4_IO_DRIVER");
    int err = ENOSYS;
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0] && err == ENOSYS; i++) {
        if (name && strcmp(name, drivers[i]->name) != 0)
            continue;
        r->driver = drivers[i];
        err = r->driver->open(r);
    }
    if (err == 0 && r->driver->arm)
        atomic_store_explicit(&co4__some_driver_arms, true, memory_order_relaxed);
    return err;
}

/* ---- handling events ---- */

static bool lost_to_fork(struct co4__reactor *r);

static void handle(struct co4__poller *p)
{
    struct co4__reactor *r = reactor_of_poller(p);
    struct co4__local *here = co4__local();
    struct co4__worker *outer = here->worker;
    int n = r->nevents;
    r->nevents = 0;
    if (n == 0 && CO4__LIKELY(!co4__ring_has_ended(r)))
        return;
    r->quiet.look_at = 0;
    co4__count(&r->nevents_all, (uint64_t)n);
    if (r->worker)
        here->worker = r->worker; /* the woken tasks may stay here */
    co4__reactor_handle(r, r->events, n);
    if (CO4__UNLIKELY(co4__ring_has_ended(r)))
        co4__ring_take(r);
    here->worker = outer;
}

static void reactor_look(struct co4__poller *p)
{
    struct co4__reactor *r = reactor_of_poller(p);
    if (CO4__UNLIKELY(lost_to_fork(r)))
        return;
    if (CO4__UNLIKELY(atomic_load_explicit(&r->nested_in, memory_order_relaxed) != NULL))
        co4__reactor_end_nesting(r);
    co4__count(&r->polls, 1);
    r->nevents = r->driver->wait(r, r->events, 0);
    atomic_store_explicit(&r->looked, co4__clock(), memory_order_relaxed);
    handle(p);
}

/* ---- sleeping ---- */

static bool is_woken(struct co4__reactor *r)
{
    /* Acquire: pairs with the waker's release. */
    return atomic_load_explicit(&r->woken, memory_order_acquire) &&
           atomic_exchange_explicit(&r->woken, false, memory_order_acquire);
}

static void take_wake(struct co4__poller *p)
{
    for (unsigned tries = 0; !is_woken(reactor_of_poller(p)); tries++)
        co4__back_off(tries);
}

static void reactor_wake(struct co4__poller *p)
{
    struct co4__reactor *r = reactor_of_poller(p);
    r->driver->wake(r);
    atomic_store_explicit(&r->woken, true, memory_order_release);
}

static bool is_unawaited(struct co4__reactor *r, struct co4__descriptor *d)
{
    if (!co4__descriptor_is_awaited(d, NULL))
        return true;
    atomic_store_explicit(&r->awaited, d->fd, memory_order_relaxed);
    return false;
}

/* Most often a task waits where one did the last time. */
static bool has_awaited(struct co4__reactor *r)
{
    struct co4__descriptor *d = co4__descriptor_at(
        atomic_load_explicit(&r->awaited, memory_order_relaxed));
    if (d && atomic_load_explicit(&d->reactor, memory_order_relaxed) == r &&
        co4__descriptor_is_awaited(d, NULL))
        return true;
    return !co4__reactor_each(r, is_unawaited);
}

static bool awaits(struct co4__poller *p)
{
    return co4__ring_is_busy(reactor_of_poller(p)) || has_awaited(reactor_of_poller(p)) ||
           co4__reactor_awaits_outside(reactor_of_poller(p));
}

/* Looks again and again for a while. Returns whether it found something. */
static bool spin(struct co4__reactor *r, int64_t now, int64_t deadline)
{
    int64_t end = now + SPIN < deadline ? now + SPIN : deadline;
    co4__count(&r->spins, 1);
    do {
        r->nevents = r->driver->wait(r, r->events, 0);
        if (r->nevents > 0 || atomic_load_explicit(&r->woken, memory_order_relaxed)) {
            co4__count(&r->spins_won, 1);
            return true;
        }
    } while (co4__clock() < end);
    return false;
}

/* A spin pays while the thread that makes the event runs on another processor: it has to leave one
 * to the other workers. A single worker that is bound to one keeps none of its threads from it. */
static bool spin_is_free(const struct co4__reactor *r)
{
    struct co4__worker *w = r->worker;
    if (!w || co4__nworkers(w->rt) == 1)
        return true;
    int awake = atomic_load_explicit(&w->rt->idle.awake, memory_order_relaxed);
    return awake + 1 < (int)w->rt->sched.processors;
}

static void reactor_sleep_until(struct co4__reactor *r, int64_t deadline)
{
    int64_t began = co4__clock();
    if (deadline <= began || co4__ring_has_ended(r)) {
        r->nevents = r->driver->wait(r, r->events, 0);
        return;
    }
    bool is_device = co4__ring_is_busy(r); /* it takes longer than a spin */
    if (r->spin >= SPIN_MOST / 2 && !is_device && spin_is_free(r) && spin(r, began, deadline)) {
        /* What comes at once comes often: asleep, the worker would find more of it together. */
        if (co4__clock() - began < AT_ONCE)
            r->spin = 0;
        else if (r->spin < SPIN_MOST)
            r->spin++;
        return;
    }
    int64_t slept = co4__clock();
    atomic_store_explicit(&r->sleeps, true, memory_order_relaxed);
    r->nevents = r->driver->wait(r, r->events, co4__lost_look(r, slept, deadline));
    atomic_store_explicit(&r->sleeps, false, memory_order_relaxed);
    co4__count(&r->waits, 1);
    if (is_device)
        return;
    if (r->may_spin && co4__clock() - slept < 2 * SPIN)
        r->spin += r->spin < SPIN_MOST;
    else if (r->spin > 0)
        r->spin--;
}

/* A run that nothing can end: no other thread is awake, and no descriptor is awaited. */
static int look_for_deadlock(struct co4__reactor *r)
{
    int64_t next = co4__first_look;
    bool dead = false;
    co4__sleep_begins();
    atomic_store_explicit(&r->sleeps, true, memory_order_relaxed);
    for (;;) {
        r->nevents = r->driver->wait(r, r->events, co4__clock() + next);
        if (r->nevents > 0 || atomic_load_explicit(&r->woken, memory_order_relaxed))
            break;
        dead = !awaits(&r->poller) && co4__deadlocked();
        if (dead)
            break;
        next = next < CO4_NEVER / 4 ? 2 * next : next;
    }
    atomic_store_explicit(&r->sleeps, false, memory_order_relaxed);
    if (dead)
        return CO4_EDEADLK;
    co4__sleep_ends();
    return CO4_OK;
}

/* How often the owner has looked. Others that take its events change `looked`. */
static uint64_t own_looks(const struct co4__reactor *r)
{
    return co4__counted(&r->polls) + co4__counted(&r->waits) + co4__counted(&r->spins);
}

static int reactor_wait(struct co4__poller *p, int64_t deadline, bool looks)
{
    struct co4__reactor *r = reactor_of_poller(p), *busy = NULL;
    bool watches = false;
    int64_t watch_until = CO4_NEVER;
    uint64_t seen = 0;
    if (is_woken(r))
        return CO4_OK;
    if (CO4__UNLIKELY(lost_to_fork(r)))
        return CO4_ETIMEDOUT;
    if (atomic_load_explicit(&r->nested_in, memory_order_relaxed) != NULL)
        co4__reactor_end_nesting(r);
    if (co4__nworkers(r->worker->rt) > 1) {
        int64_t now = co4__clock();
        if (co4__reactor_take_for_others(r, now, &busy))
            return is_woken(r) ? CO4_OK : CO4_ETIMEDOUT;
        if (busy && !atomic_exchange_explicit(&r->worker->rt->reactor.watched, true,
                                              memory_order_acq_rel)) {
            watches = true;
            seen = own_looks(busy);
            watch_until = now + r->watch;
        }
    }
    if (looks && deadline == CO4_NEVER && !awaits(p)) {
        if (look_for_deadlock(r) == CO4_EDEADLK)
            return CO4_EDEADLK;
    } else {
        reactor_sleep_until(r, deadline < watch_until ? deadline : watch_until);
    }
    int64_t now = co4__clock();
    atomic_store_explicit(&r->looked, now, memory_order_relaxed);
    if (watches) {
        atomic_store_explicit(&r->worker->rt->reactor.watched, false, memory_order_release);
        bool stuck = own_looks(busy) == seen;
        if (now >= watch_until && stuck)
            co4__reactor_nest(r, busy);
        r->watch = stuck || 2 * r->watch > WATCH_MAX ? WATCH : 2 * r->watch;
    }
    return is_woken(r) ? CO4_OK : CO4_ETIMEDOUT;
}

/* ---- beginning and end ---- */

static int open_reactor(struct co4__reactor *r)
{
    r->generation = co4__reactor_generation();
    r->watch = WATCH;
    r->may_spin = co4__has_threads && co4__processors_online() > 1;
    atomic_store_explicit(&r->looked, co4__clock(), memory_order_relaxed);
    return reactor_open_driver(r);
}

static bool lose(struct co4__reactor *r, struct co4__descriptor *d)
{
    (void)r;
    co4__descriptor_retry(d);
    return true;
}

static void reactor_leave(struct co4__poller *p)
{
    if (reactor_of_poller(p)->worker)
        co4__reactor_leave_outside(reactor_of_poller(p));
}

static void reactor_end(struct co4__poller *p)
{
    struct co4__reactor *r = reactor_of_poller(p);
    if (!r->worker)
        return; /* the helper's: other workers may share it */
    co4__reactor_end_nesting(r);
    co4__reactor_release_nested(r);
    co4__reactor_each(r, lose);
    co4__ring_end(r);
    for (unsigned tries = 0; atomic_load_explicit(&r->users, memory_order_acquire) != 0; tries++)
        co4__back_off(tries);
    r->driver->close(r);
    co4__free(r);
}

static void count(struct co4__poller *p, const struct co4__worker *w, co4_stats *out)
{
    const struct co4__reactor *r = reactor_of_poller(p);
    if (r->worker != w)
        return;
    out->sleeps += co4__counted(&r->waits);
    out->looks += co4__counted(&r->polls);
    out->events += co4__counted(&r->nevents_all);
    out->spins += co4__counted(&r->spins);
    out->spins_won += co4__counted(&r->spins_won);
    out->rescued += co4__counted(&r->taken_for_others);
}

static bool rescue(struct co4__poller *p, int64_t now)
{
    return co4__reactor_rescue(reactor_of_poller(p), now);
}

static const struct co4__poller_ops ops = {
    .wait = reactor_wait,
    .handle = handle,
    .look = reactor_look,
    .awaits = awaits,
    .rescue = rescue,
    .take_wake = take_wake,
    .wake = reactor_wake,
    .leave = reactor_leave,
    .end = reactor_end,
    .count = count,
};

/* ---- the helper: for threads that are no workers, and for hosts that cannot poll the driver.
 * Without threads all workers share its reactor, and no thread drives it. ---- */

enum { ABSENT, STARTING, RUNNING, ENDED };

static struct co4__reactor helper;
static struct co4__thread helper_thread;
static atomic_int helper_state;
static atomic_bool helper_ends, helper_has_ended;

static void helper_main(void *reactor)
{
    struct co4__reactor *r = reactor;
    while (!atomic_load(&helper_ends)) {
        r->nevents = r->driver->wait(r, r->events, co4__lost_look(r, co4__clock(), CO4_NEVER));
        handle(&r->poller);
    }
    atomic_store(&helper_has_ended, true);
}

/* `is_open`: its thread has ended with the program, and a later destructor needs it again. */
static int start_helper(bool is_open)
{
    helper.poller.ops = &ops;
    int err = is_open ? 0 : open_reactor(&helper);
    atomic_store(&helper_ends, false);
    atomic_store(&helper_has_ended, false);
    if (err == 0 && co4__has_threads &&
        co4__thread_start_apart(&helper_thread, helper_main, &helper) != CO4_OK) {
        if (!is_open)
            helper.driver->close(&helper);
        err = EAGAIN;
    }
    return err;
}

/* Tools such as valgrind take the memory of a thread that still waits for a leak. It may wait for a
 * lock whose holder was interrupted by a handler that calls exit(): then it is left. */
__attribute__((destructor)) static void end_with_program(void)
{
    int running = RUNNING;
    if (!co4__has_threads || !atomic_compare_exchange_strong(&helper_state, &running, STARTING))
        return;
    atomic_store(&helper_ends, true);
    helper.driver->wake(&helper);
    int64_t limit = co4__clock() + 100 * CO4_MS;
    while (!atomic_load(&helper_has_ended) && co4__clock() < limit)
        co4__sleep_thread(co4__clock() + CO4_MS / 8);
    if (!atomic_load(&helper_has_ended))
        return;
    co4__thread_join(&helper_thread);
    atomic_store_explicit(&helper_state, ENDED, memory_order_release);
}

static int helper_reactor(struct co4__reactor **out)
{
    *out = &helper;
    for (unsigned tries = 0;; tries++) {
        int state = atomic_load_explicit(&helper_state, memory_order_acquire);
        if (state == RUNNING)
            return 0;
        if (state != STARTING && atomic_compare_exchange_strong(&helper_state, &state, STARTING)) {
            int err = start_helper(state == ENDED);
            atomic_store_explicit(&helper_state, err == 0 ? RUNNING : state, memory_order_release);
            return err;
        }
        co4__back_off(tries);
    }
}

/* ---- the reactor of a worker ---- */

static void give_poller(struct co4__worker *w, struct co4__reactor *r)
{
    /* Release: pairs with the acquire of threads that take its events. */
    atomic_store_explicit(&w->poller.made, &r->poller, memory_order_release);
    atomic_store_explicit(&w->rt->polled, true, memory_order_relaxed);
}

static int make_reactor(struct co4__worker *w, struct co4__reactor **out)
{
    struct co4__reactor *r = co4__alloc(sizeof *r);
    if (!r)
        return ENOMEM;
    r->poller.ops = &ops;
    r->worker = w;
    r->index = w->index;
    int err = open_reactor(r);
    if (err != 0) {
        co4__free(r);
        return err;
    }
    if (!w->rt->threaded && !w->rt->local && !r->driver->host_fd) {
        reactor_end(&r->poller); /* the host could not wait for these events */
        return helper_reactor(out);
    }
    give_poller(w, r);
    *out = r;
    return 0;
}

/* That of another worker. free: of one that is not blocked. */
static struct co4__reactor *reactor_of_another(const struct co4__worker *w, bool free)
{
    for (unsigned i = 0; i < co4__nworkers(w->rt); i++) {
        struct co4__worker *other = &w->rt->workers[i];
        struct co4__poller *p = co4__poller_of(other);
        if (p && !(free && atomic_load_explicit(&other->others.blocked, memory_order_relaxed)))
            return reactor_of_poller(p);
    }
    return NULL;
}

/* Of hundreds of spare workers (spares.c) that go on at once, few shall have one: a free one is
 * enough for all. So one after the other looks, and makes it. */
static int reactor_for_spare(struct co4__worker *w, struct co4__reactor **out)
{
    atomic_bool *making = &w->rt->spares.making_poller;
    atomic_store_explicit(&w->others.blocked, false, memory_order_relaxed);
    for (unsigned tries = 0; atomic_exchange_explicit(making, true, memory_order_acquire); tries++)
        co4__back_off(tries);
    *out = reactor_of_another(w, true);
    int err = *out ? 0 : make_reactor(w, out);
    atomic_store_explicit(making, false, memory_order_release);
    return err;
}

static int reactor_here(struct co4__reactor **out)
{
    struct co4__worker *w = co4__local()->worker;
    struct co4__poller *p = w ? co4__poller_of(w) : NULL;
    if (CO4__LIKELY(p != NULL)) {
        *out = reactor_of_poller(p);
        return 0;
    }
    if (w && co4__has_threads) {
        int err = w->index < w->rt->regular ? make_reactor(w, out) : reactor_for_spare(w, out);
        if (err == 0 || !(*out = reactor_of_another(w, false)))
            return err;
        return 0; /* the process is out of descriptors */
    }
    int err = helper_reactor(out);
    if (err == 0 && w)
        give_poller(w, *out);
    return err;
}

int co4__reactor_prepare(void)
{
    struct co4__reactor *r;
    struct co4__worker *w = co4__local()->worker;
    return w && CO4__UNLIKELY(!co4__poller_of(w)) ? reactor_here(&r) : 0;
}

static void end_use(struct co4__reactor *r)
{
    atomic_fetch_sub_explicit(&r->users, 1, memory_order_release); /* pairs with the end's load */
}

/* No thread looks after the reactor of a run while that is in a long step. */
static bool is_of_run(const struct co4__reactor *r)
{
    return r->worker && !r->worker->rt->threaded && co4__has_threads;
}

/* A run waits for a descriptor that another worker watches. If that is one around this run, which
 * cannot look before the run has ended, the run looks after it. */
static int watch_outside(struct co4__worker *w, struct co4__descriptor *d, bool *looks_after)
{
    co4__lock_take(&d->queues[0].lock);
    struct co4__reactor *held = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    if (held)
        atomic_fetch_add_explicit(&held->users, 1, memory_order_relaxed);
    co4__lock_give(&d->queues[0].lock);
    struct co4__reactor *other = held, *in = held, *r = NULL;
    int err = 0;
    if (!held)
        return 0;
    *looks_after = held->worker && co4__reactor_is_outside(w, held->worker);
    if (*looks_after) {
        err = reactor_here(&r);
        while (in && in != r &&
               co4__reactor_is_outside(w, in->worker)) { /* which no run looks after yet */
            other = in;
            in = atomic_load_explicit(&in->nested_in, memory_order_relaxed);
        }
        if (err == 0 && !in && r->worker == w)
            co4__reactor_nest(r, other);
    }
    end_use(held);
    return err;
}

static void note_registered(struct co4__reactor *r, int fd)
{
    co4__lock_take(&r->lock);
    if (atomic_fetch_add_explicit(&r->registered, 1, memory_order_relaxed) == 0)
        r->lowest = r->highest = fd;
    if (fd < r->lowest)
        r->lowest = fd;
    if (fd > r->highest)
        r->highest = fd;
    co4__lock_give(&r->lock);
}

/* Unless it is registered already; from the run of another thread it moves. Returns whether it is
 * there now, or cannot be: *err. */
static bool register_in(struct co4__reactor *r, struct co4__descriptor *d, uint32_t generation,
                        int *err)
{
    lost_to_fork(r); /* then it is this thread's: no other has come into the child */
    co4__lock_take(&d->queues[0].lock);
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    const struct co4__reactor *held = atomic_load_explicit(&d->reactor, memory_order_relaxed);
    bool mine = co4__is_attached(use) && co4__generation_of(use) == generation &&
                (!held || (is_of_run(held) && !is_of_run(r)));
    if (mine) {
        co4__reactor_forget(d);
        atomic_store_explicit(&d->of_run, is_of_run(r), memory_order_relaxed);
        atomic_store_explicit(&d->reactor, r, memory_order_release);
        atomic_fetch_add_explicit(&r->users, 1, memory_order_relaxed);
    }
    co4__lock_give(&d->queues[0].lock);
    if (!mine)
        return false; /* another thread registers it, or it is closed: the wait finds out */
    note_registered(r, d->fd);
    *err = r->driver->add(r, d->fd, generation);
    if (*err == 0 && (atomic_load_explicit(&d->use, memory_order_acquire) & CO4__CLOSING))
        r->driver->remove(r, d->fd); /* the close has removed it already, before it was there */
    else if (*err != 0)
        co4__descriptor_retry(d); /* others may have queued since */
    end_use(r);
    return true;
}

/* The run of another thread may be in a long step, or wait for this one: so the descriptor moves to
 * a reactor that is always looked after. A simulation looks after those of all its workers; events
 * that the helper thread brought would come when no seed decides. */
static int watch_elsewhere(struct co4__worker *w, struct co4__descriptor *d, uint32_t generation)
{
    bool looks_after = false;
    int err = w && w->rt->local ? watch_outside(w, d, &looks_after) : 0;
    struct co4__reactor *r;
    if (CO4__LIKELY(!atomic_load_explicit(&d->of_run, memory_order_relaxed)) || looks_after ||
        (w && w->rt->simulate.state))
        return err;
    err = w && w->rt->threaded ? reactor_here(&r) : helper_reactor(&r);
    if (err == 0)
        register_in(r, d, generation, &err);
    return err;
}

int co4__reactor_watch(struct co4__descriptor *d, uint32_t generation)
{
    struct co4__reactor *r = atomic_load_explicit(&d->reactor, memory_order_acquire);
    struct co4__worker *w = co4__local()->worker;
    int err;
    if (CO4__LIKELY(r != NULL && w && &r->poller == co4__poller_of(w)))
        return 0;
    if (!r && ((err = reactor_here(&r)) != 0 || register_in(r, d, generation, &err)))
        return err;
    return watch_elsewhere(w, d, generation);
}

bool co4__reactor_call(struct co4__uring_call *call, const struct co4__uring_request *request)
{
    struct co4__worker *w = co4__local()->worker;
    struct co4__reactor *r;
    if (!w || !co4__ring_is_wanted(w) || reactor_here(&r) != 0 || (r->worker && r->worker != w))
        return false;
    lost_to_fork(r);
    if (!co4__ring_begin(r, call, request))
        return false;
    co4__count(&w->stats.ring_calls, 1);
    return true;
}

/* ---- hosts, and a thread without others ---- */

int co4__reactor_host_fd(co4_runtime *rt, int wake_fd)
{
    struct co4__local *here = co4__local();
    struct co4__worker *outer = here->worker;
    struct co4__reactor *r;
    here->worker = &rt->workers[0];
    int err = reactor_here(&r);
    here->worker = outer;
    if (err != 0 || !r->driver->host_fd)
        return -1;
    return r->driver->host_fd(r, wake_fd);
}

#ifdef __EMSCRIPTEN__
bool co4__reactor_awaits(void)
{
    return atomic_load_explicit(&helper_state, memory_order_relaxed) == RUNNING &&
           awaits(&helper.poller);
}
#endif

bool co4__reactor_sleep(int64_t deadline)
{
    struct co4__reactor *r = &helper;
    if (atomic_load_explicit(&helper_state, memory_order_relaxed) != RUNNING ||
        (deadline == CO4_NEVER && !awaits(&r->poller)))
        return false;
    r->nevents = r->driver->wait(r, r->events, co4__lost_look(r, co4__clock(), deadline));
    handle(&r->poller);
    return true;
}

/* ---- forks ---- */

static bool register_again(struct co4__reactor *r, struct co4__descriptor *d)
{
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    r->driver->add(r, d->fd, co4__generation_of(use));
    return true;
}

/* The child shares the driver of its parent, and must not take the parent's events. */
static CO4__NOINLINE void open_again(struct co4__reactor *r)
{
    co4__ring_close(r);
    r->driver->close(r);
    r->generation = co4__reactor_generation();
    r->nevents = 0;
    atomic_store_explicit(&r->nested_in, NULL, memory_order_relaxed);
    int err = r->driver->open(r);
    if (err == EMFILE) {
        co4__own_fd_limit_begin();
        err = r->driver->open(r);
        co4__own_fd_limit_end();
    }
    if (err != 0) {
        co4__misuse("a forked process cannot wait for descriptors: it has no memory");
        abort();
    }
    co4__reactor_each(r, register_again);
}

static bool lost_to_fork(struct co4__reactor *r)
{
    if (CO4__LIKELY(r->generation == co4__reactor_generation()))
        return false;
    open_again(r);
    return true;
}

/* The helper's thread exists in the parent only. */
void co4__reactor_fork(enum co4__fork how)
{
    if (how == CO4__FORK_CHILD && atomic_load(&helper_state) != ABSENT && co4__has_threads) {
        co4__reactor_each(&helper, lose);
        atomic_store(&helper_state, ABSENT);
    }
}
