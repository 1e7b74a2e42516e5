/* exit_monitor.c - a task that monitors another gets a notice of its end.
 *
 * Purpose: few tasks have `exits`, so it is in the extension, created on the first request. Its
 * lock guards the notices, the waiters at the source, and `over`, so that each is notified once.
 *
 * Concurrency: notices are sent before the task counts as stopped, as its future is done before. So
 * a task that has joined a runtime and destroys a mailbox finds no notice under way. But an end
 * that found no `exits` may have missed a request. So it looks again after it has stopped, by the
 * Dekker pair of joins (task.c): a request sets JOINED, then asks whether the task has stopped; the
 * end sets STOPPED, then reads JOINED.
 *
 * Invariants: notices are in a list, in the order of the requests, and in a tree, by their mailbox.
 * So forgetting one costs log n, with any number of others.
 *
 * A notice is a listener: it sends itself like a select with a single case. If the mailbox is full,
 * or its ring cannot grow, the notice is queued among the senders, in its own memory, and frees
 * itself when it has been served. The request has reserved memory for one message. So a ring that
 * cannot grow holds a message, and its receiver makes the room. */
#include "structured/exit_monitor.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/public.h"
#include "base/random.h"
#include "core/join.h"
#include "core/result.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "sync/mailbox.h"
#include "sync/source.h"

struct notice {
    co4_listener listener;
    co4_sending sending;
    struct notice *next, **link; /* in the order of the requests */
    /* The tree, if it is the first for its mailbox. */
    struct notice *less, *more;
    struct notice *same; /* the next for the same mailbox */
    size_t bytes;        /* the size of the struct with the message */
    co4_exit message;    /* as long as the mailbox's elements */
};

struct co4__exits {
    co4_source source; /* first; constant, like task */
    co4_task *task;
    struct co4__wait_queue wait_queue; /* its lock guards the fields below */
    struct notice *first, **last;      /* *last: the link of the next notice */
    struct notice *tree;
    bool over;
    int error;
};

/* ---- notices ---- */

static void drop(struct notice *n)
{
    co4__pool_drop(n, n->bytes);
}

static void exit_wake(co4_listener *l)
{
    drop((struct notice *)(void *)l); /* its first member */
}

static const co4_listener_ops notice_ops = {
    .acquire = co4__listener_acquire_always,
    .complete = co4__listener_complete_empty,
    .release = co4__listener_release_empty,
    .wake = exit_wake,
    .owner = co4__listener_is_owner,
};

static struct notice *notice_create(co4_mailbox *mb, void *tag)
{
    size_t bytes = offsetof(struct notice, message) + mb->ring.elem_size;
    struct notice *n = co4__pool_take(bytes);
    if (!n)
        return NULL;
    memset(n, 0, bytes);
    n->bytes = bytes;
    n->listener.ops = &notice_ops;
    n->message.tag = tag;
    co4_mailbox_sending(&n->sending, mb, &n->message);
    return n;
}

static void send(struct notice *n, const co4_task *t, int error)
{
    n->message.task = t;
    n->message.error = error;
    n->message.cancelled = co4_task_cancelled(t);
    co4_task_name(t, n->message.name, sizeof n->message.name);
    co4__mailbox_add_patient(&n->sending, &n->listener);
}

/* ---- by mailbox ---- */

/* A treap (Aragon, Seidel 1989): ordered by mailbox from left to right, and by a hash of the
 * mailbox from top to bottom. So its depth is log n after any removals, and it needs no memory of
 * its own. */

static uintptr_t key_of(const struct notice *n)
{
    return (uintptr_t)n->sending.mailbox;
}

static uint64_t height_of(const struct notice *n)
{
    return co4__random(key_of(n));
}

/* Returns the link to the first notice for this mailbox; a link to NULL: there is none. */
static struct notice **notice_find(struct notice **at, uintptr_t key)
{
    while (*at && key_of(*at) != key)
        at = key < key_of(*at) ? &(*at)->less : &(*at)->more;
    return at;
}

static void split(struct notice *n, uintptr_t key, struct notice **less, struct notice **more)
{
    while (n)
        if (key_of(n) < key) {
            *less = n;
            less = &n->more;
            n = n->more;
        } else {
            *more = n;
            more = &n->less;
            n = n->less;
        }
    *less = *more = NULL;
}

static void notice_add(struct co4__exits *e, struct notice *n)
{
    struct notice **at = &e->tree;
    n->link = e->last;
    *e->last = n;
    e->last = &n->next;
    while (*at && height_of(*at) > height_of(n))
        at = key_of(n) < key_of(*at) ? &(*at)->less : &(*at)->more;
    if (*at && key_of(*at) == key_of(n)) {
        n->same = (*at)->same;
        (*at)->same = n;
        return;
    }
    split(*at, key_of(n), &n->less, &n->more);
    *at = n;
}

static void take_root(struct notice **at)
{
    struct notice *less = (*at)->less, *more = (*at)->more;
    while (less && more)
        if (height_of(less) > height_of(more)) {
            *at = less;
            at = &less->more;
            less = less->more;
        } else {
            *at = more;
            at = &more->less;
            more = more->less;
        }
    *at = less ? less : more;
}

/* Removes one notice for this mailbox, and returns it. NULL: there is none. */
static struct notice *notice_take(struct co4__exits *e, const co4_mailbox *mailbox)
{
    struct notice **at = notice_find(&e->tree, (uintptr_t)mailbox), *n = *at;
    if (!n)
        return NULL;
    if (n->same) {
        struct notice *root = n;
        n = n->same;
        root->same = n->same;
    } else {
        take_root(at);
    }
    *n->link = n->next;
    if (n->next)
        n->next->link = n->link;
    else
        e->last = n->link;
    return n;
}

/* ---- the end ---- */

/* Called under the lock, which it releases. Removes all listeners, even those that want nothing any
 * more, because the task may be freed afterwards. */
static void tell(struct co4__exits *e, int error)
{
    struct co4__list woken = { NULL, NULL };
    unsigned taken = 0;
    e->over = true;
    e->error = error;
    co4__wait_queue_settle(&e->wait_queue); /* waits until threads that forget notices are done */
    struct notice *notices = e->first;
    e->first = e->tree = NULL;
    e->last = &e->first;
    for (struct co4__waiter *w = e->wait_queue.waiters.head, *next; w; w = next) {
        next = w->next;
        bool wants = co4__offer(co4__listener_of(w), error, NULL) != 0;
        co4__wait_queue_remove(&e->wait_queue, w);
        if (wants)
            co4__list_push(&woken, w);
        if (co4__wait_queue_may_yield(&e->wait_queue, &taken))
            next = e->wait_queue.waiters.head;
    }
    co4__lock_give(&e->wait_queue.lock);
    co4__list_wake(&woken);
    for (struct notice *n = notices, *next; n; n = next) {
        next = n->next;
        send(n, e->task, error);
    }
}

void co4__exits_ended(struct co4__exits *e, int error)
{
    co4__lock_take(&e->wait_queue.lock);
    if (e->over)
        co4__lock_give(&e->wait_queue.lock);
    else
        tell(e, error);
}

/* Takes the lock. True: the task has ended, and all earlier requests have been notified; the lock
 * is released. */
static bool exits_enter(struct co4__exits *e)
{
    co4__lock_take(&e->wait_queue.lock);
    if (!e->over && !co4__task_has_stopped(e->task))
        return false;
    if (e->over)
        co4__lock_give(&e->wait_queue.lock);
    else
        tell(e, co4__task_error(e->task));
    return true;
}

/* ---- the source ---- */

static struct co4__exits *exits_of_source(co4_source *source)
{
    return (struct co4__exits *)(void *)source; /* its first member */
}

static int end_now(struct co4__exits *e, co4_listener *l, bool add)
{
    if (exits_enter(e)) {
        if (!co4__ask_and_offer(l, e->error, NULL))
            return 0;
        l->ops->wake(l);
        return 1;
    }
    if (add)
        co4__listener_queue(&e->wait_queue, l, CO4__WAIT_JOIN, NULL, NULL);
    co4__lock_give(&e->wait_queue.lock);
    return 0;
}

static int end_poll(co4_source *source, co4_listener *l)
{
    return end_now(exits_of_source(source), l, false);
}

static int end_add(co4_source *source, co4_listener *l)
{
    co4__listener_unqueued(l); /* after a refusal, drop finds nothing */
    return end_now(exits_of_source(source), l, true);
}

static void end_drop(co4_source *source, co4_listener *l)
{
    co4__listener_drop(&exits_of_source(source)->wait_queue, l);
}

static const co4_source_ops end_ops = { end_poll, end_add, end_drop, NULL };

/* ---- requests ---- */

static struct co4__exits *exits_of(co4_task *t)
{
    struct co4__task_extension *x = co4__extension_make(t);
    if (!x)
        return NULL;
    struct co4__exits *e = atomic_load_explicit(&x->exits, memory_order_acquire);
    struct co4__exits *fresh = e ? NULL : co4__pool_take(sizeof *fresh);
    if (!fresh)
        return e;
    memset(fresh, 0, sizeof *fresh);
    fresh->source.ops = &end_ops;
    fresh->task = t;
    fresh->last = &fresh->first;
    if (atomic_compare_exchange_strong_explicit(&x->exits, &e, fresh, memory_order_acq_rel,
                                                memory_order_acquire))
        return fresh;
    co4__pool_drop(fresh, sizeof *fresh);
    return e;
}

void co4__exits_free(struct co4__exits *e)
{
    if (!e)
        return;
    for (struct notice *n = e->first, *next; n; n = next) {
        next = n->next;
        drop(n);
    }
    co4__pool_drop(e, sizeof *e);
}

/* For a task that has ended already: one without an owner, and all calls of a plain build. */
static int ended_poll(co4_source *source, co4_listener *l)
{
    (void)source;
    if (!co4__ask_and_offer(l, CO4_OK, NULL))
        return 0;
    l->ops->wake(l);
    return 1;
}

static void ended_drop(co4_source *source, co4_listener *l)
{
    (void)source;
    (void)l;
}

static const co4_source_ops ended_ops = { ended_poll, ended_poll, ended_drop, NULL };
static co4_source ended_well = { &ended_ops };

static bool has_ended_well(const co4_task *t)
{
    return co4_task_state_of(t) == CO4_TASK_STOPPED && t->fiber.error == CO4_OK;
}

co4_source *co4_task_source(co4_task *task)
{
    if (!task)
        return NULL;
    if (has_ended_well(task))
        return &ended_well;
    struct co4__exits *e = exits_of(task);
    return e ? &e->source : NULL;
}

int co4_task_notify_exit(co4_task *task, co4_mailbox *mailbox, void *tag)
{
    if (!task || !mailbox || mailbox->ring.elem_size < sizeof(co4_exit))
        return CO4_EINVAL;
    struct notice *n = co4_mailbox_reserve(mailbox, 1) == CO4_OK ? notice_create(mailbox, tag)
                                                                 : NULL;
    if (!n)
        return CO4_ENOMEM;
    if (has_ended_well(task)) {
        send(n, task, CO4_OK);
        return CO4_OK;
    }
    struct co4__exits *e = exits_of(task);
    if (!e) {
        drop(n);
        return CO4_ENOMEM;
    }
    if (exits_enter(e)) {
        send(n, task, e->error);
        return CO4_OK;
    }
    notice_add(e, n);
    co4__lock_give(&e->wait_queue.lock);
    return CO4_OK;
}

int co4_task_forget_exit(co4_task *task, co4_mailbox *mailbox)
{
    if (!task || !mailbox)
        return CO4_EINVAL;
    struct co4__task_extension *x = co4__extension_of(task);
    struct co4__exits *e = x ? atomic_load_explicit(&x->exits, memory_order_acquire) : NULL;
    struct notice *taken = NULL, *n;
    if (!e)
        return CO4_ESTATE;
    unsigned some = 0;
    co4__lock_take(&e->wait_queue.lock);
    while ((!e->over || taken) && (n = notice_take(e, mailbox)) != NULL) {
        n->next = taken;
        taken = n;
        co4__wait_queue_may_yield(&e->wait_queue, &some);
    }
    co4__lock_give(&e->wait_queue.lock);
    if (!taken)
        return CO4_ESTATE;
    for (struct notice *next; taken; taken = next) {
        next = taken->next;
        drop(taken);
    }
    return CO4_OK;
}
