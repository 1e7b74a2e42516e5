/* calls.c - the calls of POSIX that never wait: they make, attach, and close descriptors. */
#include <errno.h>
#include <sys/socket.h>

#include "base/simulation.h"
#include "io/descriptor.h"
#include "io/ops.h"
#include "io/public.h"
#include "platform/thread.h"

int co4_fd_attach(int fd, int flags)
{
    if (fd < 0 || (flags & ~CO4_FD_SHARED))
        return CO4_EINVAL;
    int err = co4__descriptor_adopt(fd, (flags & CO4_FD_SHARED) != 0);
    return err == 0 ? CO4_OK : err == ENOMEM ? CO4_ENOMEM : CO4_EINVAL;
}

int co4_fd_detach(int fd)
{
    return co4__descriptor_detach(fd) == 0 ? CO4_OK : CO4_EINVAL;
}

#ifndef __wasi__ /* it makes no descriptors */

/* The table that makes descriptors. */
static const struct co4__io_ops *ops_here(void)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    return CO4__LIKELY(!s) ? &co4__system_io : s->io;
}

int co4_socket(int domain, int type, int protocol)
{
    return ops_here()->socket(domain, type, protocol);
}

int co4_socketpair(int domain, int type, int protocol, int fds[2])
{
    return ops_here()->pair(domain, type, protocol, fds);
}

int co4_pipe2(int fds[2], int flags)
{
    return ops_here()->pipe(fds, flags);
}

int co4_pipe(int fds[2])
{
    return co4_pipe2(fds, 0);
}

#endif

int co4_close(int fd)
{
    return co4__descriptor_close(fd);
}

/* ---- calls that never wait, while the number keeps its meaning ---- */

static int call_end(struct co4__descriptor *d, int n)
{
    int was = errno;
    co4__descriptor_leave(d);
    errno = was;
    return n;
}

int co4_shutdown(int fd, int how)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->shutdown(d, how)) : -1;
}

#ifndef __wasi__ /* sockets have no addresses there */

int co4_bind(int fd, const struct sockaddr *address, socklen_t length)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->bind(d, address, length)) : -1;
}

int co4_listen(int fd, int backlog)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->listen(d, backlog)) : -1;
}

int co4_getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->getsockname(d, address, length)) : -1;
}

int co4_getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->getpeername(d, address, length)) : -1;
}

int co4_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->setsockopt(d, level, option, value, length)) : -1;
}

#endif

int co4_getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    return d ? call_end(d, d->ops->getsockopt(d, level, option, value, length)) : -1;
}

static co4_source *source_of(int fd, int direction)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    if (!d)
        return NULL;
    co4__descriptor_leave(d);
    return &d->sources[direction];
}

co4_source *co4_fd_readable(int fd)
{
    return source_of(fd, CO4__READING);
}

co4_source *co4_fd_writable(int fd)
{
    return source_of(fd, CO4__WRITING);
}
