/* paths.c - what a name of the program is: on the simulated disk, or the system's.
 *
 * Purpose: the program sees one tree. `root` of the run's folder has it, but for names that reach
 * the system: those that `--mount` gives, those that libraries need (below, for reading), and the
 * program's own file. Names below /acknowledged are the run's, but no crash reaches them.
 *
 * Links are followed here, as their targets are names of the program. The process is in the folder
 * of `root` that the program is in: so relative names of libraries that are not wrapped get there.
 *
 * Rejected: namespaces of mounts (containers refuse them); openat2() with RESOLVE_IN_ROOT (a mount
 * would have to be in it). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulation/disk.h"
#include "simulation/identity.h"

#define LINKS  40
#define MOUNTS 32

char *__real_getcwd(char *path, size_t bytes);
char *__real_realpath(const char *path, char *to);

struct mount {
    char path[CO4__DISK_PATH];
    size_t bytes;
    enum co4__disk_zone zone;
};

static struct mount mounts[MOUNTS];
static size_t nmounts;

/* Ends with a slash: only what is below. */
static const char *const readable[] = {
    "/proc/",
    "/sys/",
    "/dev/",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ssl/",
    "/etc/ld.so.cache",
    "/usr/share/zoneinfo/",
    "/usr/share/locale/",
    "/usr/share/i18n/",
    "/usr/lib/",
    "/lib/",
    "/lib64/",
    "/usr/lib64/",
};

static const char kept[] = "/acknowledged";

static bool is_below(const char *name, const char *folder, size_t bytes)
{
    return strncmp(name, folder, bytes) == 0 && (name[bytes] == '\0' || name[bytes] == '/');
}

static bool is_readable(const char *name)
{
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        size_t n = strlen(readable[i]);
        if (readable[i][n - 1] == '/' ? is_below(name, readable[i], n - 1)
                                      : strcmp(name, readable[i]) == 0)
            return true;
    }
    return strcmp(name, co4__disk->exe) == 0;
}

/* Of mounts the one with the longest path counts: so one may be within another. */
static enum co4__disk_zone zone_of(const char *name)
{
    const struct mount *best = NULL;
    for (size_t i = 0; i < nmounts; i++)
        if (is_below(name, mounts[i].path, mounts[i].bytes) &&
            (!best || mounts[i].bytes > best->bytes))
            best = &mounts[i];
    if (best)
        return best->zone;
    if (is_below(name, kept, sizeof kept - 1))
        return CO4__DISK_KEPT;
    if (is_below(name, "/dev/shm", 8))
        return CO4__DISK_PRIVATE;
    if (strncmp(name, "/dev/", 5) == 0) /* devices are no part of the disk */
        return CO4__DISK_SYSTEM;
    return is_readable(name) ? CO4__DISK_READ : CO4__DISK_PRIVATE;
}

/* ---- names ---- */

void co4__disk_strip(char *path)
{
    size_t n = co4__disk->root_bytes, base = strlen(co4__disk->base);
    if (is_below(path, co4__disk->root, n)) {
        if (path[n] == '\0')
            memcpy(path, "/", 2);
        else
            memmove(path, path + n, strlen(path + n) + 1);
    } else if (is_below(path, co4__disk->base, base) &&
               is_below(path + base, kept, sizeof kept - 1)) {
        memmove(path, path + base, strlen(path + base) + 1);
    }
}

static int set_real(struct co4__disk_place *p)
{
    const char *before = p->zone == CO4__DISK_PRIVATE ? co4__disk->root
                         : p->zone == CO4__DISK_KEPT  ? co4__disk->base
                                                      : "";
    int n = snprintf(p->real, sizeof p->real, "%s%s", before, p->name[0] ? p->name : "/");
    if (n >= (int)sizeof p->real) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

/* The name of a folder that is open. */
static int name_of_folder(int folder, char *name)
{
    char link[40];
    ssize_t n;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    n = __real_readlinkat(AT_FDCWD, link, name, CO4__DISK_PATH - 1);
    if (n < 0 || name[0] != '/') {
        errno = n < 0 ? EBADF : ENOTDIR;
        return -1;
    }
    name[n] = '\0';
    co4__disk_strip(name);
    return 0;
}

static int begin_name(char *name, int folder, const char *path)
{
    name[0] = '\0';
    if (path[0] == '/')
        return 0;
    if (folder != AT_FDCWD && name_of_folder(folder, name) != 0)
        return -1;
    if (folder == AT_FDCWD)
        memcpy(name, co4__disk->cwd, strlen(co4__disk->cwd) + 1);
    if (strcmp(name, "/") == 0)
        name[0] = '\0';
    return 0;
}

static void go_up(char *name)
{
    char *slash = strrchr(name, '/');
    if (slash)
        *slash = '\0';
}

/* What is left to walk. */
struct walk {
    char rest[2 * CO4__DISK_PATH];
    int links;
    bool follow;
};

static int fails(int err)
{
    errno = err;
    return -1;
}

/* The name of `p` is a link: its target comes before the rest. */
static int follow_link(struct co4__disk_place *p, struct walk *w)
{
    char target[CO4__DISK_PATH], rest[sizeof w->rest];
    ssize_t n = __real_readlinkat(AT_FDCWD, p->real, target, sizeof target - 1);
    if (n <= 0)
        return fails(n < 0 ? errno : ENOENT);
    target[n] = '\0';
    if (++w->links > LINKS)
        return fails(ELOOP);
    memcpy(rest, w->rest, strlen(w->rest) + 1);
    if ((size_t)snprintf(w->rest, sizeof w->rest, "%s%s%s", target, rest[0] ? "/" : "", rest) >=
        sizeof w->rest)
        return fails(ENAMETOOLONG);
    go_up(p->name);
    if (target[0] == '/')
        p->name[0] = '\0';
    return 0;
}

static int look(struct co4__disk_place *p, struct walk *w)
{
    struct stat s;
    bool is_last = w->rest[strspn(w->rest, "/")] == '\0';
    p->zone = zone_of(p->name);
    if (p->zone != CO4__DISK_PRIVATE && p->zone != CO4__DISK_KEPT)
        return 0;
    if (set_real(p) != 0)
        return -1;
    if (__real_fstatat(AT_FDCWD, p->real, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return is_last && errno == ENOENT ? 0 : -1;
    if (S_ISLNK(s.st_mode))
        return is_last && !w->follow && w->rest[0] == '\0' ? 0 : follow_link(p, w);
    return !is_last && !S_ISDIR(s.st_mode) ? fails(ENOTDIR) : 0;
}

static int walk_on(struct co4__disk_place *p, struct walk *w)
{
    char *part = w->rest + strspn(w->rest, "/");
    size_t bytes = strcspn(part, "/"), n = strlen(p->name);
    char rest[sizeof w->rest];
    bool is_name = !(bytes == 1 && part[0] == '.') && !(bytes == 2 && memcmp(part, "..", 2) == 0);
    if (bytes > NAME_MAX || n + bytes + 2 > sizeof p->name)
        return fails(ENAMETOOLONG);
    memcpy(rest, part + bytes, strlen(part + bytes) + 1);
    if (is_name && bytes > 0) {
        p->name[n] = '/';
        memcpy(p->name + n + 1, part, bytes);
        p->name[n + 1 + bytes] = '\0';
    } else if (bytes == 2) {
        go_up(p->name);
    }
    memcpy(w->rest, rest, strlen(rest) + 1);
    return is_name && bytes > 0 ? look(p, w) : 0;
}

int co4__disk_find(struct co4__disk_place *p, int folder, const char *path, bool follow)
{
    struct walk w = { .follow = follow };
    path = CO4__SYSTEM_PATH(path);
    size_t n = path ? strlen(path) : 0;
    if (!path)
        return fails(EFAULT);
    if (n == 0)
        return fails(ENOENT);
    if (n >= CO4__DISK_PATH)
        return fails(ENAMETOOLONG);
    if (begin_name(p->name, folder, path) != 0)
        return -1;
    memcpy(w.rest, path, n + 1);
    while (w.rest[0] != '\0')
        if (walk_on(p, &w) != 0)
            return -1;
    p->zone = zone_of(p->name);
    if (set_real(p) != 0)
        return -1;
    n = strlen(p->real);
    if (path[strlen(path) - 1] == '/' && n + 1 < sizeof p->real && p->real[n - 1] != '/')
        memcpy(p->real + n, "/", 2); /* the system says whether it is a folder */
    if (p->name[0] == '\0')
        memcpy(p->name, "/", 2);
    return 0;
}

/* ---- the beginning ---- */

static const char *add_mount(char *line)
{
    char *colon = strrchr(line, ':');
    struct mount *m = &mounts[nmounts];
    m->zone = CO4__DISK_READ;
    if (colon && (strcmp(colon, ":rw") == 0 || strcmp(colon, ":ro") == 0)) {
        m->zone = colon[2] == 'w' ? CO4__DISK_SYSTEM : CO4__DISK_READ;
        *colon = '\0';
    }
    if (nmounts == MOUNTS)
        return "CO4_TEST_MOUNT: too many folders";
    if (!__real_realpath(line, m->path))
        return "CO4_TEST_MOUNT: no such folder";
    m->bytes = strcmp(m->path, "/") == 0 ? 0 : strlen(m->path);
    nmounts++;
    return NULL;
}

static const char *read_mounts(void)
{
    const char *text = getenv("CO4_TEST_MOUNT"), *wrong = NULL;
    char *copy = text ? strdup(text) : NULL, *rest = copy;
    if (text && !copy)
        return "out of memory";
    for (char *line; !wrong && rest && (line = strsep(&rest, "\n")) != NULL;)
        if (*line)
            wrong = add_mount(line);
    free(copy);
    return wrong;
}

/* A folder that programs expect to be there, though it is empty. */
static const char *make_name(const char *name)
{
    char real[2 * CO4__DISK_PATH];
    if (name && name[0] == '/') {
        snprintf(real, sizeof real, "%s%s", co4__disk->root, name);
        if (co4__disk_make_folders(real) != 0)
            return "CO4_TEST_DISK: a folder cannot be made";
    }
    return NULL;
}

const char *co4__disk_begin_paths(void)
{
    static const char *const usual[] = { "/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/share" };
    const char *wrong = read_mounts();
    ssize_t n = __real_readlinkat(AT_FDCWD, "/proc/self/exe", co4__disk->exe, CO4__DISK_PATH - 1);
    co4__disk->exe[n > 0 ? n : 0] = '\0';
    if (!__real_getcwd(co4__disk->cwd, CO4__DISK_PATH))
        return "the current folder has no name";
    if (co4__disk->life == 1) {
        for (size_t i = 0; !wrong && i < sizeof usual / sizeof *usual; i++)
            wrong = make_name(usual[i]);
        for (size_t i = 0; !wrong && i < nmounts; i++)
            wrong = make_name(mounts[i].path);
        wrong = wrong ? wrong : make_name(co4__disk->cwd);
        wrong = wrong ? wrong : make_name(getenv("HOME"));
        wrong = wrong ? wrong : make_name(getenv("TMPDIR"));
    }
    return wrong;
}
