/* checked.c - calls of a program of --auto=test that -D_FORTIFY_SOURCE has given another name, in
 * code that is not woven, and calls that are several others.
 *
 * With the room that the compiler knows they are the calls without it, which are simulated. With
 * too little room they are the C library's, which end the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "co4/time.h"
#include "posix/deadline.h"
#include "posix/wraps.h"
#include "simulation/descriptors.h"
#include "simulation/notice.h"

/* `asked`: the limit to what is written; `room`: the bytes that there are. */

CO4__INSTEAD(ssize_t, __read_chk, (int fd, void *to, size_t asked, size_t room))
{
    return asked > room ? __real___read_chk(fd, to, asked, room) : read(fd, to, asked);
}

CO4__INSTEAD(ssize_t, __pread_chk, (int fd, void *to, size_t asked, off_t at, size_t room))
{
    return asked > room ? __real___pread_chk(fd, to, asked, at, room) : pread(fd, to, asked, at);
}

CO4__INSTEAD(ssize_t, __pread64_chk, (int fd, void *to, size_t asked, off_t at, size_t room))
{
    return asked > room ? __real___pread64_chk(fd, to, asked, at, room) : pread(fd, to, asked, at);
}

CO4__INSTEAD(ssize_t, __recv_chk, (int fd, void *to, size_t asked, size_t room, int flags))
{
    return asked > room ? __real___recv_chk(fd, to, asked, room, flags)
                        : recv(fd, to, asked, flags);
}

CO4__INSTEAD(ssize_t, __recvfrom_chk,
             (int fd, void *to, size_t asked, size_t room, int flags, struct sockaddr *address,
              socklen_t *length))
{
    return asked > room ? __real___recvfrom_chk(fd, to, asked, room, flags, address, length)
                        : recvfrom(fd, to, asked, flags, address, length);
}

CO4__INSTEAD(char *, __getcwd_chk, (char *to, size_t asked, size_t room))
{
    return asked > room ? __real___getcwd_chk(to, asked, room) : getcwd(to, asked);
}

CO4__INSTEAD(int, __gethostname_chk, (char *to, size_t asked, size_t room))
{
    return asked > room ? __real___gethostname_chk(to, asked, room) : gethostname(to, asked);
}

CO4__INSTEAD(int, __getdomainname_chk, (char *to, size_t asked, size_t room))
{
    return asked > room ? __real___getdomainname_chk(to, asked, room) : getdomainname(to, asked);
}

CO4__INSTEAD(ssize_t, __readlink_chk, (const char *path, char *to, size_t asked, size_t room))
{
    return asked > room ? __real___readlink_chk(path, to, asked, room) : readlink(path, to, asked);
}

CO4__INSTEAD(ssize_t, __readlinkat_chk,
             (int folder, const char *path, char *to, size_t asked, size_t room))
{
    return asked > room ? __real___readlinkat_chk(folder, path, to, asked, room)
                        : readlinkat(folder, path, to, asked);
}

int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __real___poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room);
int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
    return count > room / sizeof *fds ? __real___poll_chk(fds, count, timeout, room)
                                      : poll(fds, count, timeout);
}

int __wrap___ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t room);
int __real___ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t room);
int __wrap___ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                       const sigset_t *mask, size_t room)
{
    return count > room / sizeof *fds ? __real___ppoll_chk(fds, count, timeout, mask, room)
                                      : ppoll(fds, count, timeout, mask);
}

char *__wrap___realpath_chk(const char *path, char *to, size_t room);
char *__real___realpath_chk(const char *path, char *to, size_t room);
char *__wrap___realpath_chk(const char *path, char *to, size_t room)
{
    return room < 4096 ? __real___realpath_chk(path, to, room) : realpath(path, to);
}

/* ---- text for a descriptor: the C library would write to the placeholder ---- */

int __wrap_vdprintf(int fd, const char *format, va_list more);
int __real_vdprintf(int fd, const char *format, va_list more);
int __wrap_vdprintf(int fd, const char *format, va_list more)
{
    char *text;
    if (!co4__simulated_at(fd))
        return __real_vdprintf(fd, format, more);
    int n = vasprintf(&text, format, more);
    ssize_t written = n < 0 ? -1 : write(fd, text, (size_t)n);
    int was = errno;
    if (n >= 0)
        free(text);
    errno = was;
    return written < 0 ? -1 : n;
}

int __wrap_dprintf(int fd, const char *format, ...);
int __wrap_dprintf(int fd, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int n = __wrap_vdprintf(fd, format, more);
    va_end(more);
    return n;
}

int __wrap___vdprintf_chk(int fd, int flag, const char *format, va_list more);
int __real___vdprintf_chk(int fd, int flag, const char *format, va_list more);
int __wrap___vdprintf_chk(int fd, int flag, const char *format, va_list more)
{
    return co4__simulated_at(fd) ? __wrap_vdprintf(fd, format, more)
                                 : __real___vdprintf_chk(fd, flag, format, more);
}

int __wrap___dprintf_chk(int fd, int flag, const char *format, ...);
int __wrap___dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int n = __wrap___vdprintf_chk(fd, flag, format, more);
    va_end(more);
    return n;
}

/* ---- several messages ---- */

int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *limit);
int __real_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *limit);
CO4__WRAPS(sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags));

/* Linux looks at the time after a message has come. */
int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *limit)
{
    unsigned i = 0;
    if (!co4__simulated_at(fd))
        return __real_recvmmsg(fd, messages, count, flags, limit);
    int64_t until = limit ? co4__after_timespec(limit) : CO4_NEVER;
    while (i < count && (i == 0 || co4_now() < until)) {
        ssize_t n = recvmsg(fd, &messages[i].msg_hdr, flags & ~MSG_WAITFORONE);
        if (n < 0)
            break;
        messages[i++].msg_len = (unsigned)n;
        flags |= flags & MSG_WAITFORONE ? MSG_DONTWAIT : 0;
    }
    return i > 0 || count == 0 ? (int)i : -1;
}

int __wrap_sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    unsigned i = 0;
    if (!co4__simulated_at(fd))
        return __real_sendmmsg(fd, messages, count, flags);
    for (; i < count; i++) {
        ssize_t n = sendmsg(fd, &messages[i].msg_hdr, flags);
        if (n < 0)
            break;
        messages[i].msg_len = (unsigned)n;
    }
    return i > 0 || count == 0 ? (int)i : -1;
}
