/* beside.c - more of what a program of --auto=test does that is not simulated, and says so: other
 * programs and networks; and names of files that a simulated disk does not know.
 *
 * glob() reads folders by functions that its caller may choose: so it sees what the program does.
 * Others that walk over names have no such place. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/notice.h"
#include "simulation/run.h"

/* ---- programs ---- */

typedef char *const *strings;

/* Puts the arguments of a call behind the first one. Returns how many; MOST: too many. */
enum { MOST = 4096 };
static size_t take_arguments(const char *first, va_list more, char *arguments[MOST])
{
    size_t n = 0;
    union {
        const char *as_is;
        char *argument;
    } next = { first };
    for (; n < MOST && (arguments[n] = next.argument) != NULL; n++)
        next.argument = va_arg(more, char *);
    return n;
}

int __wrap_execl(const char *path, const char *first, ...);
int __wrap_execl(const char *path, const char *first, ...)
{
    char *arguments[MOST];
    va_list more;
    va_start(more, first);
    size_t n = take_arguments(first, more, arguments);
    va_end(more);
    if (n < MOST)
        return execv(path, arguments);
    errno = E2BIG;
    return -1;
}

int __wrap_execlp(const char *file, const char *first, ...);
int __wrap_execlp(const char *file, const char *first, ...)
{
    char *arguments[MOST];
    va_list more;
    va_start(more, first);
    size_t n = take_arguments(first, more, arguments);
    va_end(more);
    if (n < MOST)
        return execvp(file, arguments);
    errno = E2BIG;
    return -1;
}

int __wrap_execle(const char *path, const char *first, ...);
int __wrap_execle(const char *path, const char *first, ...)
{
    char *arguments[MOST];
    va_list more;
    va_start(more, first);
    size_t n = take_arguments(first, more, arguments);
    strings environment = va_arg(more, strings);
    va_end(more);
    if (n < MOST)
        return execve(path, arguments, environment);
    errno = E2BIG;
    return -1;
}

CO4__INSTEAD(int, execveat, (int folder, const char *path, strings args, strings env, int flags))
{
    return CO4__NOTED(execveat)(folder, path, args, env, flags);
}

CO4__INSTEAD(int, fexecve, (int fd, strings args, strings env))
{
    return CO4__NOTED(fexecve)(fd, args, env);
}

CO4__INSTEAD(int, daemon, (int keeps_folder, int keeps_streams))
{
    return CO4__NOTED(daemon)(keeps_folder, keeps_streams);
}

/* ---- networks ---- */

CO4__INSTEAD(int, getifaddrs, (struct ifaddrs * *list))
{
    return CO4__NOTED(getifaddrs)(list);
}

CO4__INSTEAD(struct if_nameindex *, if_nameindex, (void))
{
    return CO4__NOTED(if_nameindex)();
}

CO4__INSTEAD(int, getaddrinfo_a,
             (int mode, struct gaicb *list[], int count, struct sigevent *event))
{
    return CO4__NOTED(getaddrinfo_a)(mode, list, count, event);
}

/* ---- names of files, with a simulated disk ---- */

#define BESIDE(name)                                                                               \
    ((co4__disk ? co4__not_simulated(#name, "its names are the system's, not the disk's",          \
                                     __builtin_return_address(0))                                  \
                : (void)0),                                                                        \
     __real_##name)

typedef int visit(const char *path, const struct stat *s, int kind);
typedef int visit_at(const char *path, const struct stat *s, int kind, struct FTW *at);

CO4__INSTEAD(int, ftw, (const char *path, visit *each, int most))
{
    return BESIDE(ftw)(path, each, most);
}

CO4__INSTEAD(int, nftw, (const char *path, visit_at *each, int most, int flags))
{
    return BESIDE(nftw)(path, each, most, flags);
}

static int by_fts_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

CO4__INSTEAD(FTS *, fts_open,
             (strings paths, int flags, int (*order)(const FTSENT **, const FTSENT **)))
{
    if (!order && co4__program_is_simulated())
        order = by_fts_name; /* no order would be the system's */
    return BESIDE(fts_open)(paths, flags, order);
}

CO4__INSTEAD(int, mknod, (const char *path, mode_t mode, dev_t device))
{
    return BESIDE(mknod)(path, mode, device);
}

CO4__INSTEAD(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t bytes))
{
    return BESIDE(getxattr)(path, name, value, bytes);
}

CO4__INSTEAD(int, setxattr,
             (const char *path, const char *name, const void *value, size_t bytes, int flags))
{
    return BESIDE(setxattr)(path, name, value, bytes, flags);
}

CO4__INSTEAD(int, lutimes, (const char *path, const struct timeval times[2]))
{
    return BESIDE(lutimes)(path, times);
}

CO4__INSTEAD(int, chroot, (const char *path))
{
    return BESIDE(chroot)(path);
}

int __wrap_ftw64(const char *path, visit *each, int most) CO4__SAME(__wrap_ftw);
int __wrap_nftw64(const char *path, visit_at *each, int most, int flags) CO4__SAME(__wrap_nftw);

int __wrap_eaccess(const char *path, int mode);
int __wrap_eaccess(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

int __wrap_euidaccess(const char *path, int mode) CO4__SAME(__wrap_eaccess);

char *__wrap_canonicalize_file_name(const char *path);
char *__wrap_canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

/* ---- glob() ---- */

static void *open_folder(const char *path)
{
    return opendir(path);
}

static struct dirent *read_folder(void *folder)
{
    return readdir(folder);
}

static void close_folder(void *folder)
{
    closedir(folder);
}

static int look(const char *path, struct stat *s)
{
    return stat(path, s);
}

static int look_at_link(const char *path, struct stat *s)
{
    return lstat(path, s);
}

CO4__INSTEAD(int, glob,
             (const char *pattern, int flags, int (*fails)(const char *path, int err),
              glob_t *found))
{
    if (!co4__program_is_simulated() || (flags & GLOB_ALTDIRFUNC))
        return __real_glob(pattern, flags, fails, found);
    found->gl_opendir = open_folder;
    found->gl_readdir = read_folder;
    found->gl_closedir = close_folder;
    found->gl_stat = look;
    found->gl_lstat = look_at_link;
    return __real_glob(pattern, flags | GLOB_ALTDIRFUNC, fails, found);
}

int __wrap_glob64(const char *pattern, int flags, int (*fails)(const char *path, int err),
                  glob_t *found) CO4__SAME(__wrap_glob);
