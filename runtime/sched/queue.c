/* queue.c - the ready tasks of one worker.
 *
 * Purpose: only the owner accesses the `lanes` (lanes.c), without atomics. Most tasks go there.
 * `rx` is the inbox for all other threads: a stack. They push by compare and swap, and the owner
 * takes the whole stack by one exchange, so there is no ABA problem. It is reversed on the way to
 * the lanes, so it is a FIFO. One word counts the tasks, and decides which thread wakes the owner:
 *
 *       63 … 32  shared: pushed and marked, minus taken (signed)
 *            31  monitored: the monitor checks this inbox, or has been called (monitor.c)
 *       30 …  1  local: tasks in the lanes and the running one, as last published
 *             0  notified: the owner is awake, or has been woken
 *
 * Concurrency: a pusher pushes, then marks: it adds 1 to shared and sets notified, in one update.
 * Only the first marker wakes the owner. The owner clears notified in one update that requires
 * shared == 0. So a mark before it keeps the owner awake, and a mark after it finds the bit clear:
 * no wake is lost (tests/model/queue.pml). A mark that finds the owner awake and MONITORED clear
 * sets that bit, and calls the monitor. A task may be taken between its push and its mark;
 * then shared is -1. Until it is 0 again the owner does not sleep, and no worker is freed, so no
 * marker accesses a freed queue. `local` is a hint. The owner publishes it when it becomes zero or
 * nonzero, when it has grown by an eighth by pushes, and at a look (look.c) after other changes by
 * an eighth. An update for each task would cost more than its queueing.
 *
 * Rejected: a Vyukov queue (a pusher preempted between its two stores hides all later tasks); a
 * ring (bounded); taking tasks one by one from rx (an atomic update each). */
#include "sched/queue.h"

#include <string.h>

#include "base/compiler.h"
#include "base/count.h"
#include "base/public.h"

#define NOTIFIED     UINT64_C(1)
#define LOCAL_SHIFT  CO4__LOCAL_SHIFT
#define LOCAL_MASK   (UINT64_C(0x3fffffff) << LOCAL_SHIFT)
#define MONITORED    (UINT64_C(1) << 31)
#define SHARED_SHIFT 32
#define SHARED_ONE   (UINT64_C(1) << SHARED_SHIFT)

static inline int32_t shared_of(uint64_t word)
{
    return (int32_t)(uint32_t)(word >> SHARED_SHIFT);
}

void co4__queue_init(struct co4__queue *q)
{
    memset(q, 0, sizeof *q);
    /* The owner does not sleep yet, and no monitor has to be called yet. */
    atomic_store_explicit(&q->word, NOTIFIED | MONITORED, memory_order_relaxed);
}

/* Called when `word` contains `ninner`. The next update comes after a change by an eighth, and at
 * least by one. */
static void published(struct co4__queue *q)
{
    uint32_t n = q->ninner, drift = n == 0 ? 0 : 1 + n / 8;
    q->published = n;
    q->least = n - drift > 1 ? n - drift : n > 0;
    q->most = n + drift;
}

/* Only the owner changes the local count, so it can add the difference. */
void co4__queue_publish(struct co4__queue *q)
{
    atomic_fetch_add_explicit(&q->word,
                              (uint64_t)((int64_t)q->ninner - (int64_t)q->published) << LOCAL_SHIFT,
                              memory_order_relaxed);
    published(q);
}

enum co4__push co4__queue_push_several(struct co4__queue *q, co4_task *newest, co4_task *oldest,
                                       uint32_t n)
{
    co4_task *top = atomic_load_explicit(&q->rx, memory_order_relaxed);
    do
        oldest->next = top;
    while (!atomic_compare_exchange_weak_explicit(&q->rx, &top, newest, memory_order_release,
                                                  memory_order_relaxed));
    uint64_t old = atomic_load_explicit(&q->word, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &q->word, &old, (old + n * SHARED_ONE) | (old & NOTIFIED ? MONITORED : NOTIFIED),
        memory_order_seq_cst, memory_order_relaxed))
        ;
    if (!(old & NOTIFIED))
        return CO4__PUSH_WAKE;
    return CO4__LIKELY((old & MONITORED) != 0) ? CO4__PUSHED : CO4__PUSH_CALL;
}

enum co4__push co4__queue_push_rx(struct co4__queue *q, co4_task *t)
{
    return co4__queue_push_several(q, t, t, 1);
}

bool co4__queue_interrupt(struct co4__queue *q)
{
    return !(atomic_fetch_or(&q->word, NOTIFIED) & NOTIFIED);
}

/* Takes the whole inbox, oldest task first, and stores the newest, and the number of tasks. */
static co4_task *take_rx(struct co4__queue *q, co4_task **newest, uint64_t *n)
{
    /* Acquire: pairs with the push's release, for the tasks' contents. */
    co4_task *t = atomic_exchange_explicit(&q->rx, NULL, memory_order_acquire);
    co4_task *oldest = NULL;
    *newest = t;
    *n = 0;
    while (t) {
        co4_task *next = t->next;
        t->next = oldest;
        oldest = t;
        t = next;
        ++*n;
    }
    return oldest;
}

void co4__queue_drain(struct co4__queue *q)
{
    uint64_t n;
    if (!co4__queue_has_rx(q))
        return;
    co4_task *newest, *oldest = take_rx(q, &newest, &n);
    if (oldest)
        co4__lanes_arrive(&q->lanes, oldest, newest, (uint32_t)n);
    q->ninner += (uint32_t)n;
    atomic_fetch_add_explicit(
        &q->word,
        ((uint64_t)((int64_t)q->ninner - (int64_t)q->published) << LOCAL_SHIFT) - n * SHARED_ONE,
        memory_order_acq_rel);
    published(q);
    co4__count(&q->received, n);
}

co4_task *co4__queue_take_rx(struct co4__queue *q)
{
    uint64_t n;
    co4_task *newest, *oldest = take_rx(q, &newest, &n);
    atomic_fetch_sub_explicit(&q->word, n * SHARED_ONE, memory_order_acq_rel);
    return oldest;
}

bool co4__queue_monitor(struct co4__queue *q)
{
    return (atomic_fetch_or(&q->word, MONITORED) & MONITORED) != 0;
}

bool co4__queue_unmonitor(struct co4__queue *q)
{
    return (atomic_fetch_and(&q->word, ~MONITORED) & MONITORED) != 0;
}

void co4__queue_prefer(struct co4__queue *q, unsigned k)
{
    struct co4__lanes *l = &q->lanes;
    co4_task *before = NULL, *t = l->head;
    for (; k > 0; k--) {
        before = t;
        t = t->next;
    }
    if (!before)
        return;
    before->next = t->next;
    if (l->tail == t)
        l->tail = before;
    t->next = l->head;
    l->head = t;
}

bool co4__queue_sleep(struct co4__queue *q)
{
    uint64_t old = atomic_load_explicit(&q->word, memory_order_relaxed);
    do
        if (shared_of(old) != 0 || co4__queue_any(q))
            return false;
    while (!atomic_compare_exchange_weak_explicit(&q->word, &old, old & ~NOTIFIED,
                                                  memory_order_seq_cst, memory_order_relaxed));
    return true;
}

bool co4__queue_unsleep(struct co4__queue *q)
{
    return !(atomic_fetch_or_explicit(&q->word, NOTIFIED, memory_order_acq_rel) & NOTIFIED);
}

bool co4__queue_sleeps(const struct co4__queue *q)
{
    return !(
        atomic_load_explicit(&((struct co4__queue *)(uintptr_t)q)->word, memory_order_relaxed) &
        NOTIFIED);
}

bool co4__queue_pushes_done(const struct co4__queue *q)
{
    return shared_of(atomic_load_explicit(&((struct co4__queue *)(uintptr_t)q)->word,
                                          memory_order_acquire)) == 0;
}

uint32_t co4__queue_load(const struct co4__queue *q)
{
    uint64_t word = atomic_load_explicit(&((struct co4__queue *)(uintptr_t)q)->word,
                                         memory_order_relaxed);
    int32_t shared = shared_of(word);
    return (uint32_t)((word & LOCAL_MASK) >> LOCAL_SHIFT) + (shared > 0 ? (uint32_t)shared : 0);
}
