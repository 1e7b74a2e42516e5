/* posts.c - tasks that wait for a semaphore of the C library.
 *
 * Purpose: sem_post() may be called in a handler of signals, which may have interrupted any code.
 * So it cannot look into a list, nor wake a task. It writes to an eventfd, from which waiting tasks
 * read, as they read from any descriptor.
 *
 * Invariants: a slot has the address of a semaphore while tasks wait for that, and an eventfd for
 * ever. A waiter enters the slot, and then tries the semaphore once more; a post increases the
 * semaphore, and then looks for its slot. Both have operations in between that are sequentially
 * consistent, so one of them sees the other. Each post that finds the slot is one token. A token
 * that is taken belongs to a task that tries the semaphore afterwards, so there is a token for each
 * unit that a task may still take. Others are harmless: that task waits again.
 *
 * When all slots are taken, or no descriptor is free, waiters look from time to time.
 *
 * Concurrency: `lock` guards the waiters, and the changes of `sem`. Posts read `sem` and
 * `descriptor` without it; a descriptor is written before the first address, and never closed. In
 * the child of a fork other eventfds get the same numbers: its tokens are not its parent's.
 *
 * Rejected: the table of parked.c (it has locks); one eventfd for all (each post wakes all). */
#define _GNU_SOURCE /* syscall */
#include "posix/posts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "platform/fd.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/real.h"
#include "platform/thread.h"
#include "sched/forked.h"

enum { SLOTS = 64 };

static co4__lock lock;
static atomic_int taken; /* slots that have an address */
static struct slot {
    const sem_t *_Atomic sem;
    atomic_int descriptor; /* + 1; 0: none yet */
    struct co4__posted *first;
} slots[SLOTS];

/* Under the lock: the slot of the semaphore, else one that is free, or -1. */
static int slot_for(const sem_t *sem)
{
    int free = -1;
    for (int i = SLOTS - 1; i >= 0; i--) {
        if (slots[i].first && atomic_load_explicit(&slots[i].sem, memory_order_relaxed) == sem)
            return i;
        if (!slots[i].first)
            free = i;
    }
    return free;
}

/* Under the lock. */
static void link_to(struct slot *s, struct co4__posted *p, const sem_t *sem)
{
    p->prev = NULL;
    p->next = s->first;
    if (s->first) {
        s->first->prev = p;
    } else {
        atomic_store_explicit(&s->sem, sem, memory_order_relaxed);
        atomic_fetch_add(&taken, 1);
    }
    s->first = p;
}

static void unlink_from(struct slot *s, struct co4__posted *p)
{
    *(p->prev ? &p->prev->next : &s->first) = p->next;
    if (p->next)
        p->next->prev = p->prev;
    if (s->first)
        return;
    atomic_store_explicit(&s->sem, NULL, memory_order_relaxed);
    atomic_fetch_sub(&taken, 1);
}

/* ---- forks ---- */

static int new_descriptor(void)
{
    return co4__own_fd_open(CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE));
}

/* In the child: forgets the waiters that it does not have, and puts an eventfd of its own in the
 * place of the parent's. Without one the parent may lose tokens, and looks from time to time. */
static void slot_at_fork(struct slot *s)
{
    for (struct co4__posted *p = s->first, *next; p; p = next) {
        next = p->next;
        if (!co4__task_goes_on(p->task))
            unlink_from(s, p);
    }
    int fd = atomic_load(&s->descriptor) - 1, fresh = fd < 0 ? -1 : new_descriptor();
    if (fresh < 0)
        return;
    CO4__SYSTEM(syscall)
    (SYS_dup3, fresh, fd, O_CLOEXEC); /* dup3() would be that of close.c: all waits end */
    co4__own_fd_close(fresh);
}

static void posts_at_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&lock);
    for (int i = 0; how == CO4__FORK_CHILD && i < SLOTS; i++)
        slot_at_fork(&slots[i]);
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&lock);
}

static struct co4__fork_member member = { .handler = posts_at_fork };

/* ---- waiters ---- */

void co4__posts_enter(struct co4__posted *p, const sem_t *sem)
{
    co4__fork_join(&member);
    *p = (struct co4__posted){ .task = co4__local()->current };
    co4__lock_take(&lock);
    int i = p->slot = slot_for(sem);
    if (i >= 0)
        link_to(&slots[i], p, sem);
    co4__lock_give(&lock);
    if (i >= 0 && atomic_load(&slots[i].descriptor) == 0) {
        int none = 0, fd = new_descriptor(); /* outside the lock: another task may do the same */
        if (fd >= 0 && !atomic_compare_exchange_strong(&slots[i].descriptor, &none, fd + 1))
            co4__own_fd_close(fd);
    }
    atomic_thread_fence(memory_order_seq_cst);
}

void co4__posts_leave(struct co4__posted *p)
{
    if (p->slot < 0)
        return;
    co4__lock_take(&lock);
    unlink_from(&slots[p->slot], p);
    co4__lock_give(&lock);
}

int co4__posts_descriptor(const struct co4__posted *p)
{
    return p->slot < 0 ? -1 : atomic_load(&slots[p->slot].descriptor) - 1;
}

bool co4__posts_look(void)
{
    const sem_t *waited[SLOTS];
    int n = 0, value;
    co4__lock_take(&lock);
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].first)
            waited[n++] = atomic_load_explicit(&slots[i].sem, memory_order_relaxed);
    co4__lock_give(&lock);
    for (int i = 0; i < n; i++)
        if (sem_getvalue((sem_t *)(uintptr_t)waited[i], &value) == 0 && value > 0)
            co4__posts_notify(waited[i]);
    return n > 0;
}

void co4__posts_notify(const sem_t *sem)
{
    static const uint64_t one = 1;
    atomic_thread_fence(memory_order_seq_cst); /* pairs with that of co4__posts_enter() */
    if (CO4__LIKELY(atomic_load_explicit(&taken, memory_order_relaxed) == 0))
        return;
    int was = errno;
    for (int i = 0; i < SLOTS; i++) {
        int fd = atomic_load_explicit(&slots[i].descriptor, memory_order_relaxed) - 1;
        /* If the counter were full, there would be tokens for all waiters. */
        if (atomic_load_explicit(&slots[i].sem, memory_order_relaxed) == sem && fd >= 0 &&
            write(fd, &one, sizeof one) < 0)
            break;
    }
    errno = was;
}
