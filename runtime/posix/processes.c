/* processes.c - simulation/ sets it, which this folder does not know. */
#define _GNU_SOURCE
#include "posix/processes.h"

#include "posix/threads.h"

const struct co4__posix_processes *co4__posix_processes;

void co4__posix_sender(siginfo_t *info)
{
    if (co4__posix_processes && info &&
        (info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL))
        info->si_pid = co4__posix_processes->number(info->si_pid);
}

unsigned co4__posix_place_of(pthread_t thread)
{
    const struct co4__posix_thread *made = co4__posix_thread_of(thread);
    return made ? (unsigned)made->number + 1 : 0;
}

unsigned co4__posix_place(void)
{
    return co4__posix_place_of(pthread_self());
}
