/* fd.c - file descriptors of the library, with threads or without: self-pipes.
 *
 * A self-pipe is a pipe whose ends never block. Any thread or signal handler wakes its reader by
 * one write. A full pipe needs no further write, since it is readable. The reader waits with poll()
 * or similar calls. */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define HAS_FDS         1
#else
#define HAS_FDS 0
#endif
#include "platform/fd.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/public.h"
#include "platform/real.h"

#if HAS_FDS

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

FILE *co4__create_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f && fd >= 0)
        close(fd);
    return f;
}

/* Each number that belongs to the library has a bit. The thread that opens the descriptor sets it;
 * the thread that closes the descriptor clears it before. Calls that close look at it: no order
 * with other memory is needed. */
enum { BITS = 8 * sizeof(unsigned long), USUAL_LIMIT = 1024 };
static atomic_ulong own[CO4__OWN_FDS / BITS];

/* The kernel's table of a process grows with its highest number, so this number is no higher than
 * necessary. */
static int least_own(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur > USUAL_LIMIT)
        return USUAL_LIMIT / 2;
    return (int)most.rlim_cur / 2;
}

int co4__own_fd_open(int fd)
{
    int was = errno, high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, least_own());
    if (high >= 0) {
        close(fd);
        fd = high;
    }
    errno = was;
    if (fd >= 0 && fd < CO4__OWN_FDS)
        atomic_fetch_or(&own[fd / BITS], 1ul << fd % BITS);
    return fd;
}

void co4__own_fd_close(int fd)
{
    if (fd >= 0 && fd < CO4__OWN_FDS)
        atomic_fetch_and(&own[fd / BITS], ~(1ul << fd % BITS));
    close(fd);
}

static struct rlimit limit;
static bool is_lifted;

void co4__own_fd_limit_begin(void)
{
    is_lifted = getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
                setrlimit(RLIMIT_NOFILE, &(struct rlimit){ limit.rlim_max, limit.rlim_max }) == 0;
}

void co4__own_fd_limit_end(void)
{
    if (is_lifted)
        setrlimit(RLIMIT_NOFILE, &limit);
}

bool co4__is_own_fd(int fd)
{
    return fd >= 0 && fd < CO4__OWN_FDS && atomic_load(&own[fd / BITS]) >> fd % BITS & 1;
}

int co4__self_pipe_open(struct co4__self_pipe *p)
{
    int fds[2];
    if (CO4__SYSTEM(pipe)(fds) != 0)
        return CO4_EAGAIN;
    for (int i = 0; i < 2; i++) {
        fcntl(fds[i], F_SETFD, FD_CLOEXEC);
        fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
    }
    p->out = co4__own_fd_open(fds[0]);
    p->in = co4__own_fd_open(fds[1]);
    return CO4_OK;
}

void co4__self_pipe_close(struct co4__self_pipe *p)
{
    co4__own_fd_close(p->out);
    co4__own_fd_close(p->in);
}

void co4__self_pipe_drain(const struct co4__self_pipe *p)
{
    char bytes[64];
    while (read(p->out, bytes, sizeof bytes) > 0)
        ;
}

void co4__self_pipe_wait(const struct co4__self_pipe *p)
{
    struct pollfd f = { .fd = p->out, .events = POLLIN };
    while (poll(&f, 1, -1) < 0 && errno == EINTR)
        ;
    co4__self_pipe_drain(p);
}

#else

FILE *co4__create_file(const char *path)
{
    return fopen(path, "w");
}

void co4__own_fd_limit_begin(void) {}

void co4__own_fd_limit_end(void) {}

int co4__self_pipe_open(struct co4__self_pipe *p)
{
    (void)p;
    return CO4_ESTATE;
}

void co4__self_pipe_close(struct co4__self_pipe *p)
{
    (void)p;
}

void co4__self_pipe_drain(const struct co4__self_pipe *p)
{
    (void)p;
}

void co4__self_pipe_wait(const struct co4__self_pipe *p)
{
    (void)p;
}

#endif
