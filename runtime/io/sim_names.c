/* sim_names.c - files of Unix sockets in the simulated network.
 *
 * Purpose: a socket that is bound to a name makes a file, which others find it by. The file is none
 * of the system, so runs beside each other do not meet; simulation/socket_files.c shows it to calls
 * about files. It stays when the socket is closed: then nothing can be bound to the name until it
 * is removed. Each machine has its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/network.h"
#include "io/sim_address.h"

int (*co4__files_refuse)(const char *name);

bool co4__address_is_path(const struct co4__net_address *a)
{
    return co4__family_of(a) == AF_UNIX &&
           ((const struct sockaddr_un *)(const void *)&a->storage)->sun_path[0] != '\0';
}

/* Puts `part` behind `out`, without steps up or on the spot. */
static bool put_part(char *out, const char *part, size_t bytes)
{
    size_t n = strlen(out);
    if (bytes == 0 || (bytes == 1 && part[0] == '.'))
        return true;
    if (bytes == 2 && memcmp(part, "..", 2) == 0) {
        char *slash = strrchr(out, '/');
        if (slash)
            *slash = '\0';
        return true;
    }
    if (n + bytes + 2 > CO4__NET_PATH)
        return false;
    out[n] = '/';
    memcpy(out + n + 1, part, bytes);
    out[n + 1 + bytes] = '\0';
    return true;
}

static bool put_parts(char *out, const char *path)
{
    bool fits = true;
    for (size_t bytes; fits && *path; path += bytes + (path[bytes] != '\0')) {
        bytes = strcspn(path, "/");
        fits = put_part(out, path, bytes);
    }
    return fits;
}

bool co4__name_whole(char *out, const char *folder, const char *path)
{
    out[0] = '\0';
    return (path[0] == '/' || put_parts(out, folder)) && put_parts(out, path);
}

/* The name need not end with a zero. False: it is too long. */
static bool file_name(char *out, const struct co4__net_address *a)
{
    const struct sockaddr_un *from = (const void *)&a->storage;
    char path[sizeof a->storage + 1], folder[CO4__NET_PATH] = "";
    size_t bytes = a->bytes - offsetof(struct sockaddr_un, sun_path);
    memcpy(path, from->sun_path, bytes);
    path[bytes] = '\0';
    return (path[0] == '/' || getcwd(folder, sizeof folder)) && co4__name_whole(out, folder, path);
}

static struct co4__net_path *file_at(const struct co4__network *n, unsigned host, const char *name)
{
    struct co4__net_path *p = n->common->hosts[host].paths;
    while (p && strcmp(p->name, name) != 0)
        p = p->next;
    return p;
}

struct co4__net_path *co4__name_find(const struct co4__network *n, const char *name)
{
    return file_at(n, n->host, name);
}

uint64_t co4__name_number(const struct co4__network *n, unsigned host,
                          const struct co4__net_address *a)
{
    char name[CO4__NET_PATH];
    const struct co4__net_path *p = file_name(name, a) ? file_at(n, host, name) : NULL;
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
                                      const char *name, int64_t now)
{
    struct co4__net_path *p = co4__network_alloc(n, sizeof *p);
    if (!p)
        return NULL;
    mode_t hidden = umask(0);
    umask(hidden);
    *p = (struct co4__net_path){
        .next = h->paths, .made = now, .mode = 0777 & ~hidden, .user = geteuid(), .group = getegid()
    };
    memcpy(p->name, name, strlen(name) + 1);
    return h->paths = p;
}

/* A file that no call can remove is not in the way. */
int co4__name_make(struct co4__network *n, struct co4__sim_socket *s,
                   const struct co4__net_address *a, int64_t now)
{
    struct co4__net_host *h = &n->common->hosts[s->host];
    char name[CO4__NET_PATH] = "";
    if (!file_name(name, a) || !name[0])
        return name[0] ? ENAMETOOLONG : EADDRINUSE;
    struct co4__net_path *p = file_at(n, s->host, name);
    int failed = p && (co4__files_refuse || has_socket(n, s->host, p)) ? EADDRINUSE
                 : !p && co4__files_refuse                             ? co4__files_refuse(name)
                                                                       : 0;
    if (failed)
        return failed;
    if (!p && !(p = new_file(n, h, name, now)))
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
    char name[CO4__NET_PATH];
    if (!co4__address_is_path(a))
        return ECONNREFUSED;
    if (!file_name(name, a))
        return ENAMETOOLONG;
    bool is_there = file_at(n, s->host, name) ||
                    (co4__files_refuse && co4__files_refuse(name) == EADDRINUSE);
    return is_there ? ECONNREFUSED : ENOENT;
}
