/* positions.c - calls of a program of --auto=test that read or send from a position of a file. It
 * may be a device of random numbers, and what is sent may go to a simulated descriptor. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/descriptors.h"
#include "simulation/devices.h"
#include "simulation/disk.h"

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at)
{
    return co4__is_random_device(fd) ? read(fd, to, bytes) : co4__disk_pread(fd, to, bytes, at);
}

ssize_t __wrap_pread64(int fd, void *to, size_t bytes, off_t at) CO4__SAME(__wrap_pread);

ssize_t __wrap_preadv(int fd, const struct iovec *to, int count, off_t at);
ssize_t __wrap_preadv(int fd, const struct iovec *to, int count, off_t at)
{
    return co4__is_random_device(fd) ? readv(fd, to, count) : co4__disk_preadv(fd, to, count, at);
}

ssize_t __wrap_preadv64(int fd, const struct iovec *to, int count, off_t at)
    CO4__SAME(__wrap_preadv);

ssize_t __wrap_preadv2(int fd, const struct iovec *to, int count, off_t at, int flags);
ssize_t __wrap_preadv2(int fd, const struct iovec *to, int count, off_t at, int flags)
{
    return co4__is_random_device(fd) ? readv(fd, to, count)
                                     : co4__disk_preadv2(fd, to, count, at, flags);
}

/* To or from what is simulated: reads and writes in its place. */
static ssize_t send_parts(int fd, int in, off_t *from, size_t bytes)
{
    char part[4096];
    off_t at = from ? *from : lseek(in, 0, SEEK_CUR);
    size_t done = 0;
    ssize_t n = -1;
    if (at < 0) {
        errno = EINVAL; /* as sendfile() says it */
        return -1;
    }
    while (done < bytes) {
        size_t most = bytes - done < sizeof part ? bytes - done : sizeof part;
        n = pread(in, part, most, at + (off_t)done);
        n = n > 0 ? write(fd, part, (size_t)n) : n;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (from)
        *from = at + (off_t)done;
    else
        lseek(in, at + (off_t)done, SEEK_SET);
    return done > 0 || bytes == 0 ? (ssize_t)done : n;
}

ssize_t __wrap_sendfile(int fd, int in, off_t *from, size_t bytes);
ssize_t __wrap_sendfile(int fd, int in, off_t *from, size_t bytes)
{
    return co4__simulated_at(fd) || co4__is_random_device(in)
               ? send_parts(fd, in, from, bytes)
               : co4__disk_sendfile(fd, in, from, bytes);
}

ssize_t __wrap_sendfile64(int fd, int in, off_t *from, size_t bytes) CO4__SAME(__wrap_sendfile);
