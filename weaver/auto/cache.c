/* cache.c - --auto: woven objects, kept for later links.
 *
 * A link weaves the whole program. What it weaves follows from the text of a source, the compile
 * command, the plan and the programs that run. An entry is a file whose name is a sum of all these:
 * FOLDER/ab/REST. It is written beside its place and renamed, so other links see all of it or
 * nothing. Its time says when it was last used.
 *
 * An entry begins with a line that has a sum over its key and the rest, and the lengths of its
 * three strings. An entry that is damaged, or that another user may have written, counts as none:
 * the link says so and replaces it.
 *
 * Invariants: the folder is this user's; otherwise nothing is kept, and the link says so. No other
 * may write in folders and entries that are made here.
 *
 * Rejected: a folder beside the program, which `make clean` and lists of files do not expect. */
#include "auto/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bug.h"

/* ---- the folder ------------------------------------------------------------------------------ */

/* Makes a folder, and those that it is in. */
static bool make_folder(char *path)
{
    for (char *at = path + 1; *at != '\0'; at++)
        if (*at == '/') {
            *at = '\0';
            bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
            *at = '/';
            if (!ok)
                return false;
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Is the folder this user's? It may be named by a link of this user. Prints a warning otherwise. */
static bool is_own_folder(const char *path)
{
    struct stat link, folder;
    if (lstat(path, &link) != 0 || stat(path, &folder) != 0 || !S_ISDIR(folder.st_mode))
        return false;
    if (link.st_uid == geteuid() && folder.st_uid == geteuid())
        return true;
    fprintf(stderr,
            "co4weave: warning: nothing is kept in '%s', which belongs to another user; "
            "--auto-cache= names another folder\n",
            path);
    return false;
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
    if (path.length > 0 && make_folder(path.data) && access(path.data, W_OK) == 0 &&
        is_own_folder(path.data))
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
    cw_sha256_add(key, "co4 kept 2", 11);
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

enum { SUM = 64 }; /* digits */

/* Over all but itself. */
static void sum_of(const char *key, const char *rest, size_t length, char digits[65])
{
    cw_sha256 sum;
    cw_sha256_begin(&sum);
    cw_sha256_add(&sum, key, strlen(key));
    cw_sha256_add(&sum, rest, length);
    cw_sha256_end(&sum, digits);
}

static bool split_entry(const char *key, const cw_buf *entry, cw_kept *kept)
{
    cw_buf *const strings[] = { &kept->object, &kept->left, &kept->said };
    size_t lengths[3];
    char digits[65];
    char *at = entry->data + SUM;
    if (entry->length <= SUM)
        return false;
    sum_of(key, at, entry->length - SUM, digits);
    if (memcmp(entry->data, digits, SUM) != 0)
        return false;
    for (size_t i = 0; i < 3; i++)
        lengths[i] = strtoul(at, &at, 10);
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

/* Can only this user have written it? */
static bool is_own_entry(int fd)
{
    struct stat file;
    return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
           (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Says once in a link that an entry is woven anew. */
static void say_damaged(cw_cache *cache, const char *path)
{
    if (!cache->damaged)
        fprintf(stderr,
                "co4weave: warning: '%s' is damaged, or of another user: it is woven anew, and so "
                "are others like it\n",
                path);
    cache->damaged = true;
}

bool cw_cache_find(cw_cache *cache, const char *key, cw_kept *kept)
{
    cw_buf path = { 0 }, entry = { 0 };
    put_path(cache, key, &path);
    errno = 0;
    int fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool none = fd < 0 && errno == ENOENT;
    bool found = fd >= 0 && is_own_entry(fd) && cw_read_all(fd, &entry) &&
                 split_entry(key, &entry, kept);
    if (found)
        futimens(fd, NULL); /* it is of use */
    else
        cw_kept_free(kept);
    if (!found && !none)
        say_damaged(cache, path.data);
    if (fd >= 0)
        close(fd);
    cw_buf_free(&path);
    cw_buf_free(&entry);
    return found;
}

static bool write_whole(const char *path, const char *key, const cw_kept *kept)
{
    const cw_buf *const strings[] = { &kept->object, &kept->left, &kept->said };
    cw_buf entry = { 0 };
    char digits[65];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL)
        return false;
    cw_printf(&entry, " %zu %zu %zu\n", kept->object.length, kept->left.length, kept->said.length);
    for (size_t i = 0; i < 3; i++)
        cw_put(&entry, strings[i]->data, strings[i]->length);
    sum_of(key, entry.data, entry.length, digits);
    fwrite(digits, 1, SUM, file);
    fwrite(entry.data, 1, entry.length, file);
    cw_buf_free(&entry);
    bool ok = !ferror(file);
    return fclose(file) == 0 && ok;
}

void cw_cache_keep(cw_cache *cache, const char *key, const cw_kept *kept)
{
    cw_buf path = { 0 }, folder = { 0 }, beside = { 0 };
    put_path(cache, key, &path);
    cw_printf(&folder, "%s/%.2s", cache->folder, key);
    cw_printf(&beside, "%s.%ld", path.data, (long)getpid());
    if (mkdir(folder.data, 0700) == 0 || errno == EEXIST) {
        if (write_whole(beside.data, key, kept) && rename(beside.data, path.data) == 0)
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
    size_t count;
    unsigned long long size;
} entries;

static void add_entry(entries *all, const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return;
    entry new = { cw_must(strdup(path)), (unsigned long long)s.st_size, s.st_mtim };
    CW_ADD(all->items, all->count, new);
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
