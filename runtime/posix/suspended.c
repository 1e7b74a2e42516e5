/* suspended.c - calls that ask for signals of the calling thread, in a program that also sends some
 * to its threads: a task has its own. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>

#include "posix/kills.h"
#include "posix/processes.h"
#include "posix/wraps.h"

CO4__WRAPS(sigpending, (sigset_t * set));
CO4__WRAPS(sigsuspend, (const sigset_t *mask));

int __wrap_sigpending(sigset_t *set)
{
    int err = __real_sigpending(set);
    if (err == 0 && &co4__kills)
        co4__kills.pending(set);
    return err;
}

int __wrap_sigsuspend(const sigset_t *mask)
{
    if (co4__posix_processes)
        return co4__posix_processes->suspend(mask);
    bool handed = co4__kills_hand_over(mask);
    int err = __real_sigsuspend(mask);
    co4__kills_take_back(handed, mask);
    return err;
}
