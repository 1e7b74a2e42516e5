/* socket_files.c - calls about the files of simulated Unix sockets (io/sim_names.c).
 *
 * They are not those of the system or of the simulated disk, which would keep them from one run to
 * the next. Links to them, and lists of folders, do not know them. */
#define _GNU_SOURCE
#include "simulation/socket_files.h"

#include <errno.h>
#include <fcntl.h>
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

void co4__socket_files_begin(void)
{
    co4__names_are_files = true;
}

struct co4__net_path *co4__socket_file(int folder, const char *path)
{
    static bool looks; /* for the folder, which is none */
    const struct co4__network *n = path && !looks ? network() : NULL;
    struct co4__net_place at;
    if (!n)
        return NULL;
    looks = true;
    int failed = co4__name_place(&at, folder, path);
    looks = false;
    return failed ? NULL : co4__name_find(n, &at);
}

bool co4__socket_files_in(int folder, const char *path)
{
    const struct co4__network *n = path ? network() : NULL;
    int was = errno;
    struct stat s;
    if (!n || fstatat(folder, path, &s, 0) != 0 || !S_ISDIR(s.st_mode)) {
        errno = was;
        return false;
    }
    const struct co4__net_path *p = co4__network_host(n)->paths;
    while (p && !(p->at.device == s.st_dev && p->at.folder == s.st_ino))
        p = p->next;
    return p != NULL;
}

bool co4__socket_file_exists(int folder, const char *path)
{
    if (!co4__socket_file(folder, path))
        return false;
    errno = EEXIST;
    return true;
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
    struct co4__net_place at;
    struct stat s;
    int failed = co4__name_place(&at, to, name), was = errno;
    if (failed)
        return co4__errno_fails(failed);
    if (fstatat(to, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
        (S_ISDIR(s.st_mode) ? co4__errno_fails(EISDIR) : unlinkat(to, name, 0)) != 0)
        return -1;
    errno = was;
    p->at = at;
    return 0;
}

int co4__socket_file_rename(int from, const char *old, int to, const char *name, unsigned flags)
{
    struct co4__net_path *p = co4__socket_file(from, old), *q = co4__socket_file(to, name);
    if (p || q) {
        struct stat s;
        if (flags != 0)
            return co4__errno_fails(flags == RENAME_NOREPLACE && q ? EEXIST : EINVAL);
        if (p)
            return p == q ? 0 : move(p, to, name);
        if (fstatat(from, old, &s, AT_SYMLINK_NOFOLLOW) != 0)
            return -1;
        if (S_ISDIR(s.st_mode))
            return co4__errno_fails(ENOTDIR);
        co4__socket_file_remove(q);
    }
    return 1;
}
