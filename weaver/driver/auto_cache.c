/* auto_cache.c - --auto: woven objects, kept for later links.
 *
 * A link weaves the whole program. What it weaves follows from the text of a source, the compile
 * command, the plan and the programs that run. An entry is a file whose name is a sum of all these:
 * FOLDER/ab/REST. It is written beside its place and renamed, so other links see all of it or
 * nothing. Its time says when it was last used.
 *
 * An entry begins with a line that has the lengths of its three strings. A damaged entry counts as
 * none.
 *
 * Rejected: a folder beside the program, which `make clean` and lists of files do not expect. */
#include "driver/auto_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

/* ---- the folder ------------------------------------------------------------------------------ */

/* Makes a folder, and those that it is in. */
static bool make_folder(char *path)
{
    for (char *at = path + 1; *at != '\0'; at++)
        if (*at == '/') {
            *at = '\0';
            bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
            *at = '/';
            if (!ok)
                return false;
        }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

void cw_cache_open(cw_cache *cache, const char *folder, unsigned long long most)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    cw_buf path = { 0 };
    *cache = (cw_cache){ .most = most };
    if (folder != NULL)
        cw_puts(&path, folder);
    else if (base != NULL && *base == '/')
        cw_printf(&path, "%s/co4/auto", base);
    else if (home != NULL && *home == '/')
        cw_printf(&path, "%s/.cache/co4/auto", home);
    if (path.length > 0 && make_folder(path.data) && access(path.data, W_OK) == 0)
        cache->folder = path.data;
    else
        cw_buf_free(&path);
}

static bool add_program(cw_sha256 *key, const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return false;
    cw_sha256_add(key, &s.st_dev, sizeof s.st_dev);
    cw_sha256_add(key, &s.st_ino, sizeof s.st_ino);
    cw_sha256_add(key, &s.st_size, sizeof s.st_size);
    cw_sha256_add(key, &s.st_mtim, sizeof s.st_mtim);
    return true;
}

bool cw_cache_key_begin(const cw_cache *cache, cw_sha256 *key)
{
    static const char *const libclang[] = { CO4_LIBCLANG_PATHS };
    if (cache->folder == NULL)
        return false;
    cw_sha256_begin(key);
    cw_sha256_add(key, "co4 kept 1", 11);
    for (size_t i = 0; i < sizeof libclang / sizeof *libclang; i++)
        if (!add_program(key, libclang[i]))
            cw_sha256_add(key, libclang[i], strlen(libclang[i]));
    return add_program(key, "/proc/self/exe");
}

static void put_path(const cw_cache *cache, const char *key, cw_buf *to)
{
    cw_printf(to, "%s/%.2s/%s", cache->folder, key, key + 2);
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Reads a file that may not be there. */
static bool read_silently(int fd, cw_buf *to)
{
    char bytes[16384];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            cw_put(to, bytes, (size_t)got);
    return got == 0 && to->length > 0;
}

static bool split(const cw_buf *entry, cw_kept *kept)
{
    cw_buf *const strings[] = { &kept->object, &kept->left, &kept->said };
    size_t lengths[3];
    char *at = entry->data;
    for (size_t i = 0; i < 3; i++)
        lengths[i] = strtoul(at, &at, 10);
    if (*at != '\n')
        return false;
    size_t rest = entry->length - (size_t)(++at - entry->data);
    for (size_t i = 0; i < 3; i++) {
        if (lengths[i] > rest)
            return false;
        cw_put(strings[i], at, lengths[i]);
        at += lengths[i];
        rest -= lengths[i];
    }
    return rest == 0;
}

bool cw_cache_find(const cw_cache *cache, const char *key, cw_kept *kept)
{
    cw_buf path = { 0 }, entry = { 0 };
    put_path(cache, key, &path);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && read_silently(fd, &entry) && split(&entry, kept);
    if (found)
        futimens(fd, NULL); /* it is of use */
    else
        cw_kept_free(kept);
    if (fd >= 0)
        close(fd);
    cw_buf_free(&path);
    cw_buf_free(&entry);
    return found;
}

static bool write_whole(const char *path, const cw_kept *kept)
{
    FILE *file = fopen(path, "wxb");
    if (file == NULL)
        return false;
    const cw_buf *const strings[] = { &kept->object, &kept->left, &kept->said };
    fprintf(file, "%zu %zu %zu\n", kept->object.length, kept->left.length, kept->said.length);
    for (size_t i = 0; i < 3; i++)
        if (strings[i]->length > 0)
            fwrite(strings[i]->data, 1, strings[i]->length, file);
    bool ok = !ferror(file);
    return fclose(file) == 0 && ok;
}

void cw_cache_keep(cw_cache *cache, const char *key, const cw_kept *kept)
{
    cw_buf path = { 0 }, folder = { 0 }, beside = { 0 };
    put_path(cache, key, &path);
    cw_printf(&folder, "%s/%.2s", cache->folder, key);
    cw_printf(&beside, "%s.%ld", path.data, (long)getpid());
    if (mkdir(folder.data, 0777) == 0 || errno == EEXIST) {
        if (write_whole(beside.data, kept) && rename(beside.data, path.data) == 0)
            cache->grew = true;
        else
            unlink(beside.data);
    }
    cw_buf_free(&path);
    cw_buf_free(&folder);
    cw_buf_free(&beside);
}

void cw_kept_free(cw_kept *kept)
{
    cw_buf_free(&kept->object);
    cw_buf_free(&kept->left);
    cw_buf_free(&kept->said);
}

/* ---- size ------------------------------------------------------------------------------------ */

typedef struct entry {
    char *path;
    unsigned long long size;
    struct timespec used;
} entry;

typedef struct entries {
    entry *items;
    size_t count, room;
    unsigned long long size;
} entries;

static void add_entry(entries *all, const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return;
    if (all->count == all->room) {
        all->room = all->room == 0 ? 64 : 2 * all->room;
        all->items = realloc(all->items, all->room * sizeof *all->items);
        if (all->items == NULL)
            abort();
    }
    all->items[all->count++] = (entry){ strdup(path), (unsigned long long)s.st_size, s.st_mtim };
    all->size += (unsigned long long)s.st_size;
}

/* The entries of FOLDER/ab, for each two digits. */
static void list_entries(const cw_cache *cache, entries *all)
{
    for (unsigned i = 0; i < 256; i++) {
        cw_buf folder = { 0 };
        cw_printf(&folder, "%s/%02x", cache->folder, i);
        DIR *dir = opendir(folder.data);
        for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
            cw_buf path = { 0 };
            cw_printf(&path, "%s/%s", folder.data, e->d_name);
            add_entry(all, path.data);
            cw_buf_free(&path);
        }
        if (dir != NULL)
            closedir(dir);
        cw_buf_free(&folder);
    }
}

static int by_use(const void *one, const void *other)
{
    const struct timespec a = ((const entry *)one)->used, b = ((const entry *)other)->used;
    if (a.tv_sec != b.tv_sec)
        return a.tv_sec < b.tv_sec ? -1 : 1;
    return (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

void cw_cache_close(cw_cache *cache)
{
    entries all = { 0 };
    if (cache->folder != NULL && cache->grew)
        list_entries(cache, &all);
    bool large = all.size > cache->most;
    if (large)
        qsort(all.items, all.count, sizeof *all.items, by_use);
    for (size_t i = 0; i < all.count; i++) {
        if (large && all.size > cache->most / 5 * 4) {
            unlink(all.items[i].path);
            all.size -= all.items[i].size;
        }
        free(all.items[i].path);
    }
    free(all.items);
    free(cache->folder);
    cache->folder = NULL;
}
