/* socket_files.c - calls about the files of simulated Unix sockets (io/sim_names.c).
 *
 * They are not those of the system or of the simulated disk, which would keep them from one run to
 * the next. Links to them, and lists of folders, do not know them. */
#define _GNU_SOURCE
#include "simulation/socket_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/attempt.h"
#include "posix/wraps.h"
#include "simulation/clocks.h"
#include "simulation/disk.h"
#include "simulation/run.h"

/* Whether the process has such files at all. */
static struct co4__network *network(void)
{
    struct co4__network *n = co4__program_is_simulated() ? co4__network_here() : NULL;
    return n && co4__network_host(n)->paths ? n : NULL;
}

static bool whole_name(char *out, int folder, const char *path)
{
    char of[CO4__NET_PATH] = "", link[40];
    int was = errno;
    if (path[0] != '/' && folder == AT_FDCWD) {
        if (!getcwd(of, sizeof of))
            of[0] = '\0';
    } else if (path[0] != '/') {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t n = __real_readlinkat(AT_FDCWD, link, of, sizeof of - 1);
        of[n > 0 ? n : 0] = '\0';
        if (co4__disk)
            co4__disk_strip(of);
    }
    errno = was;
    return (path[0] == '/' || of[0] == '/') && co4__name_whole(out, of, path);
}

/* The file must not be there, its folder must. */
static int refuses_file(const char *name)
{
    char folder[CO4__NET_PATH];
    struct stat s;
    if (lstat(name, &s) == 0)
        return EADDRINUSE;
    memcpy(folder, name, strlen(name) + 1);
    *strrchr(folder, '/') = '\0';
    if (folder[0] && stat(folder, &s) != 0)
        return errno;
    return !folder[0] || S_ISDIR(s.st_mode) ? 0 : ENOTDIR;
}

void co4__socket_files_begin(void)
{
    co4__files_refuse = refuses_file;
}

struct co4__net_path *co4__socket_file(int folder, const char *path)
{
    const struct co4__network *n = path ? network() : NULL;
    char name[CO4__NET_PATH];
    return n && whole_name(name, folder, path) ? co4__name_find(n, name) : NULL;
}

int co4__socket_file_stat(const struct co4__net_path *p, struct stat *s)
{
    int64_t at = p->made + co4__simulated_begin_of(CLOCK_REALTIME);
    memset(s, 0, sizeof *s);
    s->st_dev = CO4__DISK_DEVICE;
    s->st_ino = (ino_t)(UINT32_MAX - p->number);
    s->st_mode = S_IFSOCK | p->mode;
    s->st_nlink = 1;
    s->st_uid = p->user;
    s->st_gid = p->group;
    s->st_blksize = 4096;
    s->st_atim.tv_sec = (time_t)(at / CO4_SEC);
    s->st_atim.tv_nsec = (long)(at % CO4_SEC);
    s->st_mtim = s->st_ctim = s->st_atim;
    return 0;
}

int co4__socket_file_access(const struct co4__net_path *p, int mode)
{
    unsigned shift = geteuid() == p->user ? 6 : getegid() == p->group ? 3 : 0;
    unsigned allowed = p->mode >> shift & 7;
    if (geteuid() == 0)
        allowed = R_OK | W_OK | (p->mode & 0111 ? X_OK : 0);
    return (unsigned)mode & ~allowed & 7 ? co4__errno_fails(EACCES) : 0;
}

static bool is_owner(const struct co4__net_path *p)
{
    return geteuid() == 0 || geteuid() == p->user;
}

int co4__socket_file_chmod(struct co4__net_path *p, mode_t mode)
{
    if (!is_owner(p))
        return co4__errno_fails(EPERM);
    p->mode = mode & 07777;
    return 0;
}

int co4__socket_file_chown(struct co4__net_path *p, uid_t user, gid_t group)
{
    bool changes = (user != (uid_t)-1 && user != p->user) ||
                   (group != (gid_t)-1 && group != p->group);
    if (changes && geteuid() != 0)
        return co4__errno_fails(EPERM);
    p->user = user == (uid_t)-1 ? p->user : user;
    p->group = group == (gid_t)-1 ? p->group : group;
    return 0;
}

int co4__socket_file_remove(const struct co4__net_path *p)
{
    co4__name_remove(co4__network_here(), p);
    return 0;
}

/* Another file that has the new name goes. */
static int move(struct co4__net_path *p, int to, const char *name)
{
    char whole[CO4__NET_PATH];
    struct stat s;
    if (!whole_name(whole, to, name))
        return co4__errno_fails(ENAMETOOLONG);
    if (fstatat(to, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
        (S_ISDIR(s.st_mode) ? co4__errno_fails(EISDIR) : unlinkat(to, name, 0)) != 0)
        return -1;
    memcpy(p->name, whole, strlen(whole) + 1);
    return 0;
}

int co4__socket_file_rename(int from, const char *old, int to, const char *name, unsigned flags,
                            bool *done)
{
    struct co4__net_path *p = co4__socket_file(from, old), *q = co4__socket_file(to, name);
    *done = p || (q && flags != 0);
    if (*done && flags != 0)
        return co4__errno_fails(flags == RENAME_NOREPLACE && q ? EEXIST : EINVAL);
    if (p && p != q)
        return move(p, to, name);
    if (!p && q) {
        struct stat s;
        if (fstatat(from, old, &s, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(s.st_mode))
            co4__socket_file_remove(q);
    }
    return 0;
}
