/* futex.c - waits at words of memory by syscall(SYS_futex), in a program of --auto=test.
 *
 * A wait in the system would stop all threads of the simulation, which have one of the system. So
 * waiters are in a list here, and a wake takes the first ones of its word. The C library's own
 * calls are not among these.
 *
 * Concurrency: all is of one thread, and no step comes within one of these functions. A child of
 * fork() has no waiters. */
#define _GNU_SOURCE
#include "posix/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "co4/time.h"
#include "platform/fork.h"
#include "posix/deadline.h"

static struct co4__futex *first;

static void futex_at_fork(enum co4__fork how)
{
    if (how == CO4__FORK_CHILD)
        first = NULL;
}

static int command_of(const long a[6])
{
    return (int)a[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
}

bool co4__futex_waits(const long a[6])
{
    return command_of(a) == FUTEX_WAIT || command_of(a) == FUTEX_WAIT_BITSET;
}

/* The time of FUTEX_WAIT is one to wait, the other's is that of a clock. Returns an error number.
 */
static int set_until(struct co4__futex *f, const long a[6])
{
    const struct timespec *limit = (const struct timespec *)(uintptr_t)a[3];
    f->until = CO4_NEVER;
    if (!limit)
        return 0;
    if (!co4__is_timespec(limit) || limit->tv_sec < 0)
        return EINVAL;
    if (command_of(a) == FUTEX_WAIT)
        f->until = co4__after_timespec(limit);
    else
        f->limit = limit;
    f->clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    return 0;
}

int64_t co4__futex_until(struct co4__futex *f)
{
    return f->limit ? co4_now() + co4__until_look(f->clock, f->limit, &f->again) : f->until;
}

int co4__futex_begin(struct co4__futex *f, const long a[6])
{
    static struct co4__fork_member member = { .handler = futex_at_fork };
    atomic_uint *word = (atomic_uint *)(uintptr_t)a[0];
    struct co4__futex **last = &first;
    *f = (struct co4__futex){ .word = word, .bits = (uint32_t)a[5], .woken = CO4_SEM_INIT(0) };
    if (command_of(a) == FUTEX_WAIT)
        f->bits = FUTEX_BITSET_MATCH_ANY;
    int err = f->bits == 0 || ((uintptr_t)word & 3) != 0 ? EINVAL : set_until(f, a);
    if (err != 0)
        return err;
    if (atomic_load(word) != (unsigned)a[2])
        return EAGAIN;
    co4__fork_join(&member);
    while (*last)
        last = &(*last)->next;
    *last = f;
    f->queued = true;
    return 0;
}

void co4__futex_leave(struct co4__futex *f)
{
    struct co4__futex **at = &first;
    while (*at && *at != f)
        at = &(*at)->next;
    if (*at && f->queued)
        *at = f->next;
    f->queued = false;
}

static long wake(const void *word, long most, uint32_t bits)
{
    long n = 0;
    for (struct co4__futex **at = &first; *at && n < most;) {
        struct co4__futex *f = *at;
        if (f->word != word || !(f->bits & bits)) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        f->queued = false;
        co4_sem_release(&f->woken);
        n++;
    }
    return n;
}

static long move(const void *word, long most, const void *to)
{
    long n = 0;
    for (struct co4__futex *f = first; f && n < most; f = f->next)
        if (f->word == word) {
            f->word = to;
            n++;
        }
    return n;
}

long co4__futex_call(const long a[6])
{
    const void *word = (const void *)(uintptr_t)a[0], *other = (const void *)(uintptr_t)a[4];
    long most = (int)a[2], n;
    switch (command_of(a)) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return CO4__FUTEX_WAITS;
    case FUTEX_WAKE:
        return wake(word, most, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAKE_BITSET:
        return wake(word, most, (uint32_t)a[5]);
    case FUTEX_CMP_REQUEUE:
        if (atomic_load((atomic_uint *)(uintptr_t)a[0]) != (unsigned)a[5]) {
            errno = EAGAIN;
            return CO4__FUTEX_FAILS;
        }
        /* fallthrough */
    case FUTEX_REQUEUE:
        n = wake(word, most, FUTEX_BITSET_MATCH_ANY);
        return n + move(word, (int)a[3], other);
    default:
        return CO4__FUTEX_UNKNOWN;
    }
}
