/* files.c - calls on files, which take time in a page: pausable C, and once more plain.
 * posix/files.h says how they wait. */
#ifdef __EMSCRIPTEN__
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/inside.h"
#include "posix/files.h"

#include "co4/posix.h"
#include "co4/posix_js.h"
#include "co4/posix_stdio.h"

#ifdef CO4_PLAIN
#undef CO4__SETTLED
#define CO4__SETTLED(n, call) (n) = (call)
#define co4__file_use()       ((void)0)
#define co4__file_opened(fd)  ((void)(fd))
#endif

/* ---- names and descriptors ---- */

CO4__INSIDE pausable int co4_posix_stat(const char *path, struct stat *to)
{
    int n;
    CO4__SETTLED(n, stat(path, to));
    return n;
}

CO4__INSIDE pausable int co4_posix_lstat(const char *path, struct stat *to)
{
    int n;
    CO4__SETTLED(n, lstat(path, to));
    return n;
}

CO4__INSIDE pausable int co4_posix_fstat(int fd, struct stat *to)
{
    int n;
    CO4__SETTLED(n, fstat(fd, to));
    return n;
}

CO4__INSIDE pausable int co4_posix_fstatat(int folder, const char *path, struct stat *to, int flags)
{
    int n;
    CO4__SETTLED(n, fstatat(folder, path, to, flags));
    return n;
}

CO4__INSIDE pausable int co4_posix_access(const char *path, int mode)
{
    int n;
    CO4__SETTLED(n, access(path, mode));
    return n;
}

CO4__INSIDE pausable int co4_posix_faccessat(int folder, const char *path, int mode, int flags)
{
    int n;
    CO4__SETTLED(n, faccessat(folder, path, mode, flags));
    return n;
}

CO4__INSIDE pausable ssize_t co4_posix_pread(int fd, void *to, size_t bytes, off_t at)
{
    ssize_t n;
    CO4__SETTLED(n, pread(fd, to, bytes, at));
    return n;
}

CO4__INSIDE pausable ssize_t co4_posix_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    ssize_t n;
    CO4__SETTLED(n, pwrite(fd, from, bytes, at));
    return n;
}

CO4__INSIDE pausable ssize_t co4_posix_preadv(int fd, const struct iovec *to, int count, off_t at)
{
    ssize_t n;
    CO4__SETTLED(n, preadv(fd, to, count, at));
    return n;
}

CO4__INSIDE pausable ssize_t co4_posix_pwritev(int fd, const struct iovec *from, int count,
                                               off_t at)
{
    ssize_t n;
    CO4__SETTLED(n, pwritev(fd, from, count, at));
    return n;
}

CO4__INSIDE pausable off_t co4_posix_lseek(int fd, off_t at, int whence)
{
    off_t n;
    CO4__SETTLED(n, lseek(fd, at, whence));
    return n;
}

CO4__INSIDE pausable int co4_posix_fsync(int fd)
{
    int n;
    CO4__SETTLED(n, fsync(fd));
    return n;
}

CO4__INSIDE pausable int co4_posix_fdatasync(int fd)
{
    int n;
    CO4__SETTLED(n, fdatasync(fd));
    return n;
}

CO4__INSIDE pausable int co4_posix_ftruncate(int fd, off_t bytes)
{
    int n;
    CO4__SETTLED(n, ftruncate(fd, bytes));
    return n;
}

CO4__INSIDE pausable int co4_posix_truncate(const char *path, off_t bytes)
{
    int n;
    CO4__SETTLED(n, truncate(path, bytes));
    return n;
}

CO4__INSIDE pausable int co4_posix_mkdir(const char *path, mode_t mode)
{
    int n;
    CO4__SETTLED(n, mkdir(path, mode));
    return n;
}

CO4__INSIDE pausable int co4_posix_mkdirat(int folder, const char *path, mode_t mode)
{
    int n;
    CO4__SETTLED(n, mkdirat(folder, path, mode));
    return n;
}

CO4__INSIDE pausable int co4_posix_rmdir(const char *path)
{
    int n;
    CO4__SETTLED(n, rmdir(path));
    return n;
}

CO4__INSIDE pausable int co4_posix_unlink(const char *path)
{
    int n;
    CO4__SETTLED(n, unlink(path));
    return n;
}

CO4__INSIDE pausable int co4_posix_unlinkat(int folder, const char *path, int flags)
{
    int n;
    CO4__SETTLED(n, unlinkat(folder, path, flags));
    return n;
}

CO4__INSIDE pausable int co4_posix_remove(const char *path)
{
    int n;
    CO4__SETTLED(n, remove(path));
    return n;
}

CO4__INSIDE pausable int co4_posix_rename(const char *from, const char *to)
{
    int n;
    CO4__SETTLED(n, rename(from, to));
    return n;
}

CO4__INSIDE pausable int co4_posix_renameat(int folder, const char *from, int other, const char *to)
{
    int n;
    CO4__SETTLED(n, renameat(folder, from, other, to));
    return n;
}

CO4__INSIDE pausable int co4_posix_link(const char *from, const char *to)
{
    int n;
    CO4__SETTLED(n, linkat(AT_FDCWD, from, AT_FDCWD, to, 0));
    return n;
}

CO4__INSIDE pausable int co4_posix_linkat(int folder, const char *from, int other, const char *to,
                                          int flags)
{
    int n;
    CO4__SETTLED(n, linkat(folder, from, other, to, flags));
    return n;
}

CO4__INSIDE pausable int co4_posix_symlink(const char *target, const char *path)
{
    int n;
    CO4__SETTLED(n, symlink(target, path));
    return n;
}

CO4__INSIDE pausable int co4_posix_symlinkat(const char *target, int folder, const char *path)
{
    int n;
    CO4__SETTLED(n, symlinkat(target, folder, path));
    return n;
}

CO4__INSIDE pausable ssize_t co4_posix_readlink(const char *path, char *to, size_t room)
{
    ssize_t n;
    CO4__SETTLED(n, readlink(path, to, room));
    return n;
}

CO4__INSIDE pausable ssize_t co4_posix_readlinkat(int folder, const char *path, char *to,
                                                  size_t room)
{
    ssize_t n;
    CO4__SETTLED(n, readlinkat(folder, path, to, room));
    return n;
}

CO4__INSIDE pausable char *co4_posix_realpath(const char *path, char *to)
{
    char *n;
    CO4__SETTLED(n, realpath(path, to));
    return n;
}

CO4__INSIDE pausable int co4_posix_chmod(const char *path, mode_t mode)
{
    int n;
    CO4__SETTLED(n, chmod(path, mode));
    return n;
}

CO4__INSIDE pausable int co4_posix_fchmod(int fd, mode_t mode)
{
    int n;
    CO4__SETTLED(n, fchmod(fd, mode));
    return n;
}

CO4__INSIDE pausable int co4_posix_fchmodat(int folder, const char *path, mode_t mode, int flags)
{
    int n;
    CO4__SETTLED(n, fchmodat(folder, path, mode, flags));
    return n;
}

CO4__INSIDE pausable int co4_posix_utimensat(int folder, const char *path,
                                             const struct timespec times[2], int flags)
{
    int n;
    CO4__SETTLED(n, utimensat(folder, path, times, flags));
    return n;
}

CO4__INSIDE pausable int co4_posix_futimens(int fd, const struct timespec times[2])
{
    int n;
    CO4__SETTLED(n, futimens(fd, times));
    return n;
}

CO4__INSIDE pausable int co4_posix_chdir(const char *path)
{
    int n;
    CO4__SETTLED(n, chdir(path));
    return n;
}

CO4__INSIDE pausable struct dirent *co4_posix_readdir(DIR *folder)
{
    struct dirent *n;
    CO4__SETTLED(n, readdir(folder));
    return n;
}

/* ---- what opens a file ---- */

CO4__INSIDE pausable int co4_posix_openat(int folder, const char *path, int flags, ...)
{
    int n;
    va_list more;
    va_start(more, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;
    va_end(more);
    co4__file_use();
    CO4__SETTLED(n, openat(folder, path, flags, (mode_t)mode));
    return n;
}

CO4__INSIDE pausable int co4_posix_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;
    va_end(more);
    return co4_posix_openat(AT_FDCWD, path, flags, mode);
}

CO4__INSIDE pausable int co4_posix_creat(const char *path, mode_t mode)
{
    int n;
    co4__file_use();
    CO4__SETTLED(n, creat(path, mode));
    return n;
}

CO4__INSIDE pausable FILE *co4_posix_fopen(const char *path, const char *mode)
{
    FILE *n;
    co4__file_use();
    CO4__SETTLED(n, fopen(path, mode));
    return n;
}

CO4__INSIDE pausable DIR *co4_posix_opendir(const char *path)
{
    DIR *n;
    co4__file_use();
    CO4__SETTLED(n, opendir(path));
    return n;
}

/* The C library closes the stream if open() fails, so the file is opened before. */
CO4__INSIDE pausable FILE *co4_posix_freopen(const char *path, const char *mode, FILE *stream)
{
#ifdef CO4_PLAIN
    return freopen(path, mode, stream);
#else
    int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    flags |= *mode == 'r' ? 0 : O_CREAT | (*mode == 'w' ? O_TRUNC : O_APPEND);
    flags |= strchr(mode, 'x') ? O_EXCL : 0;
    co4_posix_fflush(stream);
    int fd = path ? co4_posix_open(path, flags, 0666) : -1, err = errno;
    if (path && fd < 0) {
        co4_posix_fclose(stream);
        errno = err;
        return NULL;
    }
    co4__file_begin(0, 1);
    co4__file_opened(fd);
    FILE *f = freopen(path, mode, stream);
    int id = co4__file_end();
    if (id != 0 && co4__file_settle(id) == 0)
        co4__file_error(id); /* of what was closed before */
    return f;
#endif
}

/* ---- names that the C library makes, and a new one at each try ---- */

static void make_name(char *six)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static uint64_t made;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t n = ((uint64_t)now.tv_nsec + ++made * 0x9e3779b97f4a7c15u) ^ (uint64_t)now.tv_sec;
    for (int i = 0; i < 6; i++, n /= 62)
        six[i] = letters[n % 62];
}

CO4__INSIDE pausable int co4_posix_mkostemps(char *name, int end, int flags)
{
    size_t length = strlen(name);
    char *six = name + length - (size_t)end - 6;
    if (end < 0 || length < 6 || (size_t)end > length - 6 || memcmp(six, "XXXXXX", 6) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < 100; i++) {
        make_name(six);
        int fd = co4_posix_open(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0)
            return fd;
        if (errno != EEXIST)
            break;
    }
    memcpy(six, "XXXXXX", 6);
    return -1;
}

CO4__INSIDE pausable int co4_posix_mkstemp(char *name)
{
    return co4_posix_mkostemps(name, 0, 0);
}

CO4__INSIDE pausable int co4_posix_mkostemp(char *name, int flags)
{
    return co4_posix_mkostemps(name, 0, flags);
}

CO4__INSIDE pausable int co4_posix_mkstemps(char *name, int end)
{
    return co4_posix_mkostemps(name, end, 0);
}

CO4__INSIDE pausable FILE *co4_posix_tmpfile(void)
{
    char name[] = "/tmp/tmpfile_XXXXXX";
    int fd = co4_posix_mkostemps(name, 0, 0);
    if (fd < 0)
        return NULL;
    co4_posix_unlink(name);
    FILE *f = fdopen(fd, "w+");
    if (!f)
        close(fd);
    return f;
}

CO4__INSIDE pausable char *co4_posix_mkdtemp(char *name)
{
    size_t length = strlen(name);
    char *six = name + length - 6;
    if (length < 6 || memcmp(six, "XXXXXX", 6) != 0) {
        errno = EINVAL;
        return NULL;
    }
    for (int i = 0; i < 100; i++) {
        make_name(six);
        if (co4_posix_mkdir(name, 0700) == 0)
            return name;
        if (errno != EEXIST)
            break;
    }
    memcpy(six, "XXXXXX", 6);
    return NULL;
}
#endif
