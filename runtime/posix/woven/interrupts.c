/* interrupts.c - waits that a handler of signals may end: pausable C, and once more plain. */
#define _GNU_SOURCE /* sigjmp_buf */
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/socket.h"
#include "posix/interrupts.h"
#include "posix/kills.h"

#include "co4/io.h"
#include "co4/time.h"

#ifndef CO4_PLAIN

/* woven/kills.c sets these. */
pausable int (*co4__kills_wait)(int fd, int events, int64_t until, int mark);
pausable int (*co4__kills_poll)(struct pollfd *fds, nfds_t count, int64_t until, int mark);

/* Between two looks of a task that has no eventfd. */
#define LOOK (10 * CO4_MS)

/* With a limit of no descriptors at all poll() refuses even one that is open; a wait does not. */
static pausable int poll_or_wait(struct pollfd *fds, nfds_t count, int64_t until)
{
    int n = co4_poll_until(fds, count, until);
    if (n >= 0 || errno != EINVAL || count != 1)
        return n;
    n = co4__fd_wait(fds->fd, fds->events, until);
    fds->revents = n == 0 ? fds->events : 0;
    return n == 0 ? 1 : errno == ETIMEDOUT ? 0 : n;
}

/* The last one of these is the task's own. Waits until another one has events (their number), or a
 * handler has returned (EINTR). Then 0: `until` has come. */
static pausable int poll_with_own(struct pollfd *fds, nfds_t count, int64_t until, int mark)
{
    struct pollfd *own = &fds[count - 1];
    bool lacks = own->fd < 0; /* it has none, or a poll takes no more than the others */
    for (;;) {
        /* A handler may have come with events of the call's last wait: then it only looks. */
        int64_t look = co4__interrupts_since(mark) ? 0 : lacks ? co4_now() + LOOK : CO4_NEVER;
        int n = 0, value = 0;
        co4__interrupts_waits(true);
        void *jump = co4__interrupts_jump(&value);
        if (!jump) {
            n = poll_or_wait(fds, lacks ? count - 1 : count, look < until ? look : until);
            jump = co4__interrupts_jump(&value);
        }
        co4__interrupts_waits(false);
        if (jump)
            co4__interrupts_looks_no_more();
        if (jump)
            siglongjmp(*(sigjmp_buf *)jump, value);
        if (n < 0 && errno == EINVAL && !lacks) {
            lacks = true;
            continue;
        }
        if (n < 0)
            return -1;
        if (!lacks && own->revents != 0) {
            n--;
            co4__interrupts_drain(own->fd);
        }
        if (n > 0)
            return n;
        if (co4__interrupts_since(mark))
            return co4__errno_fails(EINTR);
        if (until != CO4_NEVER && co4_now() >= until)
            return 0;
    }
}

pausable int co4__interrupts_wait(int fd, int events, int64_t until, int mark)
{
    if (co4__kills_wait && !co4__interrupts_of_run())
        return co4__kills_wait(fd, events, until, mark);
    struct pollfd fds[] = { { .fd = fd, .events = (short)events },
                            { .fd = co4__interrupts_descriptor(), .events = POLLIN } };
    int n = fd < 0 ? poll_with_own(&fds[1], 1, until, mark) : poll_with_own(fds, 2, until, mark);
    if (n == 0)
        return co4__errno_fails(ETIMEDOUT);
    if (n > 0 && (fds[0].revents & POLLNVAL))
        return co4__errno_fails(EBADF);
    return n > 0 ? 0 : -1;
}

static void free_fds(struct pollfd **fds)
{
    int was = errno;
    co4__heap_free(*fds);
    errno = was;
}

pausable int co4__interrupts_poll(struct pollfd *fds, nfds_t count, int64_t until, int mark)
{
    int n = co4__poll_now(fds, count);
    if (n != 0)
        return n;
    if (co4__kills_poll && !co4__interrupts_of_run())
        return co4__kills_poll(fds, count, until, mark);
    __attribute__((cleanup(free_fds))) struct pollfd *more =
        count < SIZE_MAX / sizeof *more ? co4__heap_grow(NULL, (count + 1) * sizeof *more) : NULL;
    if (!more)
        return co4__errno_fails(ENOMEM);
    if (count > 0)
        memcpy(more, fds, count * sizeof *fds);
    more[count] = (struct pollfd){ .fd = co4__interrupts_descriptor(), .events = POLLIN };
    n = poll_with_own(more, count + 1, until, mark);
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = more[i].revents;
    return n;
}

#endif

/* With a time limit, a handler with SA_RESTART ends the wait, too: such calls do not restart. */
pausable int co4__posix_fd_wait(int fd, int events, int64_t until)
{
    int mark = co4__interrupts_begin(until != CO4_NEVER);
    if (mark >= 0)
        return co4__interrupts_wait(fd, events, until, mark);
    return co4__fd_wait(fd, events, until);
}
