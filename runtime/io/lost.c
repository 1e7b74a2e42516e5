/* lost.c - descriptors that a plain close() has taken away from the tasks that wait at them.
 *
 * Purpose: the system reports such a close() to nobody. The driver forgets the file, no event ever
 * comes, and the number may soon mean another file. So a worker that has had no event for a second
 * asks about each descriptor at which something waits: does the number still mean the file that is
 * registered? If not, the waits end with EBADF, and one message says what has happened. If the
 * number is attached again before, the attaching call finds out at once (attach.c).
 *
 * Cost: a worker that gets events makes no call for this. One without any looks after one second,
 * two, four …, at SLICE descriptors at a time, and takes events in between.
 *
 * Concurrency: co4_close() marks the record under its lock before it leaves the driver. So a file
 * that the driver does not have, of a record that is still attached, was closed by another call.
 * A registration that has only begun is counted in `users` of the reactor: then the look waits for
 * another time.
 *
 * Rejected: to compare device and inode (all eventfds share one, and so do timers); EPOLL_CTL_MOD
 * (it makes an event of all that is ready); a close() of our own in place of that of the C library.
 */
#define _GNU_SOURCE /* fcntl() and others, whatever -std says */
#include "io/lost.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#include "base/text.h"
#include "core/wait.h"
#include "io/ops.h"
#include "platform/clock.h"
#include "platform/lock.h"

#define FIRST_LOOK CO4_SEC /* after the last event */
#define SLICE      64      /* descriptors that are asked about before events are taken */

/* ---- the message ---- */

/* The innermost function of the program in which the task waits; NULL: not known. The caller has
 * claimed the task, so its frames stay as they are once it is paused. */
static const char *function_of(co4_task *t)
{
    const co4_frame *f = atomic_load_explicit(&t->state, memory_order_acquire) == CO4__PAUSED
                             ? t->fiber.leaf
                             : NULL;
    while (f && strncmp(co4_abi_func_of(f->at)->name, "co4_", 4) == 0)
        f = f->caller;
    return f ? co4_abi_func_of(f->at)->name : NULL;
}

static void put_waiter(struct co4__text *text, struct co4__waiter *w)
{
    char name[CO4_TASK_NAME_BYTES];
    co4_task *t = w->kind == CO4__WAITER_TASK ? co4__task_of_waiter(w) : NULL;
    const char *function = t ? function_of(t) : NULL;
    co4__put(text, t ? "a task" : "a select or a poll");
    if (t && co4_task_name(t, name, sizeof name) > 0) {
        co4__put(text, " '");
        co4__put(text, name);
        co4__put(text, "'");
    }
    if (function) {
        co4__put(text, " in ");
        co4__put(text, function);
        co4__put(text, "()");
    }
}

/* Once in a process: a program that does so does it often. */
static void report_lost(int fd, struct co4__waiter *first)
{
    static atomic_bool reported;
    struct co4__text text;
    if (atomic_exchange_explicit(&reported, true, memory_order_relaxed))
        return;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: close() of descriptor ");
    co4__put_number(&text, (uint64_t)fd);
    co4__put(&text, " while ");
    put_waiter(&text, first);
    co4__put(&text, " waits at it, which ends with EBADF; call co4_close() instead, or "
                    "co4_fd_detach() first\n");
    co4__text_end(&text);
}

/* ---- the end of the waits ---- */

void co4__descriptor_replace(struct co4__descriptor *d, uint32_t generation, bool was_closed)
{
    struct co4__list woken = { NULL, NULL };
    if (d->ops->abandon)
        d->ops->abandon(d, generation);
    co4__lock_take(&d->queues[0].lock);
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    if (co4__is_attached(use) && co4__generation_of(use) == generation) {
        co4__reactor_forget(d);
        atomic_fetch_add_explicit(&d->use, UINT64_C(1) << CO4__GENERATION_SHIFT,
                                  memory_order_release);
        co4__descriptor_end_waits(d, CO4_ECLOSED, CO4_ECLOSED, &woken);
    }
    co4__lock_give(&d->queues[0].lock);
    if (was_closed && woken.head)
        report_lost(d->fd, woken.head);
    co4__list_wake(&woken);
}

/* ---- looking for them ---- */

/* Returns whether something waits for an event of this reactor at a file that the number does not
 * mean any more. */
static bool is_lost(struct co4__reactor *r, struct co4__descriptor *d, uint32_t *generation)
{
    co4__lock_take(&d->queues[0].lock);
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    bool waits = d->queues[0].waiters.head || d->queues[1].waiters.head || d->listeners.head;
    bool asks = waits && co4__is_attached(use) &&
                atomic_load_explicit(&d->reactor, memory_order_relaxed) == r &&
                atomic_load_explicit(&r->users, memory_order_acquire) == 0;
    co4__lock_give(&d->queues[0].lock);
    *generation = co4__generation_of(use);
    if (!asks)
        return false;
    if (r->driver->has)
        return !r->driver->has(r, d->fd, *generation);
    return fcntl(d->fd, F_GETFD) < 0 && errno == EBADF;
}

/* Looks at some of the descriptors that are registered here, from r->quiet.next on. Returns whether
 * there are more. */
static bool look_at_some(struct co4__reactor *r, bool *found)
{
    uint32_t generation;
    unsigned asked = 0;
    co4__lock_take(&r->lock);
    int last = atomic_load_explicit(&r->registered, memory_order_relaxed) > 0 ? r->highest : -1;
    if (r->quiet.next < r->lowest)
        r->quiet.next = r->lowest;
    co4__lock_give(&r->lock);
    for (; r->quiet.next <= last && asked < SLICE; r->quiet.next++) {
        struct co4__descriptor *d = co4__descriptor_at(r->quiet.next);
        if (!d) {
            r->quiet.next |= CO4__DESCRIPTOR_CHUNK - 1; /* the last one of this chunk */
        } else if (atomic_load_explicit(&d->reactor, memory_order_relaxed) == r) {
            asked++;
            if (is_lost(r, d, &generation)) {
                co4__descriptor_replace(d, generation, true);
                *found = true;
            }
        }
    }
    return r->quiet.next <= last;
}

CO4__NOINLINE int64_t co4__lost_look_now(struct co4__reactor *r, int64_t now, int64_t deadline)
{
    int was = errno;
    bool found = false;
    if (r->quiet.look_at == 0) { /* an event has come since the last sleep */
        r->quiet.after = FIRST_LOOK;
        r->quiet.next = 0;
    } else if (look_at_some(r, &found)) {
        return 0; /* events, and then the others */
    } else {
        r->quiet.after *= r->quiet.after < CO4_NEVER / 4 ? 2 : 1;
        r->quiet.next = 0;
    }
    errno = was;
    r->quiet.look_at = now < CO4_NEVER - r->quiet.after ? now + r->quiet.after : CO4_NEVER;
    return found ? 0 : r->quiet.look_at < deadline ? r->quiet.look_at : deadline;
}
