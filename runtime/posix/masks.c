/* masks.c - which signals are blocked, in a program without marks: a task has its own mask.
 *
 * The link turns the calls below into the functions of this file, in all objects and archives, so a
 * program has it if it calls one. Each step exchanges masks then: two calls of the system. A task
 * begins with the mask of its creator.
 *
 * On the one thread of a simulation all tasks have the same mask until the program sets one, or has
 * a handler, which runs with another and may jump out of it. Until then nothing is exchanged. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/real.h"
#include "platform/thread.h"
#include "posix/interrupts.h"
#include "posix/kills.h"
#include "posix/masks.h"
#include "posix/pending.h"
#include "posix/thread_part.h"
#include "posix/wraps.h"

CO4__WRAPS(pthread_sigmask, (int how, const sigset_t *set, sigset_t *before));
CO4__WRAPS(sigprocmask, (int how, const sigset_t *set, sigset_t *before));
int __wrap_sighold(int signo);
int __wrap_sigrelse(int signo);
int __wrap_sigblock(int mask);
int __wrap_sigsetmask(int mask);

static bool is_changed; /* by the thread of a simulation */

void co4__masks_change(void)
{
    if (co4__local()->simulate.state)
        is_changed = true;
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    if (set)
        co4__masks_change();
    return &co4__kills ? co4__kills.mask(__real_pthread_sigmask, how, set, before)
                       : __real_pthread_sigmask(how, set, before);
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    if (set)
        co4__masks_change();
    return &co4__kills ? co4__kills.mask(__real_sigprocmask, how, set, before)
                       : __real_sigprocmask(how, set, before);
}

/* ---- the older calls ---- */

static int change_one(int how, int signo)
{
    sigset_t set;
    sigemptyset(&set);
    return sigaddset(&set, signo) == 0 ? __wrap_sigprocmask(how, &set, NULL) : -1;
}

int __wrap_sighold(int signo)
{
    return change_one(SIG_BLOCK, signo);
}

int __wrap_sigrelse(int signo)
{
    return change_one(SIG_UNBLOCK, signo);
}

static int change_some(int how, int mask)
{
    sigset_t set = co4__signal_set((unsigned)mask), before;
    return __wrap_sigprocmask(how, &set, &before) == 0 ? (int)co4__signal_word(&before) : -1;
}

int __wrap_sigblock(int mask)
{
    return change_some(SIG_BLOCK, mask);
}

int __wrap_sigsetmask(int mask)
{
    return change_some(SIG_SETMASK, mask);
}

/* ---- at steps ---- */

/* The kernel's sets have 8 bytes. Returns the mask before. */
static uint64_t exchange(int how, const uint64_t *mask)
{
    uint64_t before = 0;
    CO4__SYSTEM(syscall)(SYS_rt_sigprocmask, how, mask, &before, sizeof before);
    return before;
}

/* Returns whether all tasks have the mask of the thread. */
static bool are_alike(void)
{
    return co4__local()->simulate.state && !is_changed &&
           !atomic_load_explicit(&co4__handlers_are_set, memory_order_relaxed);
}

bool co4__masks_block(void)
{
    static bool is_asked;
    static uint64_t first;
    if (!are_alike())
        return true;
    if (!is_asked)
        first = exchange(SIG_BLOCK, NULL);
    is_asked = true;
    return first != 0;
}

static bool masks_begin(struct co4__thread_state *s)
{
    s->mask.own = exchange(SIG_BLOCK, NULL);
    return true;
}

/* What is alike now may differ when the step ends. */
static void masks_come(struct co4__thread_state *s)
{
    s->mask.outside = are_alike() ? s->mask.own : exchange(SIG_SETMASK, &s->mask.own);
}

static void masks_go(struct co4__thread_state *s)
{
    if (!are_alike())
        s->mask.own = exchange(SIG_SETMASK, &s->mask.outside);
}

const struct co4__thread_part co4__part_masks = {
    co4__as_thread, masks_begin, masks_come, masks_go, NULL, NULL,
};
