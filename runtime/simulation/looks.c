/* looks.c - calls that look at files by their names, for a program of --auto=test that has a
 * simulated disk; and those that change what is beside the bytes: modes, owners, times.
 *
 * Times are those of the simulation: what the system has set gets the simulation's time when the
 * program first looks. Modes, owners and times are durable at once. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/identity.h"
#include "simulation/names.h"
#include "simulation/socket_files.h"

int __real_utimensat(int folder, const char *path, const struct timespec times[2], int flags);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_statx(int folder, const char *path, int flags, unsigned mask, struct statx *s);

/* ---- what a file is ---- */

/* The numbers that the program sees. */
static void number(struct stat *s)
{
    if (s->st_dev == co4__disk->device) {
        s->st_dev = CO4__DISK_DEVICE;
        s->st_ino = co4__disk_number(s->st_ino);
    }
}

/* Returns whether the time is the system's. */
static bool pin(struct stat *s)
{
    struct timespec now;
    __wrap_clock_gettime(CLOCK_REALTIME, &now);
    bool is_real = s->st_mtim.tv_sec > now.tv_sec + 366 * 86400;
    if (is_real)
        s->st_mtim = now;
    s->st_ctim = s->st_mtim;
    if (s->st_atim.tv_sec > now.tv_sec + 366 * 86400)
        s->st_atim = s->st_mtim;
    return is_real;
}

static void mend(struct stat *s, int fd, const char *real)
{
    int was = errno;
    if (s->st_dev == co4__disk->device) {
        if (S_ISREG(s->st_mode) && co4__disk->ops && co4__disk_is_unlinked(s->st_ino))
            s->st_nlink--;
        if (pin(s)) {
            struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, s->st_mtim };
            if (real)
                __real_utimensat(AT_FDCWD, real, times, AT_SYMLINK_NOFOLLOW);
            else
                futimens(fd, times);
        }
    }
    errno = was;
}

static int look_open(int fd, struct stat *s)
{
    int n = __real_fstat(fd, s);
    if (n == 0) {
        mend(s, fd, NULL);
        number(s);
    }
    return n;
}

static int look_named(int folder, const char *path, struct stat *s, int flags)
{
    struct co4__disk_place p;
    if ((flags & AT_EMPTY_PATH) && path && !*path)
        return look_open(folder, s);
    if (co4__disk_find(&p, folder, path, !(flags & AT_SYMLINK_NOFOLLOW)) != 0)
        return -1;
    int n = __real_fstatat(AT_FDCWD, p.real, s, flags);
    if (n == 0 && p.zone == CO4__DISK_PRIVATE)
        mend(s, -1, p.real);
    if (n == 0)
        number(s);
    return n;
}

int __wrap_stat(const char *path, struct stat *s);
int __real_stat(const char *path, struct stat *s);
int __wrap_stat(const char *path, struct stat *s)
{
    const struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_stat(file, s);
    if (!co4__disk)
        return __real_stat(CO4__SYSTEM_PATH(path), s);
    return look_named(AT_FDCWD, path, s, 0);
}

int __wrap_stat64(const char *path, struct stat *s) CO4__SAME(__wrap_stat);
int __wrap_lstat(const char *path, struct stat *s);
int __real_lstat(const char *path, struct stat *s);
int __wrap_lstat(const char *path, struct stat *s)
{
    const struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_stat(file, s);
    if (!co4__disk)
        return __real_lstat(CO4__SYSTEM_PATH(path), s);
    return look_named(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW);
}

int __wrap_lstat64(const char *path, struct stat *s) CO4__SAME(__wrap_lstat);
int __wrap_fstat(int fd, struct stat *s);
int __real_fstat(int fd, struct stat *s);
int __wrap_fstat(int fd, struct stat *s)
{
    if (!co4__disk)
        return __real_fstat(fd, s);
    return look_open(fd, s);
}

int __wrap_fstat64(int fd, struct stat *s) CO4__SAME(__wrap_fstat);
int __wrap_fstatat(int folder, const char *path, struct stat *s, int flags);
int __real_fstatat(int folder, const char *path, struct stat *s, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *s, int flags)
{
    const struct co4__net_path *file = co4__socket_file(folder, path);
    if (file)
        return co4__socket_file_stat(file, s);
    if (!co4__disk)
        return __real_fstatat(folder, CO4__SYSTEM_PATH(path), s, flags);
    return look_named(folder, path, s, flags);
}

int __wrap_fstatat64(int folder, const char *path, struct stat *s, int flags)
    CO4__SAME(__wrap_fstatat);

static struct statx_timestamp timestamp_of(struct timespec t)
{
    return (struct statx_timestamp){ .tv_sec = t.tv_sec, .tv_nsec = (uint32_t)t.tv_nsec };
}

static int look_at_socket(const struct co4__net_path *file, struct statx *s)
{
    struct stat as;
    co4__socket_file_stat(file, &as);
    *s = (struct statx){ .stx_mask = STATX_BASIC_STATS,
                         .stx_blksize = (uint32_t)as.st_blksize,
                         .stx_nlink = 1,
                         .stx_uid = as.st_uid,
                         .stx_gid = as.st_gid,
                         .stx_mode = (uint16_t)as.st_mode,
                         .stx_ino = as.st_ino,
                         .stx_atime = timestamp_of(as.st_atim),
                         .stx_ctime = timestamp_of(as.st_ctim),
                         .stx_mtime = timestamp_of(as.st_mtim),
                         .stx_dev_major = major(as.st_dev),
                         .stx_dev_minor = minor(as.st_dev) };
    return 0;
}

int __wrap_statx(int folder, const char *path, int flags, unsigned mask, struct statx *s);
int __wrap_statx(int folder, const char *path, int flags, unsigned mask, struct statx *s)
{
    const struct co4__net_path *file = co4__socket_file(folder, path);
    if (file)
        return look_at_socket(file, s);
    struct co4__disk_place p;
    struct stat as;
    bool is_fd = (flags & AT_EMPTY_PATH) && path && !*path;
    if (!co4__disk)
        return __real_statx(folder, CO4__SYSTEM_PATH(path), flags, mask, s);
    if (look_named(folder, path, &as, flags & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)) != 0 ||
        (!is_fd && co4__disk_find(&p, folder, path, !(flags & AT_SYMLINK_NOFOLLOW)) != 0))
        return -1;
    int n = __real_statx(is_fd ? folder : AT_FDCWD, is_fd ? "" : p.real, flags, mask, s);
    if (n == 0 && as.st_dev == CO4__DISK_DEVICE) {
        s->stx_ino = as.st_ino;
        s->stx_dev_major = major(as.st_dev);
        s->stx_dev_minor = minor(as.st_dev);
        s->stx_nlink = (uint32_t)as.st_nlink;
        s->stx_atime = timestamp_of(as.st_atim);
        s->stx_mtime = s->stx_ctime = s->stx_btime = timestamp_of(as.st_mtim);
    }
    return n;
}

/* ---- one name, and what the system's call does with it ---- */

/* A call whose first parameter is a name. */

/* A call of a name below a folder. */

CO4__WRAPS(faccessat, (int folder, const char *path, int mode, int flags));
int __wrap_faccessat(int folder, const char *path, int mode, int flags)
{
    const struct co4__net_path *file = co4__socket_file(folder, path);
    if (file)
        return co4__socket_file_access(file, mode);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_faccessat(folder, CO4__SYSTEM_PATH(path), mode, flags);
    return co4__disk_find(&p, folder, path, !((flags)&AT_SYMLINK_NOFOLLOW)) == 0
               ? __real_faccessat(AT_FDCWD, p.real, mode, flags)
               : -1;
}

CO4__WRAPS(chmod, (const char *path, mode_t mode));
int __wrap_chmod(const char *path, mode_t mode)
{
    struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_chmod(file, mode);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_chmod(path, mode);
    return co4__disk_find_to(&p, AT_FDCWD, path, true) == 0 ? __real_chmod(p.real, mode) : -1;
}

CO4__WRAPS(fchmodat, (int folder, const char *path, mode_t mode, int flags));
int __wrap_fchmodat(int folder, const char *path, mode_t mode, int flags)
{
    struct co4__net_path *file = co4__socket_file(folder, path);
    if (file)
        return co4__socket_file_chmod(file, mode);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_fchmodat(folder, path, mode, flags);
    return co4__disk_find_to(&p, folder, path, !((flags)&AT_SYMLINK_NOFOLLOW)) == 0
               ? __real_fchmodat(AT_FDCWD, p.real, mode, flags)
               : -1;
}

CO4__WRAPS(chown, (const char *path, uid_t user, gid_t group));
int __wrap_chown(const char *path, uid_t user, gid_t group)
{
    struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_chown(file, user, group);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_chown(path, user, group);
    return co4__disk_find_to(&p, AT_FDCWD, path, true) == 0 ? __real_chown(p.real, user, group)
                                                            : -1;
}

CO4__WRAPS(lchown, (const char *path, uid_t user, gid_t group));
int __wrap_lchown(const char *path, uid_t user, gid_t group)
{
    struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_chown(file, user, group);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_lchown(path, user, group);
    return co4__disk_find_to(&p, AT_FDCWD, path, false) == 0 ? __real_lchown(p.real, user, group)
                                                             : -1;
}

CO4__WRAPS(fchownat, (int folder, const char *path, uid_t user, gid_t group, int flags));
int __wrap_fchownat(int folder, const char *path, uid_t user, gid_t group, int flags)
{
    struct co4__net_path *file = co4__socket_file(folder, path);
    if (file)
        return co4__socket_file_chown(file, user, group);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_fchownat(folder, path, user, group, flags);
    return co4__disk_find_to(&p, folder, path, !((flags)&AT_SYMLINK_NOFOLLOW)) == 0
               ? __real_fchownat(AT_FDCWD, p.real, user, group, flags)
               : -1;
}

CO4__WRAPS(utime, (const char *path, const struct utimbuf *times));
int __wrap_utime(const char *path, const struct utimbuf *times)
{
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_utime(path, times);
    return co4__disk_find_to(&p, AT_FDCWD, path, true) == 0 ? __real_utime(p.real, times) : -1;
}

CO4__WRAPS(utimes, (const char *path, const struct timeval times[2]));
int __wrap_utimes(const char *path, const struct timeval times[2])
{
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_utimes(path, times);
    return co4__disk_find_to(&p, AT_FDCWD, path, true) == 0 ? __real_utimes(p.real, times) : -1;
}

CO4__WRAPS(statvfs, (const char *path, struct statvfs *s));
int __wrap_statvfs(const char *path, struct statvfs *s)
{
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_statvfs(path, s);
    return co4__disk_find(&p, AT_FDCWD, path, true) == 0 ? __real_statvfs(p.real, s) : -1;
}

int __wrap_statvfs64(const char *path, struct statvfs *s) CO4__SAME(__wrap_statvfs);
CO4__WRAPS(statfs, (const char *path, struct statfs *s));
int __wrap_statfs(const char *path, struct statfs *s)
{
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_statfs(path, s);
    return co4__disk_find(&p, AT_FDCWD, path, true) == 0 ? __real_statfs(p.real, s) : -1;
}

int __wrap_statfs64(const char *path, struct statfs *s) CO4__SAME(__wrap_statfs);

int __wrap_utimensat(int folder, const char *path, const struct timespec times[2], int flags);
int __wrap_utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    struct co4__disk_place p;
    if (!co4__disk || !path)
        return __real_utimensat(folder, path, times, flags);
    return co4__disk_find_to(&p, folder, path, !(flags & AT_SYMLINK_NOFOLLOW)) == 0
               ? __real_utimensat(AT_FDCWD, p.real, times, flags)
               : -1;
}

/* A name for reading may be one that the system lets the user write. */
CO4__WRAPS(access, (const char *path, int mode));
int __wrap_access(const char *path, int mode)
{
    const struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_access(file, mode);
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_access(CO4__SYSTEM_PATH(path), mode);
    int err = mode & W_OK ? co4__disk_find_to(&p, AT_FDCWD, path, true)
                          : co4__disk_find(&p, AT_FDCWD, path, true);
    return err == 0 ? __real_access(p.real, mode) : -1;
}

/* ---- links, and the folder that the program is in ---- */

ssize_t __wrap_readlinkat(int folder, const char *path, char *text, size_t bytes);
ssize_t __wrap_readlink(const char *path, char *text, size_t bytes);
ssize_t __real_readlink(const char *path, char *text, size_t bytes);

/* Links of /proc have names of the system. */
static ssize_t read_link(int folder, const char *path, char *text, size_t bytes)
{
    struct co4__disk_place p;
    char target[CO4__DISK_PATH];
    if (co4__disk_find(&p, folder, path, false) != 0)
        return -1;
    if (strncmp(p.name, "/proc/", 6) != 0)
        return __real_readlinkat(AT_FDCWD, p.real, text, bytes);
    ssize_t n = __real_readlinkat(AT_FDCWD, p.real, target, sizeof target - 1);
    if (n < 0)
        return n;
    target[n] = '\0';
    co4__disk_strip(target);
    n = (ssize_t)strlen(target) < (ssize_t)bytes ? (ssize_t)strlen(target) : (ssize_t)bytes;
    memcpy(text, target, (size_t)n);
    return n;
}

ssize_t __wrap_readlinkat(int folder, const char *path, char *text, size_t bytes)
{
    return co4__disk ? read_link(folder, path, text, bytes)
                     : __real_readlinkat(folder, CO4__SYSTEM_PATH(path), text, bytes);
}

ssize_t __wrap_readlink(const char *path, char *text, size_t bytes)
{
    return co4__disk ? read_link(AT_FDCWD, path, text, bytes)
                     : __real_readlink(CO4__SYSTEM_PATH(path), text, bytes);
}

CO4__WRAPS(chdir, (const char *path));
CO4__WRAPS(fchdir, (int fd));
char *__wrap_getcwd(char *path, size_t bytes);
char *__real_getcwd(char *path, size_t bytes);
char *__wrap_get_current_dir_name(void);
char *__real_get_current_dir_name(void);
char *__wrap_realpath(const char *path, char *to);
char *__real_realpath(const char *path, char *to);

static void note_cwd(void)
{
    if (__real_getcwd(co4__disk->cwd, CO4__DISK_PATH))
        co4__disk_strip(co4__disk->cwd);
}

int __wrap_chdir(const char *path)
{
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_chdir(CO4__SYSTEM_PATH(path));
    if (co4__disk_find(&p, AT_FDCWD, path, true) != 0 || __real_chdir(p.real) != 0)
        return -1;
    note_cwd();
    return 0;
}

int __wrap_fchdir(int fd)
{
    int n = __real_fchdir(fd);
    if (co4__disk && n == 0)
        note_cwd();
    return n;
}

/* Returns a copy of the text, in `to` or in memory of malloc(). */
static char *copy_path(const char *name, char *to, size_t bytes)
{
    size_t n = strlen(name) + 1;
    if (to && bytes < n) {
        errno = ERANGE;
        return NULL;
    }
    if (!to)
        to = malloc(bytes > n ? bytes : n);
    return to ? memcpy(to, name, n) : NULL;
}

char *__wrap_getcwd(char *path, size_t bytes)
{
    if (!co4__disk || (path && bytes == 0))
        return __real_getcwd(path, bytes);
    if (!path && bytes > 0 && bytes < strlen(co4__disk->cwd) + 1) {
        errno = ERANGE;
        return NULL;
    }
    return copy_path(co4__disk->cwd, path, bytes);
}

char *__wrap_get_current_dir_name(void)
{
    return co4__disk ? copy_path(co4__disk->cwd, NULL, 0) : __real_get_current_dir_name();
}

char *__wrap_realpath(const char *path, char *to)
{
    struct co4__disk_place p;
    struct stat s;
    char real[PATH_MAX];
    if (!co4__disk)
        return __real_realpath(CO4__SYSTEM_PATH(path), to);
    if (!path) {
        errno = EINVAL;
        return NULL;
    }
    if (co4__disk_find(&p, AT_FDCWD, path, true) != 0 ||
        __real_fstatat(AT_FDCWD, p.real, &s, 0) != 0)
        return NULL;
    if (p.zone == CO4__DISK_READ || p.zone == CO4__DISK_SYSTEM) {
        if (!__real_realpath(p.real, real))
            return NULL;
        co4__disk_strip(real);
        return copy_path(real, to, PATH_MAX);
    }
    return copy_path(p.name, to, PATH_MAX);
}
