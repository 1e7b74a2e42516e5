/* descriptors.c - sockets and pipes of a program of --auto=test: those of the simulated network.
 *
 * Purpose: the program's calls that make sockets and pipes make simulated ones (io/simulated.c).
 * Each has a placeholder in the system, which keeps what the system need not simulate: the number,
 * O_NONBLOCK, FD_CLOEXEC. The calls on it come here from all objects of the link. One at a
 * descriptor of the system goes on to the system; one at a simulated descriptor is the plain form
 * of what woven code calls (posix/woven).
 *
 * A call that has to wait in code that is not woven cannot pause its task. It gives steps to the
 * simulation: what is on its way arrives, and threads of other workers go on. Where nothing of that
 * can end the wait, the program ends, with a message.
 *
 * Invariants: the library's own calls come here, too. What it makes for itself it makes by
 * platform/real.h, so those are descriptors of the system. */
#define _GNU_SOURCE
#define CO4_PLAIN /* the functions of co4/posix.h that block */
#include "simulation/descriptors.h"
#include "simulation/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/simulation.h"
#include "co4/io.h"
#include "co4/posix.h"
#include "io/attempt.h"
#include "io/ops.h"
#include "io/socket.h"
#include "platform/thread.h"
#include "posix/close.h"
#include "posix/decides.h"
#include "posix/mode.h"
#include "posix/wraps.h"
#include "simulation/identity.h"
#include "simulation/leaks.h"
#include "simulation/network.h"
#include "simulation/nodes.h"
#include "simulation/notice.h"
#include "simulation/run.h"

#define WRAPS_SIZE(name, parameters)                                                               \
    ssize_t __wrap_##name parameters;                                                              \
    ssize_t __real_##name parameters

CO4__WRAPS(socket, (int domain, int type, int protocol));
CO4__WRAPS(socketpair, (int domain, int type, int protocol, int fds[2]));
CO4__WRAPS(pipe, (int fds[2]));
CO4__WRAPS(pipe2, (int fds[2], int flags));
CO4__WRAPS(accept, (int fd, struct sockaddr *address, socklen_t *length));
CO4__WRAPS(accept4, (int fd, struct sockaddr *address, socklen_t *length, int flags));
CO4__WRAPS(connect, (int fd, const struct sockaddr *address, socklen_t length));
CO4__WRAPS(bind, (int fd, const struct sockaddr *address, socklen_t length));
CO4__WRAPS(listen, (int fd, int backlog));
CO4__WRAPS(shutdown, (int fd, int how));
CO4__WRAPS(getsockname, (int fd, struct sockaddr *address, socklen_t *length));
CO4__WRAPS(getpeername, (int fd, struct sockaddr *address, socklen_t *length));
CO4__WRAPS(getsockopt, (int fd, int level, int name, void *value, socklen_t *length));
CO4__WRAPS(setsockopt, (int fd, int level, int name, const void *value, socklen_t length));
CO4__WRAPS(dup, (int fd));
CO4__WRAPS(fcntl, (int fd, int command, ...));
CO4__WRAPS(fcntl64, (int fd, int command, ...));
CO4__WRAPS(ioctl, (int fd, unsigned long request, ...));
WRAPS_SIZE(read, (int fd, void *to, size_t bytes));
WRAPS_SIZE(readv, (int fd, const struct iovec *to, int count));
WRAPS_SIZE(recv, (int fd, void *to, size_t bytes, int flags));
WRAPS_SIZE(recvfrom, (int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                      socklen_t *length));
WRAPS_SIZE(recvmsg, (int fd, struct msghdr *message, int flags));
WRAPS_SIZE(write, (int fd, const void *from, size_t bytes));
WRAPS_SIZE(writev, (int fd, const struct iovec *from, int count));
WRAPS_SIZE(send, (int fd, const void *from, size_t bytes, int flags));
WRAPS_SIZE(sendto, (int fd, const void *from, size_t bytes, int flags,
                    const struct sockaddr *address, socklen_t length));
WRAPS_SIZE(sendmsg, (int fd, const struct msghdr *message, int flags));
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);

/* ---- which descriptors are simulated ---- */

struct co4__descriptor *co4__simulated_at(int fd)
{
    struct co4__descriptor *d = fd < 0 ? NULL : co4__descriptor_at(fd);
    return d && co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire)) &&
                   !d->ops->of_system
               ? d
               : NULL;
}

bool co4__simulated_is_nonblocking(int fd)
{
    int flags = __real_fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK);
}

/* ---- waits of calls that cannot pause ---- */

static _Noreturn void end_here(const char *name)
{
    fprintf(stderr,
            "co4: %s() waits in a function that is not woven, where no thread can end the wait: "
            "this cannot be simulated\n",
            name);
    _exit(CO4__REFUSED);
}

bool co4__simulated_step_until(bool (*is_over)(void *data), void *data, int64_t deadline,
                               const char *name)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    while (!is_over(data)) {
        int64_t now = s->ops->now(s), next = s->world ? s->world->ops->next(s->world) : CO4_NEVER;
        if (now >= deadline)
            return false;
        int64_t limit = next < deadline ? next : deadline;
        if (s->ops->step(s, limit > now ? limit : now) > 0)
            continue;
        if (limit == CO4_NEVER)
            end_here(name);
        s->ops->sleep(s, limit);
        s->world->ops->turn(s->world, s->ops->now(s), limit);
    }
    return true;
}

struct wait {
    int fd;
    short events;
};

static bool is_ready(void *data)
{
    const struct wait *w = data;
    struct pollfd p = { .fd = w->fd, .events = w->events };
    return co4__poll_now(&p, 1) != 0;
}

/* A call of this task would wait: returns whether it is worth another try. */
static bool waits(int fd, enum co4__direction direction, const char *name)
{
    struct wait w = { fd, co4__poll_event(direction) };
    int64_t deadline;
    if (errno != EDEADLK || !co4__posix_waits(fd, direction, &deadline))
        return false;
    bool is_over = co4__simulated_step_until(is_ready, &w, deadline, name);
    errno = EAGAIN;
    return is_over;
}

/* The plain form of a call blocks a thread, or says that this one is a task's. */
#define PLAINLY(n, name, direction, call)                                                          \
    do                                                                                             \
        (n) = (call);                                                                              \
    while ((n) == -1 && waits(fd, (direction), (name)))

/* ---- making them ---- */

int __wrap_socket(int domain, int type, int protocol)
{
    return co4__program_is_simulated()
               ? co4__made_at(co4_socket(domain, type, protocol), __builtin_return_address(0))
               : __real_socket(domain, type, protocol);
}

static int opened_two(int err, const int fds[2], const void *place)
{
    for (int i = 0; i < 2 && err == 0; i++)
        co4__made_at(fds[i], place);
    return err;
}

int __wrap_socketpair(int domain, int type, int protocol, int fds[2])
{
    int err = co4__program_is_simulated() ? co4_socketpair(domain, type, protocol, fds)
                                          : __real_socketpair(domain, type, protocol, fds);
    return opened_two(err, fds, __builtin_return_address(0));
}

int __wrap_pipe2(int fds[2], int flags)
{
    int err = co4__program_is_simulated() ? co4_pipe2(fds, flags) : __real_pipe2(fds, flags);
    return opened_two(err, fds, __builtin_return_address(0));
}

int __wrap_pipe(int fds[2])
{
    return opened_two(__wrap_pipe2(fds, 0), fds, __builtin_return_address(0));
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    if (!co4__simulated_at(fd))
        return __real_accept4(fd, address, length, flags);
    int n;
    PLAINLY(n, "accept", CO4__READING, (co4_posix_accept4)(fd, address, length, flags));
    return n;
}

int __wrap_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4__simulated_at(fd) ? __wrap_accept4(fd, address, length, 0)
                                 : __real_accept(fd, address, length);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    int64_t deadline;
    struct wait w = { fd, POLLOUT };
    if (!co4__simulated_at(fd))
        return __real_connect(fd, address, length);
    int n = co4__try_connect(fd, address, length);
    if (n == -1 || n == 0)
        return n;
    if (!co4__posix_waits(fd, CO4__WRITING, &deadline))
        return co4__errno_fails(n == CO4__WOULD_WAIT ? EINPROGRESS : EAGAIN);
    if (n == CO4__BLOCKS)
        end_here("connect");
    if (!co4__simulated_step_until(is_ready, &w, deadline, "connect"))
        return co4__errno_fails(EINPROGRESS);
    return co4__try_connected(fd, address, length);
}

/* ---- names, options, ends ---- */

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t length)
{
    return co4__simulated_at(fd) ? co4_bind(fd, address, length) : __real_bind(fd, address, length);
}

int __wrap_listen(int fd, int backlog)
{
    return co4__simulated_at(fd) ? co4_listen(fd, backlog) : __real_listen(fd, backlog);
}

int __wrap_shutdown(int fd, int how)
{
    return co4__simulated_at(fd) ? co4_shutdown(fd, how) : __real_shutdown(fd, how);
}

int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4__simulated_at(fd) ? co4_getsockname(fd, address, length)
                                 : __real_getsockname(fd, address, length);
}

int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
    return co4__simulated_at(fd) ? co4_getpeername(fd, address, length)
                                 : __real_getpeername(fd, address, length);
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *length)
{
    return co4__simulated_at(fd) ? co4_getsockopt(fd, level, name, value, length)
                                 : __real_getsockopt(fd, level, name, value, length);
}

/* Returns whether the option makes a socket a member of a group. */
static bool is_multicast(int level, int name)
{
    bool joins = name == MCAST_JOIN_GROUP || name == MCAST_JOIN_SOURCE_GROUP;
    return (level == IPPROTO_IP && (joins || name == IP_ADD_MEMBERSHIP)) ||
           (level == IPPROTO_IPV6 && (joins || name == IPV6_ADD_MEMBERSHIP));
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    if (co4__simulated_at(fd) && is_multicast(level, name)) {
        co4__not_simulated("setsockopt", "multicast", __builtin_return_address(0));
        return co4__errno_fails(ENODEV);
    }
    return co4__simulated_at(fd) ? co4_setsockopt(fd, level, name, value, length)
                                 : __real_setsockopt(fd, level, name, value, length);
}

int (*co4__simulated_duplicates)(int from, int to);

/* The system has made `to` a descriptor of the placeholder of `from`. */
static int duplicated(int from, int to)
{
    struct co4__sim_socket *s = to < 0 ? NULL : co4__network_socket(from);
    int err = 0;
    if (s)
        err = co4__network_name(co4__network_here(), s, to);
    else if (to >= 0 && co4__simulated_duplicates)
        err = co4__simulated_duplicates(from, to);
    if (err == 0)
        return to;
    close(to);
    return co4__errno_fails(err);
}

int __wrap_dup(int fd)
{
    return co4__made_at(duplicated(fd, __real_dup(fd)), __builtin_return_address(0));
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (command == F_SETOWN)
        argument = (void *)(intptr_t)co4__process_real((pid_t)(intptr_t)argument);
    int n = __real_fcntl(fd, command, argument);
    if (n == 0 && (command == F_GETLK || command == F_OFD_GETLK))
        ((struct flock *)argument)->l_pid = co4__process_number(((struct flock *)argument)->l_pid);
    if (command == F_GETOWN)
        return co4__process_number(n);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, n) : n;
}

int __wrap_fcntl64(int fd, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return __wrap_fcntl(fd, command, argument);
}

/* Bytes that the next read of a datagram takes, or that any does. */
static size_t readable_bytes(const struct co4__sim_socket *s)
{
    if (s->type != SOCK_DGRAM)
        return s->nreceived;
    return s->received ? s->received->bytes - s->received->taken : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    const struct co4__sim_socket *s = co4__network_socket(fd);
    if (s && (request == FIONREAD || request == TIOCOUTQ))
        *(int *)argument = (int)(request == FIONREAD ? readable_bytes(s) : s->outstanding);
    else
        return __real_ioctl(fd, request, argument);
    return 0;
}

/* ---- reading ---- */

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
    if (!co4__simulated_at(fd))
        return co4__disk_read(fd, to, bytes);
    ssize_t n;
    PLAINLY(n, "read", CO4__READING, (co4_posix_read)(fd, to, bytes));
    return n;
}

ssize_t __wrap_readv(int fd, const struct iovec *to, int count)
{
    if (!co4__simulated_at(fd))
        return co4__disk_readv(fd, to, count);
    ssize_t n;
    PLAINLY(n, "readv", CO4__READING, (co4_posix_readv)(fd, to, count));
    return n;
}

ssize_t __wrap_recvfrom(int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                        socklen_t *length)
{
    if (!co4__simulated_at(fd))
        return __real_recvfrom(fd, to, bytes, flags, address, length);
    bool takes_all = co4__attempt_takes_all(fd, flags);
    size_t done = 0;
    ssize_t n;
    flags &= ~MSG_WAITALL;
    do {
        PLAINLY(n, "recvfrom", CO4__READING,
                (co4_posix_recvfrom)(fd, (char *)to + done, bytes - done, flags, address, length));
        done += n > 0 ? (size_t)n : 0;
    } while (takes_all && n > 0 && done < bytes);
    return done > 0 ? (ssize_t)done : n;
}

ssize_t __wrap_recv(int fd, void *to, size_t bytes, int flags)
{
    return co4__simulated_at(fd) ? __wrap_recvfrom(fd, to, bytes, flags, NULL, NULL)
                                 : __real_recv(fd, to, bytes, flags);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    if (!co4__simulated_at(fd))
        return __real_recvmsg(fd, message, flags);
    ssize_t n;
    PLAINLY(n, "recvmsg", CO4__READING, (co4_posix_recvmsg)(fd, message, flags));
    return n;
}

/* ---- writing: a call that waits goes on until all is written ---- */

/* Writes parts, and counts them in `done`. */
#define PLAINLY_PART(n, done, name, call)                                                          \
    do {                                                                                           \
        PLAINLY((n), (name), CO4__WRITING, (call));                                                \
        (done) += (n) > 0 ? (size_t)(n) : 0;                                                       \
    } while ((n) > 0 && (done) < bytes && !co4__simulated_is_nonblocking(fd))

ssize_t __wrap_write(int fd, const void *from, size_t bytes)
{
    if (!co4__simulated_at(fd))
        return co4__disk_write(fd, from, bytes);
    size_t done = 0;
    ssize_t n;
    PLAINLY_PART(n, done, "write", (co4_posix_write)(fd, (const char *)from + done, bytes - done));
    return done > 0 ? (ssize_t)done : n;
}

ssize_t __wrap_sendto(int fd, const void *from, size_t bytes, int flags,
                      const struct sockaddr *address, socklen_t length)
{
    if (!co4__simulated_at(fd))
        return __real_sendto(fd, from, bytes, flags, address, length);
    size_t done = 0;
    ssize_t n;
    PLAINLY_PART(
        n, done, "sendto",
        (co4_posix_sendto)(fd, (const char *)from + done, bytes - done, flags, address, length));
    return done > 0 ? (ssize_t)done : n;
}

ssize_t __wrap_send(int fd, const void *from, size_t bytes, int flags)
{
    return co4__simulated_at(fd) ? __wrap_sendto(fd, from, bytes, flags, NULL, 0)
                                 : __real_send(fd, from, bytes, flags);
}

ssize_t __wrap_writev(int fd, const struct iovec *from, int count)
{
    if (!co4__simulated_at(fd))
        return co4__disk_writev(fd, from, count);
    ssize_t n;
    PLAINLY(n, "writev", CO4__WRITING, (co4_posix_writev)(fd, from, count));
    return n;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (!co4__simulated_at(fd))
        return __real_sendmsg(fd, message, flags);
    ssize_t n;
    PLAINLY(n, "sendmsg", CO4__WRITING, (co4_posix_sendmsg)(fd, message, flags));
    return n;
}

/* ---- streams ----
 *
 * A stream of the C library reads its descriptor by the system. So this one has functions of its
 * own, and the number, for which woven code waits before it calls the library. */

static ssize_t stream_read(void *cookie, char *to, size_t bytes)
{
    return __wrap_read((int)(intptr_t)cookie, to, bytes);
}

static ssize_t stream_write(void *cookie, const char *from, size_t bytes)
{
    ssize_t n = __wrap_write((int)(intptr_t)cookie, from, bytes);
    return n < 0 ? 0 : n; /* as fopencookie() has it */
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    static const cookie_io_functions_t functions = {
        .read = stream_read,
        .write = stream_write,
        .close = stream_close,
    };
    if (!co4__simulated_at(fd))
        return __real_fdopen(fd, mode);
    FILE *file = fopencookie((void *)(intptr_t)fd, mode, functions);
#ifdef __GLIBC__
    if (file)
        file->_fileno = fd;
#endif
    return file;
}

/* ---- the beginning ---- */

static void set_options(const char *text)
{
    co4_test_network_options options = { .latency_min = 0 };
    if (!co4__simulated_options(text, &options)) {
        fputs("co4: CO4_TEST_NETWORK: not of the form latency=1ms-20ms,buffer=65536,short=3,loss=0,"
              "duplicate=0,reset=0,refuse=0\n",
              stderr);
        _exit(CO4__REFUSED);
    }
    co4_test_network(&options);
}

/* After that of program.c. */
__attribute__((constructor(111))) static void begin(void)
{
    const char *options = getenv("CO4_TEST_NETWORK");
    if (!co4__program_is_simulated())
        return;
    struct co4__network *n = co4__network_here();
    if (!n)
        return;
    n->for_program = true;
    co4__posix_duplicated = duplicated;
    if (options && !co4__node) /* those of nodes are everybody's */
        set_options(options);
}
