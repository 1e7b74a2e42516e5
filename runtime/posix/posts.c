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
 * When all slots are taken, waiters look from time to time.
 *
 * Concurrency: `lock` guards `waiters`, and the changes of `sem`. Posts read `sem` and `descriptor`
 * without it; a descriptor is written before the first address, and never closed.
 *
 * Rejected: the table of parked.c (it has locks); one eventfd for all (each post wakes all). */
#include "posix/posts.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/compiler.h"
#include "platform/lock.h"

enum { SLOTS = 64 };

static co4__lock lock;
static atomic_int taken; /* slots that have an address */
static struct slot {
    const sem_t *_Atomic sem;
    atomic_int descriptor; /* + 1; 0: none yet */
    unsigned waiters;
} slots[SLOTS];

/* Under the lock: the slot of the semaphore, else one that is free, or -1. */
static int slot_for(const sem_t *sem)
{
    int free = -1;
    for (int i = SLOTS - 1; i >= 0; i--) {
        if (slots[i].waiters > 0 &&
            atomic_load_explicit(&slots[i].sem, memory_order_relaxed) == sem)
            return i;
        if (slots[i].waiters == 0)
            free = i;
    }
    return free;
}

/* Opens an eventfd for a slot, outside the lock. Another task may have done so meanwhile. */
static void open_descriptor(struct slot *s)
{
    int none = 0, fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (fd >= 0 && !atomic_compare_exchange_strong(&s->descriptor, &none, fd + 1))
        close(fd);
}

int co4__posts_enter(const sem_t *sem)
{
    co4__lock_take(&lock);
    int i = slot_for(sem);
    if (i >= 0 && slots[i].waiters++ == 0) {
        atomic_store_explicit(&slots[i].sem, sem, memory_order_relaxed);
        atomic_fetch_add(&taken, 1);
    }
    co4__lock_give(&lock);
    if (i >= 0 && atomic_load(&slots[i].descriptor) == 0)
        open_descriptor(&slots[i]);
    atomic_thread_fence(memory_order_seq_cst);
    if (i < 0 || atomic_load(&slots[i].descriptor) != 0)
        return i;
    co4__posts_leave(i);
    return -1;
}

void co4__posts_leave(int slot)
{
    if (slot < 0)
        return;
    co4__lock_take(&lock);
    if (--slots[slot].waiters == 0) {
        atomic_store_explicit(&slots[slot].sem, NULL, memory_order_relaxed);
        atomic_fetch_sub(&taken, 1);
    }
    co4__lock_give(&lock);
}

int co4__posts_descriptor(int slot)
{
    return atomic_load(&slots[slot].descriptor) - 1;
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
