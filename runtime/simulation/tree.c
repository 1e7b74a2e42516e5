/* tree.c - trees of files of the simulated disk: made, copied, removed, walked. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simulation/disk.h"

#define BLOCK 65536

/* Names that readdir() gives beside the others. */
static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static DIR *open_tree(int folder, const char *name)
{
    int fd = __real_openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !d)
        __real_close(fd);
    return d;
}

int co4__disk_make_folders(const char *real)
{
    char path[CO4__DISK_PATH];
    size_t n = strlen(real);
    if (n >= sizeof path)
        return ENAMETOOLONG;
    for (size_t i = 1; i <= n; i++)
        if (real[i] == '/' || real[i] == '\0') {
            memcpy(path, real, i);
            path[i] = '\0';
            if (__real_mkdirat(AT_FDCWD, path, 0777) != 0 && errno != EEXIST)
                return errno;
        }
    return 0;
}

void co4__disk_remove_tree(int folder, const char *name)
{
    if (__real_unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    DIR *d = open_tree(folder, name);
    for (struct dirent *e; d && (e = __real_readdir(d)) != NULL;)
        if (!is_dot(e->d_name))
            co4__disk_remove_tree(dirfd(d), e->d_name);
    if (d)
        closedir(d);
    __real_unlinkat(folder, name, AT_REMOVEDIR);
}

void co4__disk_walk(const char *root, co4__disk_visit *each, void *data)
{
    struct stat s;
    int folder = __real_open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = folder >= 0 ? fdopendir(folder) : NULL;
    if (d && __real_fstat(folder, &s) == 0)
        each(data, folder, root, ".", &s);
    for (struct dirent *e; d && (e = __real_readdir(d)) != NULL;) {
        char path[CO4__DISK_PATH];
        if (is_dot(e->d_name) || __real_fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(s.st_mode))
            each(data, folder, root, e->d_name, &s);
        else if (S_ISDIR(s.st_mode) &&
                 (size_t)snprintf(path, sizeof path, "%s/%s", root, e->d_name) < sizeof path)
            co4__disk_walk(path, each, data);
    }
    if (d)
        closedir(d);
}

/* ---- copies ---- */

static int copy_bytes(int from, int to)
{
    static char block[BLOCK];
    for (off_t at = 0;;) {
        ssize_t n = __real_pread(from, block, sizeof block, at);
        if (n == 0)
            return 0;
        if (n < 0 || __real_pwrite(to, block, (size_t)n, at) != n)
            return n < 0 ? errno : ENOSPC;
        at += n;
    }
}

static int copy_file(int from, const char *name, int to, const char *as, mode_t mode)
{
    int in = __real_openat(from, name, O_RDONLY | O_CLOEXEC);
    int out = in >= 0
                  ? __real_openat(to, as, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode & 07777)
                  : -1;
    int err = out >= 0 ? copy_bytes(in, out) : errno;
    if (in >= 0)
        __real_close(in);
    if (out >= 0)
        __real_close(out);
    return err;
}

static int copy_link(int from, const char *name, int to, const char *as)
{
    char target[CO4__DISK_PATH];
    ssize_t n = __real_readlinkat(from, name, target, sizeof target - 1);
    if (n < 0)
        return errno;
    target[n] = '\0';
    return __real_symlinkat(target, to, as) == 0 ? 0 : errno;
}

static int copy_folder(int from, const char *name, int to, const char *as, mode_t mode)
{
    DIR *in = open_tree(from, name);
    int err = 0, out;
    if (!in)
        return errno;
    if (__real_mkdirat(to, as, (mode & 07777) | 0700) != 0 && errno != EEXIST)
        err = errno;
    out = __real_openat(to, as, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (struct dirent *e; err == 0 && out >= 0 && (e = __real_readdir(in)) != NULL;)
        if (!is_dot(e->d_name))
            err = co4__disk_copy_tree(dirfd(in), e->d_name, out, e->d_name);
    if (out >= 0)
        __real_close(out);
    closedir(in);
    return err;
}

/* Pipes and devices are left out. */
int co4__disk_copy_tree(int from, const char *name, int to, const char *as)
{
    struct stat s;
    if (__real_fstatat(from, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    if (S_ISDIR(s.st_mode))
        return copy_folder(from, name, to, as, s.st_mode);
    if (S_ISLNK(s.st_mode))
        return copy_link(from, name, to, as);
    return S_ISREG(s.st_mode) ? copy_file(from, name, to, as, s.st_mode) : 0;
}
