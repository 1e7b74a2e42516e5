/* kills.c - waits of threads that are tasks, which a signal ends: pausable C. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/attempt.h"
#include "posix/interrupts.h"
#include "posix/kills.h"

#include "co4/io.h"
#include "co4/sync.h"
#include "co4/time.h"

#ifndef CO4_PLAIN

/* It has no permit: a wait that a signal alone ends. */
static co4_sem never = CO4_SEM_INIT(0);

static pausable int wait_once(int fd, int events, int64_t until)
{
    if (fd >= 0)
        return co4__fd_wait(fd, events, until);
    int err = until == CO4_NEVER ? co4_sem_acquire(&never) : co4_sleep_until(until);
    return co4__io_fails(err == CO4_OK ? CO4_ETIMEDOUT : err);
}

/* A wait has ended, with `n`. Returns whether it goes on. */
static bool goes_on(int n, int mark)
{
    int was = errno;
    bool ended = co4__kills.close() && n < 0 && was == ECANCELED;
    errno = was;
    if (!ended)
        return false;
    errno = co4__interrupts_since(mark) ? EINTR : ETIMEDOUT;
    return errno != EINTR && !co4__kills.has_wanted();
}

static pausable int wait_as_thread(int fd, int events, int64_t until, int mark)
{
    int n;
    do {
        co4__kills.open();
        n = co4__interrupts_since(mark) ? co4__errno_fails(EINTR) : wait_once(fd, events, until);
    } while (goes_on(n, mark));
    return n;
}

static pausable int poll_as_thread(struct pollfd *fds, nfds_t count, int64_t until, int mark)
{
    int n;
    do {
        co4__kills.open();
        n = co4__interrupts_since(mark) ? co4__errno_fails(EINTR)
                                        : co4_poll_until(fds, count, until);
    } while (goes_on(n, mark));
    return n;
}

void co4__kills_begin(void)
{
    co4__kills_wait = wait_as_thread;
    co4__kills_poll = poll_as_thread;
}

#endif
