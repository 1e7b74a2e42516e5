/* calls.c - the calls of POSIX that never wait: they make, attach, and close descriptors. */
#define _GNU_SOURCE /* pipe2, accept4 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/public.h"
#include "io/reactor.h"
#include "io/simulated.h"
#ifdef __wasi__
#include "io/wasi.h"
#endif

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

/* A wait needs descriptors of its own: they come first. So a descriptor that a call has returned
 * can be waited for, also when the process has no other left. */

/* Attaches a new descriptor, or closes it. Returns it, or -1 with `errno`. */
static int attached(int fd, enum co4__descriptor_kind kind)
{
    int err = co4__reactor_prepare();
    err = err != 0 ? err : co4__descriptor_attach(fd, kind, false);
    if (err == 0)
        return fd;
    close(fd);
    errno = err;
    return -1;
}

bool co4__simulated_can(void)
{
    static atomic_bool reported;
    if (co4__simulated_socket != NULL)
        return true;
    co4__advise(&reported,
                "test mode simulates sockets and pipes, but this program has no simulated "
                "network: call co4_test_network(), or link it with "
                "-Wl,-u,co4_test_begin");
    errno = ENOSYS;
    return false;
}

int co4_socket(int domain, int type, int protocol)
{
    if (co4__simulated_here() && !co4__simulated_can())
        return -1;
    if (co4__simulated_here() && co4__simulated_has(domain, type))
        return co4__simulated_socket(domain, type, protocol);
    int fd = socket(domain, type | SOCK_NONBLOCK, protocol);
    bool is_stream = (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM;
    return fd < 0 ? fd : attached(fd, is_stream ? CO4__STREAM : CO4__SOCKET);
}

static int attach_both(int fds[2], enum co4__descriptor_kind kind)
{
    int prepared = co4__reactor_prepare();
    for (int i = 0; i < 2; i++) {
        int err = prepared != 0 ? prepared : co4__descriptor_attach(fds[i], kind, false);
        if (err == 0)
            continue;
        for (int k = 0; k < 2; k++)
            co4__descriptor_close(fds[k]);
        errno = err;
        return -1;
    }
    return 0;
}

int co4_socketpair(int domain, int type, int protocol, int fds[2])
{
    bool is_stream = (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM;
    if (co4__simulated_here() && !co4__simulated_can())
        return -1;
    if (co4__simulated_here() && domain == AF_UNIX && co4__simulated_has(domain, type))
        return co4__simulated_pair(domain, type, protocol, fds, false);
    if (socketpair(domain, type | SOCK_NONBLOCK, protocol, fds) != 0)
        return -1;
    return attach_both(fds, is_stream ? CO4__STREAM : CO4__SOCKET);
}

int co4_pipe2(int fds[2], int flags)
{
    if (co4__simulated_here())
        return co4__simulated_can() ? co4__simulated_pair(AF_UNIX, SOCK_STREAM, 0, fds, true) : -1;
    return pipe2(fds, flags | O_NONBLOCK) == 0 ? attach_both(fds, CO4__PIPE) : -1;
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

/* A call that never waits, while the number keeps its meaning; `d` is set. */
#define HELD_CALL(d, fd, call, simulated)                                                          \
    (!((d) = co4__descriptor_enter(fd))                                                            \
         ? -1                                                                                      \
         : left((d), (d)->kind == CO4__VIRTUAL ? (simulated) : (call)))

static int left(struct co4__descriptor *d, int n)
{
    int was = errno;
    co4__descriptor_leave(d);
    errno = was;
    return n;
}

int co4_shutdown(int fd, int how)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, shutdown(fd, how), co4__simulated_shutdown(d, how));
}

#ifndef __wasi__ /* sockets have no addresses there */

int co4_bind(int fd, const struct sockaddr *address, socklen_t length)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, bind(fd, address, length), co4__simulated_bind(d, address, length));
}

int co4_listen(int fd, int backlog)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, listen(fd, backlog), co4__simulated_listen(d, backlog));
}

int co4_getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, getsockname(fd, address, length),
                     co4__simulated_getsockname(d, address, length));
}

int co4_getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, getpeername(fd, address, length),
                     co4__simulated_getpeername(d, address, length));
}

#endif

int co4_getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, getsockopt(fd, level, option, value, length),
                     co4__simulated_getsockopt(d, level, option, value, length));
}

#ifndef __wasi__
int co4_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    struct co4__descriptor *d;
    return HELD_CALL(d, fd, setsockopt(fd, level, option, value, length),
                     co4__simulated_setsockopt(d, level, option, value, length));
}
#endif

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
