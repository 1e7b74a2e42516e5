/* masks.c - which signals are blocked, in a program without marks: a task has its own mask.
 *
 * The link turns pthread_sigmask() and sigprocmask() into the functions below, in all objects and
 * archives, so a program has this file if it calls one. Each step exchanges masks then. A task
 * begins with the mask of its creator. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/real.h"
#include "posix/kills.h"
#include "posix/thread_part.h"
#include "posix/wraps.h"

CO4__WRAPS(pthread_sigmask, (int how, const sigset_t *set, sigset_t *before));
CO4__WRAPS(sigprocmask, (int how, const sigset_t *set, sigset_t *before));

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return &co4__kills ? co4__kills.mask(__real_pthread_sigmask, how, set, before)
                       : __real_pthread_sigmask(how, set, before);
}

int __wrap_sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    return &co4__kills ? co4__kills.mask(__real_sigprocmask, how, set, before)
                       : __real_sigprocmask(how, set, before);
}

/* The kernel's sets have 8 bytes. Returns the mask before. */
static uint64_t exchange(int how, const uint64_t *mask)
{
    uint64_t before = 0;
    CO4__SYSTEM(syscall)(SYS_rt_sigprocmask, how, mask, &before, sizeof before);
    return before;
}

static bool masks_begin(struct co4__thread_state *s)
{
    s->mask.own = exchange(SIG_BLOCK, NULL);
    return true;
}

static void masks_come(struct co4__thread_state *s)
{
    s->mask.outside = exchange(SIG_SETMASK, &s->mask.own);
}

static void masks_go(struct co4__thread_state *s)
{
    s->mask.own = exchange(SIG_SETMASK, &s->mask.outside);
}

const struct co4__thread_part co4__part_masks = {
    co4__as_thread, masks_begin, masks_come, masks_go, NULL, NULL,
};
