/* suspends.c - pause() and sigsuspend() of a program of --auto=test: pausable C, and once more
 * plain.
 *
 * In a simulation a signal to the process comes to one of the tasks that wait (kills.c). In other
 * programs a thread of the system has to wait for it. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/inside.h"
#include "posix/point.h"
#include "posix/woven/masked.h"

#include "co4/posix.h"
#include "co4/time.h"

static pausable int suspend(const sigset_t *mask)
{
    __attribute__((cleanup(masked_end))) struct masked m;
    int mark = masked_begin(&m, mask);
    if (co4__interrupts_since(mark))
        return co4__errno_fails(EINTR);
    return co4__interrupts_wait(-1, 0, CO4_NEVER, mark);
}

CO4__INSIDE pausable int co4_posix_sigsuspend(const sigset_t *mask)
{
    co4__posix_point();
    return masked_pauses() ? suspend(mask) : sigsuspend(mask);
}

CO4__INSIDE pausable int co4_posix_pause(void)
{
    co4__posix_point();
    return masked_pauses() ? suspend(NULL) : pause();
}
