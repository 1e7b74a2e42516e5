/* combined.c - calls that do what several others do, for programs without marks: pausable C, and
 * once more plain. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "base/inside.h"
#include "posix/deadline.h"
#include "posix/mode.h"
#include "posix/point.h"
#include "posix/woven/tries.h"

#include "co4/io.h"
#include "co4/posix.h"
#include "co4/time.h"

/* This does not block: the descriptor has O_NONBLOCK. */
static ssize_t sendfile_now(int out, int in, off_t *offset, size_t bytes)
{
    return sendfile(out, in, offset, bytes);
}

CO4__INSIDE pausable ssize_t co4_posix_sendfile(int out, int in, off_t *offset, size_t bytes)
{
    co4__posix_point();
    int was = errno;
    int64_t deadline;
    if (!co4__posix_waits(out, CO4__WRITING, &deadline)) {
        errno = was;
        return sendfile_now(out, in, offset, bytes);
    }
    return written(out, 0,
                   waited(co4_sendfile_until(out, in, offset, bytes, deadline), was, deadline));
}

/* Linux looks at the time after a message has come, and so does this. */
CO4__INSIDE pausable int co4_posix_recvmmsg(int fd, struct mmsghdr *messages, unsigned count,
                                            int flags, struct timespec *limit)
{
    int64_t until = limit ? co4__after_timespec(limit) : CO4_NEVER;
    unsigned i = 0;
    while (i < count && (i == 0 || co4_now() < until)) {
        ssize_t n = co4_posix_recvmsg(fd, &messages[i].msg_hdr, flags & ~MSG_WAITFORONE);
        if (n < 0)
            break;
        messages[i++].msg_len = (unsigned)n;
        flags |= flags & MSG_WAITFORONE ? MSG_DONTWAIT : 0;
    }
    return i > 0 ? (int)i : count > 0 ? -1 : 0;
}

CO4__INSIDE pausable int co4_posix_sendmmsg(int fd, struct mmsghdr *messages, unsigned count,
                                            int flags)
{
    unsigned i = 0;
    while (i < count) {
        ssize_t n = co4_posix_sendmsg(fd, &messages[i].msg_hdr, flags);
        if (n < 0)
            break;
        messages[i++].msg_len = (unsigned)n;
    }
    return i > 0 ? (int)i : count > 0 ? -1 : 0;
}

CO4__INSIDE pausable int co4_posix_vdprintf(int fd, const char *format, va_list more)
{
    int was = errno;
    char *text = NULL;
    int bytes = vasprintf(&text, format, more), done = 0;
    if (bytes < 0)
        return -1;
    while (done < bytes) {
        ssize_t n = co4_posix_write(fd, text + done, (size_t)(bytes - done));
        if (n < 0)
            break;
        done += (int)n;
    }
    if (done == bytes)
        errno = was;
    int failed = errno;
    free(text);
    errno = failed;
    return done == bytes ? bytes : -1;
}

CO4__INSIDE pausable int co4_posix_dprintf(int fd, const char *format, ...)
{
    va_list more;
    va_start(more, format);
    int n = co4_posix_vdprintf(fd, format, more);
    va_end(more);
    return n;
}

CO4__INSIDE pausable int co4_posix_eventfd_read(int fd, uint64_t *value)
{
    return co4_posix_read(fd, value, sizeof *value) == (ssize_t)sizeof *value ? 0 : -1;
}

CO4__INSIDE pausable int co4_posix_eventfd_write(int fd, uint64_t value)
{
    return co4_posix_write(fd, &value, sizeof value) == (ssize_t)sizeof value ? 0 : -1;
}
