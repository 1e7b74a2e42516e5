/* timer.c - deadlines: one pairing heap a worker, and sleep.
 *
 * A waiting task that has a deadline is a node in the heap of the worker that it paused on; that
 * worker alone adds and fires, so a worker that sleeps has no need to be woken for a new deadline.
 * Any thread may cancel. A pairing heap needs no array to grow: a million sleepers are a million
 * nodes of 64 bytes, adding is O(1), and so is taking out a node that is not the root, up to what
 * the next removal pays.
 *
 * A task that waits in a mailbox with a deadline stands in two places, and exactly one of the two
 * may wake it: whoever claims it (wait.c). The heap's lock guards the node: who finds it due claims
 * the task under that lock, and when another was first, leaves the node to that one, who will ask
 * for it under the lock.
 *
 * Rejected: timing wheels (a tick costs CPU while idle, or a search). */
#include "internal.h"

void co4__timers_init(struct co4__timers *h, struct co4__worker *w, struct co4__parker *p)
{
    memset(h, 0, sizeof *h);
    h->worker = w;
    h->parker = p;
    atomic_store_explicit(&h->earliest, CO4_NEVER, memory_order_relaxed);
}

/* ---- the heap ---- */

/* Two trees to one: the later root becomes the first child of the earlier. Both have neither next
 * nor prev. */
static struct co4__timer *meld(struct co4__timer *a, struct co4__timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (b->deadline < a->deadline) {
        struct co4__timer *t = a;
        a = b;
        b = t;
    }
    b->next = a->child;
    b->prev = a;
    if (a->child)
        a->child->prev = b;
    a->child = b;
    return a;
}

/* Siblings to one tree: in pairs from the left, then the pairs from the right. */
static struct co4__timer *meld_all(struct co4__timer *first)
{
    struct co4__timer *pairs = NULL;
    while (first) {
        struct co4__timer *a = first, *b = a->next;
        first = b ? b->next : NULL;
        a->next = a->prev = NULL;
        if (b)
            b->next = b->prev = NULL;
        a = meld(a, b);
        a->next = pairs;
        pairs = a;
    }
    struct co4__timer *root = NULL;
    while (pairs) {
        struct co4__timer *a = pairs;
        pairs = a->next;
        a->next = NULL;
        root = meld(root, a);
    }
    return root;
}

/* Under the lock. */
static void set_root(struct co4__timers *h, struct co4__timer *root)
{
    h->root = root;
    atomic_store_explicit(&h->earliest, root ? root->deadline : CO4_NEVER, memory_order_relaxed);
}

void co4__timers_remove(struct co4__timers *h, struct co4__timer *n)
{
    struct co4__timer *below = meld_all(n->child);
    n->child = NULL;
    co4__count(&h->count, (uint64_t)-1);
    if (n == h->root) {
        set_root(h, below);
        return;
    }
    if (n->prev->child == n)
        n->prev->child = n->next;
    else
        n->prev->next = n->next;
    if (n->next)
        n->next->prev = n->prev;
    set_root(h, meld(h->root, below));
}

/* ---- timers ---- */

struct co4__timer *co4__timer_create(co4_task *t, int64_t deadline)
{
    struct co4__timer *n = co4__pool_take(sizeof *n);
    if (n)
        *n = (struct co4__timer){ .deadline = deadline, .task = t };
    return n;
}

void co4__timers_insert(struct co4__timers *h, struct co4__timer *n)
{
    n->heap = h;
    co4__count(&h->count, 1);
    set_root(h, meld(h->root, n));
}

void co4__timers_add(struct co4__timers *h, struct co4__timer *n)
{
    co4__lock_take(&h->lock);
    co4__timers_insert(h, n);
    co4__lock_give(&h->lock);
}

void co4__timers_cancel(struct co4__timer *n)
{
    struct co4__timers *h = n->heap;
    co4__lock_take(&h->lock);
    if (!n->due)
        co4__timers_remove(h, n);
    co4__lock_give(&h->lock);
    co4__pool_drop(n, sizeof *n);
}

#define AT_ONCE 64 /* that are taken out under one hold of the lock */

/* The tasks whose time has come, claimed, or some of them; up to a listener whose time has come, if
 * there is one. */
static struct co4__timer *collect(struct co4__timers *h, int64_t now, struct co4__timer **listener)
{
    struct co4__timer *due = NULL, **end = &due;
    uint8_t was;
    *listener = NULL;
    co4__lock_take(&h->lock);
    for (int i = 0; i < AT_ONCE && !*listener && h->root && h->root->deadline <= now; i++) {
        struct co4__timer *n = h->root;
        co4__timers_remove(h, n);
        n->next = NULL;
        if (!n->task) {
            atomic_store_explicit(&n->phase, CO4__TIMER_DUE, memory_order_relaxed);
            *listener = n;
            continue;
        }
        n->due = true;
        if (!co4__claim(n->task, &was))
            continue; /* the node is the winner's */
        n->sleeps = (was & CO4__WHAT_FOR) == CO4__WAIT_TIMER;
        *end = n;
        end = &n->next;
    }
    co4__lock_give(&h->lock);
    return due;
}

static void wake_tasks(struct co4__timer *due)
{
    for (struct co4__timer *n = due, *next; n; n = next) {
        next = n->next;
        co4_task *t = n->task;
        bool had = n->place && co4__place_left(n->place, t);
        t->fiber.result.i = n->sleeps || had ? CO4_OK : CO4_ETIMEDOUT;
        co4__pool_drop(n, sizeof *n);
        co4__task_wake(t);
    }
}

/* Listeners one at a time, with nothing in hand: their wake may be anybody's code. */
void co4__timers_fire(struct co4__timers *h, int64_t now)
{
    struct co4__timer *listener;
    do {
        wake_tasks(collect(h, now, &listener));
        if (listener)
            co4__timer_source_due(listener, now);
    } while (listener || co4__timers_earliest(h) <= now);
}

void co4__timers_poke(struct co4__timers *h)
{
    if (!h->worker)
        co4__parker_poke(h->parker);
    else if (co4__queue_poke(&h->worker->queue))
        co4__worker_wake(h->worker);
}

struct co4__timers *co4__timers_here(void)
{
    struct co4__local *here = co4__local();
    return here->worker ? &here->worker->timers : here->timers;
}

/* ---- sleep ---- */

int co4_sleep_until__co4(co4_fiber *co4, int64_t deadline)
{
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (deadline == CO4_NEVER)
        return co4__done(co4, CO4_EINVAL);
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    if (deadline <= co4_now())
        return co4_yield__co4(co4);
    struct co4__timer *n = co4__timer_create(co4__task_of(co4), deadline);
    if (!n)
        return co4__done(co4, CO4_ENOMEM);
    return co4__wait(co4, NULL, CO4__WAIT_TIMER, NULL, n);
}

int co4_sleep__co4(co4_fiber *co4, int64_t ns)
{
    if (ns <= 0)
        return co4_yield__co4(co4);
    int64_t now = co4_now();
    return co4_sleep_until__co4(co4, ns >= CO4_NEVER - now ? CO4_NEVER - 1 : now + ns);
}
