/* lanes.c - which ready task of a worker runs next.
 *
 * Purpose: a task that has been woken should not wait for all that compute. Tasks that a worker has
 * spawned or woken itself form a FIFO, `head`. Those that timers, events and other threads have
 * made ready are in `arrived`. Those that have yielded are in `yielded`. Each list is a FIFO.
 *
 * A turn has up to TURN/2 arrived tasks, up to TURN of the first list, and then one that has
 * yielded. If the first two take longer than 50 µs, the turn is cut: it has at least one of each
 * (look.c). The task that has yielded may take longer. In a co4_run no turn is cut, so that the
 * order there does not depend on time.
 *
 * Invariant: a task that yields runs behind all tasks that are in the first list then. `pushed` at
 * that time is stored in its `prev`, which no ready task uses. It is compared to the number of
 * tasks that have left that list.
 *
 * Fairness: the k-th task of a list waits for at most k turns. If it has yielded, it waits for the
 * tasks that were in the first list besides. tests/unit/test_lanes.c counts these steps.
 *
 * Rejected: one slot for the task woken last, as Go and Tokio have it. It changes the order of
 * tasks that only exchange messages, so that a task that waits for ten messages runs ten times
 * instead of once: a tree of a million tasks then takes a sixth longer. Yielding tasks behind all
 * others, without a mark of their age: a task that spawns many and yields now and then runs again
 * before they have. */
#include "sched/lanes.h"

#include "core/task_extension.h"

/* The number of tasks that have left the first list. */
static inline uint32_t passed(const struct co4__lanes *l)
{
    return l->passed - l->left - l->held;
}

static inline void lane_append(struct co4__lane *a, co4_task *first, co4_task *last, uint32_t n)
{
    last->next = NULL;
    if (a->head)
        a->tail->next = first;
    else
        a->head = first;
    a->tail = last;
    a->n += n;
}

static inline co4_task *lane_take(struct co4__lane *a)
{
    co4_task *t = a->head;
    a->head = t->next;
    a->n--;
    return t;
}

static inline void arrived_first(struct co4__lanes *l)
{
    if (l->arrived.head && l->fresh > 0) {
        l->held += l->left;
        l->left = 0;
    }
}

static inline void begin_turn(struct co4__lanes *l)
{
    l->began = passed(l);
    l->passed = l->began + CO4__TURN;
    l->some_arrived = false;
    l->left = CO4__TURN;
    l->held = 0;
    l->fresh = CO4__TURN / 2;
    l->turns++;
    arrived_first(l);
}

void co4__lanes_cut(struct co4__lanes *l)
{
    uint32_t now = passed(l);
    l->left = now == l->began;
    l->passed = now + l->left;
    l->held = 0;
    l->fresh = !l->some_arrived;
    arrived_first(l);
}

void co4__lanes_yield(struct co4__lanes *l, co4_task *t)
{
    t->prev = (co4_task *)(uintptr_t)l->pushed;
    lane_append(&l->yielded, t, t, 1);
}

void co4__lanes_arrive(struct co4__lanes *l, co4_task *first, co4_task *last, uint32_t n)
{
    lane_append(&l->arrived, first, last, n);
    arrived_first(l);
}

void co4__lanes_woken(struct co4__lanes *l, co4_task *last, uint32_t n)
{
    co4_task *first = last ? last->next : l->head;
    if (n == 0)
        return;
    lane_append(&l->arrived, first, l->tail, n);
    if (last)
        last->next = NULL;
    else
        l->head = NULL;
    l->tail = last;
    l->pushed -= n;
    arrived_first(l);
}

/* Moves a whole list behind the first one. */
static void lane_move_all(struct co4__lanes *l, struct co4__lane *from)
{
    if (!from->head)
        return;
    if (l->head)
        l->tail->next = from->head;
    else
        l->head = from->head;
    l->tail = from->tail;
    l->pushed += from->n;
    from->head = NULL;
    from->n = 0;
}

void co4__lanes_join(struct co4__lanes *l)
{
    lane_move_all(l, &l->yielded);
    lane_move_all(l, &l->arrived); /* has just been filled */
}

static inline bool may_run(const struct co4__lanes *l, const co4_task *yielded)
{
    return !l->head || (int32_t)(passed(l) - (uint32_t)(uintptr_t)yielded->prev) >= 0;
}

co4_task *co4__lanes_choose(struct co4__lanes *l)
{
    if (!l->head && !l->arrived.head) {
        if (!l->yielded.head)
            return NULL;
        if (l->left != CO4__TURN || l->some_arrived)
            begin_turn(l);
        else
            l->turns++;
        return lane_take(&l->yielded);
    }
    l->left += l->held;
    l->held = 0;
    for (;;) {
        if (l->arrived.head && l->fresh > 0) {
            l->fresh--;
            l->some_arrived = true;
            co4_task *t = lane_take(&l->arrived);
            arrived_first(l);
            return t;
        }
        if (l->head && l->left > 0) {
            co4_task *t = l->head;
            l->head = t->next;
            l->left--;
            return t;
        }
        if (l->yielded.head && may_run(l, l->yielded.head)) {
            co4_task *t = lane_take(&l->yielded);
            begin_turn(l);
            return t;
        }
        if (!l->head && !l->arrived.head)
            return NULL;
        begin_turn(l);
        l->left += l->held;
        l->held = 0;
    }
}

/* Removes up to n of the oldest tasks of a list, without pinned ones, and links them before
 * *newest. */
static uint32_t list_part(co4_task **head, co4_task **tail, uint32_t n, co4_task **newest,
                          co4_task **oldest)
{
    uint32_t given = 0;
    co4_task *before = NULL, *t = *head;
    for (; n > 0 && t; n--) {
        co4_task *next = t->next;
        if (co4__pinned_to(t) >= 0) {
            before = t;
        } else {
            if (before)
                before->next = next;
            else
                *head = next;
            t->next = *newest;
            *newest = t;
            if (!*oldest)
                *oldest = t;
            given++;
        }
        t = next;
    }
    if (!t)
        *tail = before;
    return given;
}

uint32_t co4__lanes_part(struct co4__lanes *l, uint32_t n, co4_task **newest, co4_task **oldest)
{
    uint32_t first = 0, yielded = 0, arrived = 0;
    *newest = *oldest = NULL;
    first = list_part(&l->head, &l->tail, n, newest, oldest);
    l->passed += first;
    yielded = list_part(&l->yielded.head, &l->yielded.tail, n - first, newest, oldest);
    l->yielded.n -= yielded;
    arrived = list_part(&l->arrived.head, &l->arrived.tail, n - first - yielded, newest, oldest);
    l->arrived.n -= arrived;
    return first + yielded + arrived;
}
