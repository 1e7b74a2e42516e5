/* folders.c - the entries of folders in a program of --auto=test, with a simulated disk or without:
 * in an order that the seed decides.
 *
 * The system's order is that of a table of its own, and another one on another machine. So the
 * first read of a folder takes all entries, sorts them by name, and mixes them: POSIX promises no
 * order, and a program that needs one fails with some seeds. What is made or removed later, POSIX
 * may show or not; this shows the folder as it was. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/table.h"
#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/run.h"

typedef int takes_entry(const struct dirent *entry);
typedef int order_of_entries(const struct dirent **a, const struct dirent **b);

struct dirent *__wrap_readdir(DIR *d);
CO4__WRAPS(readdir_r, (DIR * d, struct dirent *to, struct dirent **result));
CO4__WRAPS(closedir, (DIR * d));
CO4__WRAPS(scandir,
           (const char *path, struct dirent ***list, takes_entry *takes, order_of_entries *order));
void __wrap_rewinddir(DIR *d);
void __real_rewinddir(DIR *d);
void __wrap_seekdir(DIR *d, long to);
void __real_seekdir(DIR *d, long to);
long __wrap_telldir(DIR *d);
long __real_telldir(DIR *d);

/* What a folder has had at its first read. */
struct listing {
    struct co4__table_node node; /* by the address of its DIR */
    struct dirent **entries;
    size_t count, at;
    size_t numbered; /* so many have the disk's numbers of inodes */
    int err;         /* comes after them */
};

static struct co4__table listings;

static struct listing *find_listing(const DIR *d)
{
    return (struct listing *)(void *)co4__table_find(&listings, (uintptr_t)d);
}

static void forget_listing(const DIR *d)
{
    struct listing *l = find_listing(d);
    if (!l)
        return;
    co4__table_remove(&listings, &l->node);
    for (size_t i = 0; i < l->count; i++)
        co4__free(l->entries[i]);
    co4__heap_free(l->entries);
    co4__free(l);
}

static int by_entry_name(const void *a, const void *b)
{
    return strcmp((*(const struct dirent *const *)a)->d_name,
                  (*(const struct dirent *const *)b)->d_name);
}

static void mix_entries(struct listing *l)
{
    if (l->count > 1)
        qsort(l->entries, l->count, sizeof(struct dirent *), by_entry_name);
    for (size_t i = l->count; i > 1; i--) {
        size_t k = co4__simulated_random() % i;
        struct dirent *e = l->entries[i - 1];
        l->entries[i - 1] = l->entries[k];
        l->entries[k] = e;
    }
}

static bool keep_entry(struct listing *l, const struct dirent *e)
{
    struct dirent **more = co4__array_grow(l->entries, l->count, sizeof *more);
    l->entries = more ? more : l->entries;
    struct dirent *copy = more ? co4__alloc(sizeof *copy) : NULL;
    if (!copy)
        return false;
    memcpy(copy, e, e->d_reclen < sizeof *copy ? e->d_reclen : sizeof *copy);
    l->entries[l->count++] = copy;
    return true;
}

/* NULL with `errno`: out of memory. */
static struct listing *listing_of(DIR *d)
{
    struct listing *l = find_listing(d);
    if (l)
        return l;
    l = co4__alloc(sizeof *l);
    if (!l) {
        errno = ENOMEM;
        return NULL;
    }
    co4__table_add_growing(&listings, &l->node, (uintptr_t)d);
    errno = 0;
    for (struct dirent *e; l->err == 0 && (e = __real_readdir(d)) != NULL; errno = 0)
        l->err = keep_entry(l, e) ? 0 : ENOMEM;
    l->err = l->err == 0 ? errno : l->err;
    mix_entries(l);
    return l;
}

/* NULL: the end; with an error number in *err. */
static struct dirent *next_entry(DIR *d, int *err)
{
    int was = errno;
    struct listing *l = listing_of(d);
    *err = !l ? ENOMEM : l->at == l->count ? l->err : 0;
    errno = was;
    if (!l || l->at == l->count)
        return NULL;
    struct dirent *e = l->entries[l->at++];
    if (l->at > l->numbered) {
        co4__disk_number_entry(d, e);
        l->numbered = l->at;
    }
    e->d_off = (off_t)l->at;
    return e;
}

struct dirent *__wrap_readdir(DIR *d)
{
    int err;
    if (!co4__program_is_simulated())
        return __real_readdir(d);
    struct dirent *e = next_entry(d, &err);
    if (!e && err != 0)
        errno = err;
    return e;
}

struct dirent *__wrap_readdir64(DIR *d) CO4__SAME(__wrap_readdir);

int __wrap_readdir_r(DIR *d, struct dirent *to, struct dirent **result)
{
    int err;
    if (!co4__program_is_simulated())
        return __real_readdir_r(d, to, result);
    const struct dirent *e = next_entry(d, &err);
    if (e)
        memcpy(to, e, offsetof(struct dirent, d_name) + strlen(e->d_name) + 1);
    *result = e ? to : NULL;
    return err;
}

int __wrap_readdir64_r(DIR *d, struct dirent *to, struct dirent **result)
    CO4__SAME(__wrap_readdir_r);

int __wrap_closedir(DIR *d)
{
    forget_listing(d);
    return __real_closedir(d);
}

void __wrap_rewinddir(DIR *d)
{
    forget_listing(d);
    __real_rewinddir(d);
}

long __wrap_telldir(DIR *d)
{
    if (!co4__program_is_simulated())
        return __real_telldir(d);
    const struct listing *l = listing_of(d);
    return l ? (long)l->at : -1;
}

void __wrap_seekdir(DIR *d, long to)
{
    struct listing *l = co4__program_is_simulated() ? listing_of(d) : NULL;
    if (!l)
        __real_seekdir(d, to);
    else if (to >= 0 && (size_t)to <= l->count)
        l->at = (size_t)to;
}

/* ---- scandir() ---- */

struct scanned {
    struct dirent **entries; /* of malloc(), as the program frees them */
    size_t count;
};

static bool add_scanned(struct scanned *s, const struct dirent *e)
{
    struct dirent **more = co4__array_grow(s->entries, s->count, sizeof *more);
    s->entries = more ? more : s->entries;
    size_t bytes = offsetof(struct dirent, d_name) + strlen(e->d_name) + 1;
    struct dirent *copy = more ? malloc(bytes) : NULL;
    if (!copy)
        return false;
    memcpy(copy, e, bytes);
    s->entries[s->count++] = copy;
    return true;
}

static int scan(DIR *d, struct scanned *s, takes_entry *takes)
{
    int err = 0;
    for (struct dirent *e; err == 0 && (e = next_entry(d, &err)) != NULL;)
        if ((!takes || takes(e)) && !add_scanned(s, e))
            err = ENOMEM;
    while (err != 0 && s->count > 0)
        free(s->entries[--s->count]);
    if (err != 0)
        free(s->entries);
    return err;
}

int __wrap_scandir(const char *path, struct dirent ***list, takes_entry *takes,
                   order_of_entries *order)
{
    struct scanned s = { NULL, 0 };
    int was = errno;
    if (!co4__program_is_simulated())
        return __real_scandir(path, list, takes, order);
    DIR *d = opendir(path);
    if (!d)
        return -1;
    int err = scan(d, &s, takes);
    closedir(d);
    errno = err != 0 ? err : was;
    if (err != 0)
        return -1;
    if (order && s.count > 1)
        qsort(s.entries, s.count, sizeof *s.entries,
              (int (*)(const void *, const void *))(void (*)(void))order);
    *list = s.entries ? s.entries : malloc(1);
    return (int)s.count;
}

int __wrap_scandir64(const char *path, struct dirent ***list, takes_entry *takes,
                     order_of_entries *order) CO4__SAME(__wrap_scandir);
