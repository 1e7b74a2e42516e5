/* opens.c - cancellation points of POSIX that wait for nothing that a task can wait for. Calls of
 * them are those below only in programs that cancel threads which are tasks. A descriptor stays
 * open where its close is the point that ends the thread. */
#define _GNU_SOURCE /* preadv */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "base/inside.h"
#include "posix/point.h"

#include "co4/posix.h"

/* Whether a mode comes with these flags. */
static bool has_mode(int flags)
{
#ifdef O_TMPFILE
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return true;
#endif
    return (flags & O_CREAT) != 0;
}

CO4__INSIDE pausable int co4_posix_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    unsigned mode = has_mode(flags) ? va_arg(more, unsigned) : 0;
    va_end(more);
    co4__posix_point();
    return open(path, flags, (mode_t)mode);
}

CO4__INSIDE pausable int co4_posix_openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    unsigned mode = has_mode(flags) ? va_arg(more, unsigned) : 0;
    va_end(more);
    co4__posix_point();
    return openat(folder, path, flags, (mode_t)mode);
}

CO4__INSIDE pausable int co4_posix_creat(const char *path, mode_t mode)
{
    co4__posix_point();
    return creat(path, mode);
}

CO4__INSIDE pausable int co4_posix_close(int fd)
{
    co4__posix_point();
    return close(fd);
}

CO4__INSIDE pausable ssize_t co4_posix_pread(int fd, void *to, size_t bytes, off_t at)
{
    co4__posix_point();
    return pread(fd, to, bytes, at);
}

CO4__INSIDE pausable ssize_t co4_posix_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    co4__posix_point();
    return pwrite(fd, from, bytes, at);
}

CO4__INSIDE pausable ssize_t co4_posix_preadv(int fd, const struct iovec *to, int count, off_t at)
{
    co4__posix_point();
    return preadv(fd, to, count, at);
}

CO4__INSIDE pausable ssize_t co4_posix_pwritev(int fd, const struct iovec *from, int count,
                                               off_t at)
{
    co4__posix_point();
    return pwritev(fd, from, count, at);
}

CO4__INSIDE pausable int co4_posix_msync(void *begin, size_t bytes, int flags)
{
    co4__posix_point();
    return msync(begin, bytes, flags);
}

CO4__INSIDE pausable int co4_posix_tcdrain(int fd)
{
    co4__posix_point();
    return tcdrain(fd);
}
