/* writes.c - calls that write files, for a program of --auto=test that has a
 * simulated disk: a life may end in each, and it may fail by the seed.
 *
 * A write that a crash meets has written a part. A write, or a read, that fails by the seed has
 * done a part, or nothing; a read fails with EIO, a write with EIO or ENOSPC. Writes within stdio
 * are the C library's own: nothing fails there, and no life ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/names.h"

#define WRITE_BACK 16 /* once in so many calls some sectors become durable */

ssize_t __real_pwritev2(int fd, const struct iovec *from, int count, off_t at, int flags);
ssize_t __wrap_pwritev2(int fd, const struct iovec *from, int count, off_t at, int flags);

/* ---- writes ---- */

/* What becomes of a write. */
struct fate {
    size_t bytes; /* that it may write */
    bool dies;
    int err; /* it fails with */
};

static bool is_full(int fd, int64_t end)
{
    struct stat s;
    if (co4__disk->faults.space < 0 || __real_fstat(fd, &s) != 0 || end <= s.st_size)
        return false;
    if (end - s.st_size > co4__disk->faults.space)
        return true;
    co4__disk->faults.space -= end - s.st_size;
    return false;
}

/* What a crash leaves of a write: any length of what is new in the file; of sectors that it writes
 * over each is as before or as the write has it. */
static size_t draw_part(int fd, int64_t at, size_t bytes)
{
    struct stat s;
    int64_t end = at + (int64_t)(co4__disk_random() % bytes);
    if (at >= 0 && __real_fstat(fd, &s) == 0 && end < s.st_size)
        end -= end % CO4__DISK_SECTOR;
    return end > at ? (size_t)(end - at) : 0;
}

static struct fate begin_write(struct co4__disk_file *f, int fd, int64_t at, size_t bytes)
{
    struct fate fate = { .bytes = bytes };
    if (!f)
        return fate;
    if (co4__disk_random() % WRITE_BACK == 0)
        co4__disk_write_back(f, fd);
    fate.dies = co4__disk_call();
    if (fate.dies && bytes > 0)
        fate.bytes = draw_part(fd, at, bytes);
    else if (bytes > 0 && co4__disk_happens(co4__disk->faults.write, "write")) {
        fate.bytes = (size_t)(co4__disk_random() % bytes);
        fate.err = fate.bytes == 0 || co4__disk_random() % 2 == 0 ? EIO : 0;
    }
    if (fate.err == 0 && at >= 0 && is_full(fd, at + (int64_t)fate.bytes))
        fate.err = ENOSPC;
    return fate;
}

/* The calls with vectors come here, too: a part of a vector is a shorter one. */
static int shorten(const struct iovec *from, int count, size_t bytes, struct iovec part[IOV_MAX])
{
    int n = 0;
    for (; n < count && n < IOV_MAX && bytes > 0; n++) {
        part[n] = from[n];
        if (part[n].iov_len > bytes)
            part[n].iov_len = bytes;
        bytes -= part[n].iov_len;
    }
    return n;
}

static size_t bytes_of(const struct iovec *from, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += from[i].iov_len;
    return bytes;
}

static void end_write(struct co4__disk_file *f, int fd, int64_t at, ssize_t n)
{
    int flags = fcntl(fd, F_GETFL);
    co4__disk_rewritten(f, at, n);
    if (flags >= 0 && (flags & O_DSYNC))
        co4__disk_sync_range(f, fd, at, at + n);
}

/* Where a write without an offset goes. */
static int64_t offset_of(int fd)
{
    struct stat s;
    int was = errno, flags = fcntl(fd, F_GETFL);
    int64_t at = flags >= 0 && (flags & O_APPEND) && __real_fstat(fd, &s) == 0
                     ? s.st_size
                     : lseek(fd, 0, SEEK_CUR);
    errno = was;
    return at;
}

/* offset: NULL for the file's own. */
static ssize_t write_file(struct co4__disk_file *f, int fd, const struct iovec *from, int count,
                          const off_t *offset, int flags)
{
    struct iovec part[IOV_MAX];
    if ((offset && *offset < 0) || count < 0 || count > IOV_MAX) {
        errno = EINVAL;
        return -1;
    }
    int64_t at = offset ? *offset : offset_of(fd);
    struct fate fate = begin_write(f, fd, at, bytes_of(from, count));
    if (fate.err != 0 && !fate.dies) {
        errno = fate.err;
        return -1;
    }
    int n = shorten(from, count, fate.bytes, part);
    ssize_t done = __real_pwritev2(fd, n > 0 ? part : from, n, offset ? *offset : -1, flags);
    if (done > 0)
        end_write(f, fd, at, done);
    if (fate.dies)
        co4__disk_crash();
    return done;
}

#define ONE (&(const struct iovec){ (void *)(uintptr_t)from, bytes })

/* NULL: it is none of the disk's. */
static struct co4__disk_file *written_file(int fd)
{
    return co4__disk ? co4__disk_file_of(fd) : NULL;
}

ssize_t __real_write(int fd, const void *from, size_t bytes);
ssize_t co4__disk_write(int fd, const void *from, size_t bytes)
{
    struct co4__disk_file *f = written_file(fd);
    return f ? write_file(f, fd, ONE, 1, NULL, 0) : __real_write(fd, from, bytes);
}

ssize_t __real_writev(int fd, const struct iovec *from, int count);
ssize_t co4__disk_writev(int fd, const struct iovec *from, int count)
{
    struct co4__disk_file *f = written_file(fd);
    return f ? write_file(f, fd, from, count, NULL, 0) : __real_writev(fd, from, count);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    struct co4__disk_file *f = written_file(fd);
    return f ? write_file(f, fd, ONE, 1, &at, 0) : __real_pwrite(fd, from, bytes, at);
}

ssize_t __wrap_pwrite64(int fd, const void *from, size_t bytes, off_t at) CO4__SAME(__wrap_pwrite);

ssize_t __wrap_pwritev(int fd, const struct iovec *from, int count, off_t at);
ssize_t __real_pwritev(int fd, const struct iovec *from, int count, off_t at);
ssize_t __wrap_pwritev(int fd, const struct iovec *from, int count, off_t at)
{
    struct co4__disk_file *f = written_file(fd);
    return f ? write_file(f, fd, from, count, &at, 0) : __real_pwritev(fd, from, count, at);
}

ssize_t __wrap_pwritev64(int fd, const struct iovec *from, int count, off_t at)
    CO4__SAME(__wrap_pwritev);

/* RWF_NOWAIT: files in memory may refuse it; the library then makes the call that waits. */
ssize_t __wrap_pwritev2(int fd, const struct iovec *from, int count, off_t at, int flags)
{
    struct co4__disk_file *f = written_file(fd);
    return f ? write_file(f, fd, from, count, at == -1 ? NULL : &at, flags & ~RWF_NOWAIT)
             : __real_pwritev2(fd, from, count, at, flags);
}

/* ---- sizes, and bytes from elsewhere ---- */

static int set_size(struct co4__disk_file *f, int fd, off_t size)
{
    if (size >= 0 && is_full(fd, size)) {
        errno = ENOSPC;
        return -1;
    }
    bool dies = co4__disk_call();
    int n = __real_ftruncate(fd, size);
    if (n == 0)
        co4__disk_cut(f, size);
    if (dies)
        co4__disk_crash();
    return n;
}

int __wrap_ftruncate(int fd, off_t size);
int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size)
{
    struct co4__disk_file *f = written_file(fd);
    return f ? set_size(f, fd, size) : __real_ftruncate(fd, size);
}
CO4__WRAPS(truncate, (const char *path, off_t size));
int __wrap_truncate(const char *path, off_t size)
{
    if (!co4__disk)
        return __real_truncate(path, size);
    int fd = co4__disk_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    int n = fd >= 0 ? __wrap_ftruncate(fd, size) : -1, was = errno;
    if (fd >= 0)
        __real_close(fd);
    errno = was;
    return n;
}

int __wrap_ftruncate64(int fd, off_t size) CO4__SAME(__wrap_ftruncate);
int __wrap_truncate64(const char *path, off_t size) CO4__SAME(__wrap_truncate);

/* A call that writes and does not fail by the seed. */

int __wrap_fallocate(int fd, int mode, off_t at, off_t bytes);
int __real_fallocate(int fd, int mode, off_t at, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t at, off_t bytes)
{
    bool dies = co4__disk && co4__disk_file_of(fd) && co4__disk_call();
    int n = __real_fallocate(fd, mode, at, bytes);
    if (dies)
        co4__disk_crash();
    return n;
}

int __wrap_fallocate64(int fd, int mode, off_t at, off_t bytes) CO4__SAME(__wrap_fallocate);
int __wrap_posix_fallocate(int fd, off_t at, off_t bytes);
int __real_posix_fallocate(int fd, off_t at, off_t bytes);
int __wrap_posix_fallocate(int fd, off_t at, off_t bytes)
{
    bool dies = co4__disk && co4__disk_file_of(fd) && co4__disk_call();
    int n = __real_posix_fallocate(fd, at, bytes);
    if (dies)
        co4__disk_crash();
    return n;
}

int __wrap_posix_fallocate64(int fd, off_t at, off_t bytes) CO4__SAME(__wrap_posix_fallocate);
ssize_t __wrap_copy_file_range(int in, off_t *from, int fd, off_t *to, size_t bytes,
                               unsigned flags);
ssize_t __real_copy_file_range(int in, off_t *from, int fd, off_t *to, size_t bytes,
                               unsigned flags);
ssize_t __wrap_copy_file_range(int in, off_t *from, int fd, off_t *to, size_t bytes, unsigned flags)
{
    bool dies = co4__disk && co4__disk_file_of(fd) && co4__disk_call();
    ssize_t n = __real_copy_file_range(in, from, fd, to, bytes, flags);
    if (dies)
        co4__disk_crash();
    return n;
}

ssize_t __real_sendfile(int fd, int in, off_t *from, size_t bytes);
ssize_t co4__disk_sendfile(int fd, int in, off_t *from, size_t bytes)
{
    bool dies = co4__disk && co4__disk_file_of(fd) && co4__disk_call();
    ssize_t n = __real_sendfile(fd, in, from, bytes);
    if (dies)
        co4__disk_crash();
    return n;
}
