/* names.c - calls with names of files, for a program of --auto=test that has a simulated disk. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "io/attempt.h"
#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/names.h"
#include "simulation/notice.h"
#include "simulation/socket_files.h"

/* ---- places ---- */

int co4__disk_find_to(struct co4__disk_place *p, int folder, const char *path, bool follow)
{
    if (co4__disk_find(p, folder, path, follow) != 0)
        return -1;
    if (p->zone == CO4__DISK_READ) {
        errno = EROFS;
        return -1;
    }
    return 0;
}

int co4__disk_split(struct co4__disk_parts *parts, const struct co4__disk_place *p)
{
    struct stat s;
    size_t n = strlen(p->real);
    if (strcmp(p->name, "/") == 0) {
        errno = EBUSY;
        return -1;
    }
    memcpy(parts->path, p->real, n + 1);
    while (parts->path[n - 1] == '/')
        parts->path[--n] = '\0';
    parts->name = strrchr(parts->path, '/') + 1;
    parts->name[-1] = '\0';
    if (__real_fstatat(AT_FDCWD, parts->path, &s, 0) != 0)
        return -1;
    parts->folder = s.st_ino;
    parts->ino = co4__disk_entry(AT_FDCWD, p->real);
    return 0;
}

/* A call of one name that is not the disk's own. */
static bool is_elsewhere(const struct co4__disk_place *p)
{
    return p->zone != CO4__DISK_PRIVATE;
}

static void end_call(bool dies)
{
    if (dies)
        co4__disk_crash();
}

/* ---- a name is made ---- */

/* Makes the name by `make`, with what that needs. */
typedef int making(const char *real, const void *what);

static int make_name(int folder, const char *path, making *make, const void *what)
{
    struct co4__disk_place p;
    struct co4__disk_parts parts;
    if (co4__disk_find_to(&p, folder, path, false) != 0)
        return -1;
    if (is_elsewhere(&p))
        return make(p.real, what);
    if (co4__disk_split(&parts, &p) != 0)
        return -1;
    bool dies = co4__disk_call();
    int n = make(p.real, what);
    if (n == 0)
        co4__disk_note_put(parts.folder, parts.name, 0, co4__disk_entry(AT_FDCWD, p.real));
    end_call(dies);
    return n;
}

static int make_folder(const char *real, const void *what)
{
    return __real_mkdirat(AT_FDCWD, real, *(const mode_t *)what);
}

static int make_link(const char *real, const void *what)
{
    const struct co4__disk_place *from = what;
    return __real_linkat(AT_FDCWD, from->real, AT_FDCWD, real, 0);
}

static int make_symlink(const char *real, const void *what)
{
    return __real_symlinkat(what, AT_FDCWD, real);
}

CO4__WRAPS(mkdir, (const char *path, mode_t mode));
int __wrap_mkdirat(int folder, const char *path, mode_t mode);
CO4__WRAPS(link, (const char *old, const char *name));
int __wrap_linkat(int from, const char *old, int to, const char *name, int flags);
CO4__WRAPS(symlink, (const char *target, const char *name));
int __wrap_symlinkat(const char *target, int folder, const char *name);
CO4__WRAPS(mkfifo, (const char *path, mode_t mode));

int __wrap_mkdirat(int folder, const char *path, mode_t mode)
{
    if (co4__socket_file_exists(folder, path))
        return -1;
    return co4__disk ? make_name(folder, path, make_folder, &mode)
                     : __real_mkdirat(folder, path, mode);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    if (co4__socket_file_exists(AT_FDCWD, path))
        return -1;
    return co4__disk ? make_name(AT_FDCWD, path, make_folder, &mode) : __real_mkdir(path, mode);
}

static int make_fifo(const char *real, const void *what)
{
    return __real_mkfifo(real, *(const mode_t *)what);
}

int __wrap_mkfifo(const char *path, mode_t mode)
{
    if (co4__socket_file_exists(AT_FDCWD, path))
        return -1;
    return co4__disk ? make_name(AT_FDCWD, path, make_fifo, &mode) : __real_mkfifo(path, mode);
}

int __wrap_linkat(int from, const char *old, int to, const char *name, int flags)
{
    struct co4__disk_place p, q;
    if (co4__socket_file(from, old)) {
        co4__not_simulated("link", "the file of a Unix socket", __builtin_return_address(0));
        return co4__errno_fails(EPERM);
    }
    if (co4__socket_file_exists(to, name))
        return -1;
    if (!co4__disk)
        return __real_linkat(from, old, to, name, flags);
    if (co4__disk_find(&p, from, old, (flags & AT_SYMLINK_FOLLOW) != 0) != 0 ||
        co4__disk_find_to(&q, to, name, false) != 0)
        return -1;
    if (p.zone != q.zone) {
        errno = EXDEV;
        return -1;
    }
    return make_name(to, name, make_link, &p);
}

int __wrap_link(const char *old, const char *name)
{
    if (co4__socket_file(AT_FDCWD, old)) {
        co4__not_simulated("link", "the file of a Unix socket", __builtin_return_address(0));
        return co4__errno_fails(EPERM);
    }
    if (co4__socket_file_exists(AT_FDCWD, name))
        return -1;
    return co4__disk ? __wrap_linkat(AT_FDCWD, old, AT_FDCWD, name, 0) : __real_link(old, name);
}

int __wrap_symlinkat(const char *target, int folder, const char *name)
{
    if (co4__socket_file_exists(folder, name))
        return -1;
    return co4__disk ? make_name(folder, name, make_symlink, target)
                     : __real_symlinkat(target, folder, name);
}

int __wrap_symlink(const char *target, const char *name)
{
    if (co4__socket_file_exists(AT_FDCWD, name))
        return -1;
    return co4__disk ? make_name(AT_FDCWD, name, make_symlink, target)
                     : __real_symlink(target, name);
}

/* ---- a name is removed ---- */

CO4__WRAPS(unlink, (const char *path));
int __wrap_unlinkat(int folder, const char *path, int flags);
CO4__WRAPS(rmdir, (const char *path));
CO4__WRAPS(remove, (const char *path));

static int remove_file(const struct co4__disk_place *p)
{
    struct co4__disk_parts parts;
    if (is_elsewhere(p))
        return __real_unlinkat(AT_FDCWD, p->real, 0);
    if (co4__disk_split(&parts, p) != 0)
        return -1;
    bool dies = co4__disk_call();
    if (parts.ino)
        co4__disk_keep(AT_FDCWD, p->real, parts.ino);
    int n = __real_unlinkat(AT_FDCWD, p->real, 0);
    if (n == 0)
        co4__disk_note_put(parts.folder, parts.name, parts.ino, 0);
    else if (parts.ino)
        co4__disk_keep_undo(parts.ino);
    end_call(dies);
    return n;
}

static bool is_empty(const char *real)
{
    int fd = __real_open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC), n = 0;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    while (d && n < 3 && __real_readdir(d))
        n++;
    if (d)
        closedir(d);
    return n == 2;
}

/* The folder stays, without a name, until its own folder is synced. */
static int remove_folder(const struct co4__disk_place *p)
{
    struct co4__disk_parts parts;
    char as[CO4__DISK_PATH + 24];
    if (is_elsewhere(p) || !is_empty(p->real))
        return __real_unlinkat(AT_FDCWD, p->real, AT_REMOVEDIR);
    if (co4__disk_split(&parts, p) != 0)
        return -1;
    bool dies = co4__disk_call();
    snprintf(as, sizeof as, "%s/%llu", co4__disk->unlinked, (unsigned long long)parts.ino);
    int n = __real_renameat(AT_FDCWD, p->real, AT_FDCWD, as);
    if (n == 0)
        co4__disk_note_rmdir(parts.folder, parts.name, parts.ino);
    end_call(dies);
    return n;
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    struct co4__disk_place p;
    const struct co4__net_path *file = co4__socket_file(folder, path);
    if (file)
        return flags & AT_REMOVEDIR ? co4__errno_fails(ENOTDIR) : co4__socket_file_remove(file);
    if (flags & AT_REMOVEDIR && co4__socket_files_in(folder, path))
        return co4__errno_fails(ENOTEMPTY);
    if (!co4__disk)
        return __real_unlinkat(folder, path, flags);
    if (co4__disk_find_to(&p, folder, path, false) != 0)
        return -1;
    return flags & AT_REMOVEDIR ? remove_folder(&p) : remove_file(&p);
}

int __wrap_unlink(const char *path)
{
    const struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_remove(file);
    return co4__disk ? __wrap_unlinkat(AT_FDCWD, path, 0) : __real_unlink(path);
}

int __wrap_rmdir(const char *path)
{
    if (co4__socket_files_in(AT_FDCWD, path))
        return co4__errno_fails(ENOTEMPTY);
    return co4__disk ? __wrap_unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : __real_rmdir(path);
}

int __wrap_remove(const char *path)
{
    const struct co4__net_path *file = co4__socket_file(AT_FDCWD, path);
    if (file)
        return co4__socket_file_remove(file);
    if (co4__socket_files_in(AT_FDCWD, path))
        return co4__errno_fails(ENOTEMPTY);
    if (!co4__disk)
        return __real_remove(path);
    int n = __wrap_unlinkat(AT_FDCWD, path, 0);
    return n != 0 && errno == EISDIR ? __wrap_unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : n;
}

/* ---- a name is moved ---- */

CO4__WRAPS(rename, (const char *old, const char *name));
int __wrap_renameat(int from, const char *old, int to, const char *name);
CO4__WRAPS(renameat2, (int from, const char *old, int to, const char *name, unsigned flags));

static int rename_here(const struct co4__disk_place *p, const struct co4__disk_place *q,
                       unsigned flags)
{
    struct co4__disk_parts from, to;
    if (co4__disk_split(&from, p) != 0 || co4__disk_split(&to, q) != 0)
        return -1;
    bool dies = co4__disk_call(), replaces = to.ino && to.ino != from.ino && flags == 0;
    if (replaces)
        co4__disk_keep(AT_FDCWD, q->real, to.ino);
    int n = __real_renameat2(AT_FDCWD, p->real, AT_FDCWD, q->real, flags);
    if (n != 0 && replaces)
        co4__disk_keep_undo(to.ino);
    if (n == 0 && from.ino != to.ino) {
        if (flags & RENAME_EXCHANGE)
            co4__disk_note_exchange(from.folder, from.name, from.ino, to.folder, to.name, to.ino);
        else
            co4__disk_note_rename(from.folder, from.name, from.ino, to.folder, to.name, to.ino);
    }
    end_call(dies);
    return n;
}

static int rename_at(int from, const char *old, int to, const char *name, unsigned flags)
{
    struct co4__disk_place p, q;
    if (co4__disk_find_to(&p, from, old, false) != 0 || co4__disk_find_to(&q, to, name, false) != 0)
        return -1;
    if (p.zone != q.zone) {
        errno = EXDEV;
        return -1;
    }
    if (is_elsewhere(&p))
        return __real_renameat2(AT_FDCWD, p.real, AT_FDCWD, q.real, flags);
    return rename_here(&p, &q, flags);
}

int __wrap_renameat2(int from, const char *old, int to, const char *name, unsigned flags)
{
    int n = co4__socket_file_rename(from, old, to, name, flags);
    if (n <= 0)
        return n;
    return co4__disk ? rename_at(from, old, to, name, flags)
                     : __real_renameat2(from, old, to, name, flags);
}

int __wrap_renameat(int from, const char *old, int to, const char *name)
{
    int n = co4__socket_file_rename(from, old, to, name, 0);
    if (n <= 0)
        return n;
    return co4__disk ? rename_at(from, old, to, name, 0) : __real_renameat(from, old, to, name);
}

int __wrap_rename(const char *old, const char *name)
{
    int n = co4__socket_file_rename(AT_FDCWD, old, AT_FDCWD, name, 0);
    if (n <= 0)
        return n;
    return co4__disk ? rename_at(AT_FDCWD, old, AT_FDCWD, name, 0) : __real_rename(old, name);
}
