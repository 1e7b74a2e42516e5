/* sim_names.c - files of Unix sockets in the simulated network.
 *
 * Purpose: a socket that is bound to a name makes a file, which others find it by. The file is none
 * of the system, so runs beside each other do not meet; simulation/socket_files.c shows it to calls
 * about files. It stays when the socket is closed: then nothing can be bound to the name until it
 * is removed. Each machine has its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/network.h"
#include "io/sim_address.h"

bool co4__names_are_files;

bool co4__address_is_path(const struct co4__net_address *a)
{
    return co4__family_of(a) == AF_UNIX &&
           ((const struct sockaddr_un *)(const void *)&a->storage)->sun_path[0] != '\0';
}

int co4__name_place(struct co4__net_place *out, int folder, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char of[PATH_MAX] = ".";
    struct stat s;
    size_t bytes = slash ? (size_t)(slash - path) : 0;
    int was = errno, failed = 0;
    *out = (struct co4__net_place){ 0 };
    if (bytes >= sizeof of || strlen(name) >= sizeof out->name)
        return ENAMETOOLONG;
    if (slash)
        memcpy(of, bytes > 0 ? path : "/", bytes > 0 ? bytes : 1);
    of[slash ? (bytes > 0 ? bytes : 1) : 1] = '\0';
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        failed = ENOENT;
    else if (fstatat(folder, of, &s, 0) != 0)
        failed = errno;
    else if (!S_ISDIR(s.st_mode))
        failed = ENOTDIR;
    errno = was;
    if (failed) {
        size_t all = strlen(path);
        memcpy(out->name, path, all < sizeof out->name ? all : sizeof out->name - 1);
        return failed;
    }
    out->device = s.st_dev;
    out->folder = s.st_ino;
    memcpy(out->name, name, strlen(name) + 1);
    return 0;
}

/* The name need not end with a zero. */
static void take_path(char path[sizeof(struct sockaddr_storage) + 1],
                      const struct co4__net_address *a)
{
    const struct sockaddr_un *from = (const void *)&a->storage;
    size_t bytes = a->bytes - offsetof(struct sockaddr_un, sun_path);
    memcpy(path, from->sun_path, bytes);
    path[bytes] = '\0';
}

static bool is_at(const struct co4__net_path *p, const struct co4__net_place *at)
{
    return p->at.device == at->device && p->at.folder == at->folder &&
           strcmp(p->at.name, at->name) == 0;
}

static struct co4__net_path *file_at(const struct co4__network *n, unsigned host,
                                     const struct co4__net_place *at)
{
    struct co4__net_path *p = n->common->hosts[host].paths;
    while (p && !is_at(p, at))
        p = p->next;
    return p;
}

struct co4__net_path *co4__name_find(const struct co4__network *n, const struct co4__net_place *at)
{
    return file_at(n, n->host, at);
}

uint64_t co4__name_number(const struct co4__network *n, unsigned host,
                          const struct co4__net_address *a)
{
    char path[sizeof a->storage + 1];
    struct co4__net_place at;
    take_path(path, a);
    if (!n->common->hosts[host].paths)
        return 0;
    co4__name_place(&at, AT_FDCWD, path);
    const struct co4__net_path *p = file_at(n, host, &at);
    return p ? p->number : 0;
}

static bool has_socket(const struct co4__network *n, unsigned host, const struct co4__net_path *p)
{
    const struct co4__sim_socket *s = n->common->hosts[host].bound;
    while (s && s->file != p->number)
        s = s->next_bound;
    return s != NULL;
}

/* NULL: no memory. */
static struct co4__net_path *new_file(struct co4__network *n, struct co4__net_host *h,
                                      const struct co4__net_place *at, int64_t now)
{
    struct co4__net_path *p = co4__network_alloc(n, sizeof *p);
    if (!p)
        return NULL;
    mode_t hidden = umask(0);
    umask(hidden);
    *p = (struct co4__net_path){ .next = h->paths,
                                 .made = now,
                                 .mode = 0777 & ~hidden,
                                 .user = geteuid(),
                                 .group = getegid(),
                                 .at = *at };
    return h->paths = p;
}

/* A file that no call can remove is not in the way. */
int co4__name_make(struct co4__network *n, struct co4__sim_socket *s,
                   const struct co4__net_address *a, int64_t now)
{
    char path[sizeof a->storage + 1];
    struct co4__net_place at;
    struct stat other;
    take_path(path, a);
    int failed = co4__name_place(&at, AT_FDCWD, path), was = errno;
    if (co4__names_are_files && failed)
        return failed;
    struct co4__net_path *p = file_at(n, s->host, &at);
    bool is_there = co4__names_are_files ? p || lstat(path, &other) == 0
                                         : p && has_socket(n, s->host, p);
    errno = was;
    if (is_there)
        return EADDRINUSE;
    if (!p && !(p = new_file(n, &n->common->hosts[s->host], &at, now)))
        return ENOMEM;
    s->file = p->number = ++n->common->files;
    return 0;
}

void co4__name_remove(struct co4__network *n, const struct co4__net_path *p)
{
    struct co4__net_path **at = &n->common->hosts[n->host].paths;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    co4__network_free((void *)(uintptr_t)p);
}

void co4__names_forget(struct co4__network *n, unsigned host, bool all)
{
    for (struct co4__net_path **at = &n->common->hosts[host].paths; *at;) {
        struct co4__net_path *p = *at;
        if (!all && co4__network_below(n, 2) == 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        co4__network_free(p);
    }
}

int co4__name_missing(const struct co4__network *n, const struct co4__sim_socket *s,
                      const struct co4__net_address *a)
{
    char path[sizeof a->storage + 1];
    struct co4__net_place at;
    struct stat other;
    if (!co4__address_is_path(a) || a->file)
        return ECONNREFUSED;
    take_path(path, a);
    int failed = co4__name_place(&at, AT_FDCWD, path), was = errno;
    bool is_there = file_at(n, s->host, &at) ||
                    (co4__names_are_files && !failed && stat(path, &other) == 0);
    errno = was;
    return is_there ? ECONNREFUSED : co4__names_are_files && failed ? failed : ENOENT;
}
