/* file.c - the calls on files: pausable C, and once more plain.
 *
 * Each call counts as an operation, and is ECANCELED in a cancelled task. Then it is made, at once
 * or by a thread of the pool, whatever happens to the task meanwhile. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "os/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "sync/begin.h"
#include "sync/source.h"

#ifdef O_TMPFILE
#define MAKES_A_FILE(flags) (((flags)&O_CREAT) || ((flags)&O_TMPFILE) == O_TMPFILE)
#else
#define MAKES_A_FILE(flags) ((flags)&O_CREAT)
#endif

/* Makes a call on the pool: its result. */
#define POOLED(call) (begins() ? (int)co4__io_result(co4_blocking(call)) : -1)

static pausable bool begins(void)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        co4__io_fails(err);
    return err == CO4_OK;
}

/* ---- opening ---- */

static pausable int open_at(int folder, const char *path, int flags, mode_t mode)
{
    return POOLED(co4__open_blocking(folder, path, flags, mode));
}

/* A mode_t that is smaller than an int is passed as one. */
#define READ_MODE(mode, flags)                                                                     \
    do {                                                                                           \
        if (MAKES_A_FILE(flags)) {                                                                 \
            va_list rest;                                                                          \
            va_start(rest, flags);                                                                 \
            (mode) = (mode_t)va_arg(rest, int);                                                    \
            va_end(rest);                                                                          \
        }                                                                                          \
    } while (0)

pausable int co4_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    READ_MODE(mode, flags);
    return open_at(AT_FDCWD, path, flags, mode);
}

pausable int co4_openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;
    READ_MODE(mode, flags);
    return open_at(folder, path, flags, mode);
}

/* ---- reads and writes ---- */

static pausable ssize_t transfer(int fd, const struct iovec *iov, int count, off_t offset,
                                 bool writes)
{
    int err = CO4__BEGIN();
    if (err != CO4_OK)
        return co4__io_fails(err);
    struct co4__transfer t;
    co4__transfer_begin(&t, fd, iov, count, offset, writes);
    ssize_t n = co4__try_transfer(&t);
    if (n != CO4__BLOCKS)
        return n;
#ifndef CO4_PLAIN
    while (t.suits_ring && co4__transfer_by_ring(&t) == CO4_OK)
        if (co4__transfer_is_over(&t))
            return co4__io_result(t.done == 0 ? -t.error : (ssize_t)t.done);
#endif
    n = co4_blocking(co4__transfer_rest(&t));
    return co4__io_result(n);
}

pausable ssize_t co4_pread(int fd, void *to, size_t bytes, off_t offset)
{
    struct iovec one = { to, bytes };
    return transfer(fd, &one, 1, offset, false);
}

pausable ssize_t co4_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    struct iovec one = { (void *)(uintptr_t)from, bytes };
    return transfer(fd, &one, 1, offset, true);
}

pausable ssize_t co4_preadv(int fd, const struct iovec *to, int count, off_t offset)
{
    return transfer(fd, to, count, offset, false);
}

pausable ssize_t co4_pwritev(int fd, const struct iovec *from, int count, off_t offset)
{
    return transfer(fd, from, count, offset, true);
}

/* ---- other calls on a descriptor ---- */

static pausable int call_on(enum co4__fd_call call, int fd, off_t length, struct stat *out)
{
    struct co4__fd_argument argument = { length, out };
    uint32_t generation;
    if (!co4__fd_generation(fd, &generation))
        return -1;
    return POOLED(co4__fd_call(call, fd, generation, &argument));
}

pausable int co4_fsync(int fd)
{
    return call_on(CO4__FSYNC, fd, 0, NULL);
}

pausable int co4_fdatasync(int fd)
{
    return call_on(CO4__FDATASYNC, fd, 0, NULL);
}

pausable int co4_ftruncate(int fd, off_t length)
{
    return call_on(CO4__FTRUNCATE, fd, length, NULL);
}

pausable int co4_fstat(int fd, struct stat *out)
{
    return call_on(CO4__FSTAT, fd, 0, out);
}

/* ---- names ---- */

pausable int co4_stat(const char *path, struct stat *out)
{
    return POOLED(co4__stat_blocking(path, true, out));
}

pausable int co4_lstat(const char *path, struct stat *out)
{
    return POOLED(co4__stat_blocking(path, false, out));
}

pausable int co4_rename(const char *from, const char *to)
{
    return POOLED(co4__rename_blocking(from, to));
}

pausable int co4_unlink(const char *path)
{
    return POOLED(co4__unlink_blocking(path));
}

pausable int co4_mkdir(const char *path, mode_t mode)
{
    return POOLED(co4__mkdir_blocking(path, mode));
}

pausable int co4_rmdir(const char *path)
{
    return POOLED(co4__rmdir_blocking(path));
}

/* ---- directories ---- */

static pausable int open_dir(const char *path, co4_dir **out)
{
    return POOLED(co4__opendir_blocking(path, out));
}

pausable co4_dir *co4_opendir(const char *path)
{
    co4_dir *dir = NULL;
    return open_dir(path, &dir) == 0 ? dir : NULL;
}

static pausable int fill(co4_dir *dir)
{
    return POOLED(co4__dir_fill(dir));
}

pausable struct dirent *co4_readdir(co4_dir *dir)
{
    struct dirent *entry = dir ? co4__dir_next(dir) : NULL;
    if (!entry && !dir)
        errno = EINVAL;
    if (entry || !dir || fill(dir) != 0)
        return entry;
    errno = 0;
    return co4__dir_next(dir);
}
