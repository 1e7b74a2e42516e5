/* contents.c - which bytes of a file are durable.
 *
 * Purpose: of each file that is open for writing there is the content as of its last fsync(), in
 * memory. A crash compares it with the file, sector by sector: one that differs has the old bytes
 * or the new ones. So it does not matter how the file was written: by write(), by stdio, by mmap().
 * The kernel writes pages at any time: so at some calls a few sectors become durable by
 * themselves.
 *
 * A fsync() that fails leaves some sectors durable; Linux takes the others for clean. These stay
 * as they are on the disk, though a later fsync() succeeds, until they are written again: by a
 * call, or with other bytes.
 *
 * Invariants: memory of the life, shared with its children. A chunk that is NULL is of zeros. The
 * list is in the order of the first writes, which is part of the run; numbers of inodes are not.
 *
 * Rejected: a log of the writes (nothing sees those by memory and by stdio); a copy of the file
 * beside it (thrice the calls of the system). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "simulation/disk.h"

#define SECTOR CO4__DISK_SECTOR
#define CHUNK  16384
#define SLOTS  4096 /* of the hash table */

struct failed_sector {
    struct failed_sector *next;
    int64_t sector;
    uint64_t hash;
};

struct co4__disk_file {
    struct co4__disk_file *next, *in_slot;
    ino_t ino;
    int64_t size;  /* that is durable */
    int64_t least; /* the smallest that it has had since */
    char **chunks;
    size_t nchunks;
    struct failed_sector *failed;
    const char *path; /* of the system's; NULL until it is sought */
};

/* Reached by the first file's address alone would be slow: one table a life. */
static struct co4__disk_file **slots;

static struct co4__disk_file **slot_of(ino_t ino)
{
    if (!slots)
        slots = co4__disk_alloc(SLOTS * sizeof(struct co4__disk_file *));
    return &slots[co4__random_mix(ino) % SLOTS];
}

struct co4__disk_file *co4__disk_file_by(ino_t ino)
{
    struct co4__disk_file *f = *slot_of(ino);
    while (f && f->ino != ino)
        f = f->in_slot;
    return f;
}

struct co4__disk_file *co4__disk_file_of(int fd)
{
    struct stat s;
    int was = errno;
    bool is_ours = __real_fstat(fd, &s) == 0 && s.st_dev == co4__disk->device;
    errno = was;
    return is_ours && S_ISREG(s.st_mode) ? co4__disk_file_by(s.st_ino) : NULL;
}

/* ---- chunks ---- */

static char *take_chunk(void)
{
    char *chunk = co4__disk->chunks;
    if (!chunk)
        return co4__disk_alloc(CHUNK);
    memcpy(&co4__disk->chunks, chunk, sizeof co4__disk->chunks);
    memset(chunk, 0, CHUNK);
    return chunk;
}

static void free_chunk(char *chunk)
{
    memcpy(chunk, &co4__disk->chunks, sizeof co4__disk->chunks);
    co4__disk->chunks = chunk;
}

static char **chunk_at(struct co4__disk_file *f, size_t i)
{
    if (i >= f->nchunks) {
        size_t n = f->nchunks * 2 > i ? f->nchunks * 2 : i + 8;
        char **more = co4__disk_alloc(n * sizeof *more);
        for (size_t k = 0; k < f->nchunks; k++)
            more[k] = f->chunks[k];
        f->chunks = more;
        f->nchunks = n;
    }
    return &f->chunks[i];
}

static const char zeros[CHUNK];

static const char *durable_at(const struct co4__disk_file *f, int64_t at)
{
    size_t i = (size_t)(at / CHUNK);
    return i < f->nchunks && f->chunks[i] ? f->chunks[i] + at % CHUNK : zeros;
}

static void put_durable(struct co4__disk_file *f, int64_t at, const char *from, size_t bytes)
{
    char **chunk = chunk_at(f, (size_t)(at / CHUNK));
    if (!*chunk)
        *chunk = take_chunk();
    memcpy(*chunk + at % CHUNK, from, bytes);
}

/* The durable file ends here; what was behind it is gone. */
static void set_size(struct co4__disk_file *f, int64_t size)
{
    for (size_t i = 0; i < f->nchunks; i++) {
        int64_t from = (int64_t)i * CHUNK;
        if (f->chunks[i] && from >= size) {
            free_chunk(f->chunks[i]);
            f->chunks[i] = NULL;
        } else if (f->chunks[i] && from + CHUNK > size) {
            memset(f->chunks[i] + (size - from), 0, (size_t)(from + CHUNK - size));
        }
    }
    f->size = size;
}

/* ---- the file beside what is durable ---- */

/* A descriptor of its own, whose offset nothing else uses. */
static int open_again(int fd, int flags)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return __real_open(path, flags | O_CLOEXEC);
}

/* Reads a chunk; bytes behind the end are zeros. False: it cannot be read. */
static bool read_chunk(int fd, int64_t at, char *to)
{
    size_t done = 0;
    while (done < CHUNK) {
        ssize_t n = __real_pread(fd, to + done, CHUNK - done, at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    memset(to + done, 0, CHUNK - done);
    return true;
}

/* Where the next chunk begins that may differ: holes that are holes on the disk, too, do not. */
static int64_t next_chunk(const struct co4__disk_file *f, int fd, int64_t at, int64_t end)
{
    off_t data = lseek(fd, at, SEEK_DATA);
    int64_t next = data < 0 ? (errno == ENXIO ? end : at) : data - data % CHUNK;
    for (size_t i = (size_t)(at / CHUNK); i < f->nchunks && (int64_t)i * CHUNK < next; i++)
        if (f->chunks[i])
            return (int64_t)i * CHUNK;
    return next;
}

/* What is done with a sector that differs. */
typedef void on_sector(struct co4__disk_file *f, int fd, int64_t at, const char *now, void *data);

static int each_difference(struct co4__disk_file *f, int fd, int64_t end, on_sector *each,
                           void *data)
{
    char now[CHUNK];
    for (int64_t at = 0; (at = next_chunk(f, fd, at, end)) < end; at += CHUNK) {
        if (!read_chunk(fd, at, now))
            return -1;
        const char *durable = durable_at(f, at);
        if (memcmp(now, durable, CHUNK) == 0)
            continue;
        for (int i = 0; i < CHUNK; i += SECTOR)
            if (memcmp(now + i, durable_at(f, at + i), SECTOR) != 0)
                each(f, fd, at + i, now + i, data);
    }
    return 0;
}

static int64_t size_of(int fd)
{
    struct stat s;
    return __real_fstat(fd, &s) == 0 ? s.st_size : -1;
}

static void make_durable(struct co4__disk_file *f, int fd, int64_t at, const char *now, void *data)
{
    (void)fd;
    (void)data;
    put_durable(f, at, now, SECTOR);
}

/* ---- sectors that a failed fsync() has lost ---- */

static uint64_t hash_of(const char *sector)
{
    uint64_t hash = 0, word;
    for (size_t i = 0; i < SECTOR; i += sizeof word) {
        memcpy(&word, sector + i, sizeof word);
        hash = co4__random_mix(hash ^ word);
    }
    return hash;
}

static bool is_lost(const struct co4__disk_file *f, int64_t at, const char *now)
{
    for (const struct failed_sector *s = f->failed; s; s = s->next)
        if (s->sector == at / SECTOR)
            return s->hash == hash_of(now);
    return false;
}

static void lose_or_keep(struct co4__disk_file *f, int fd, int64_t at, const char *now, void *data)
{
    (void)fd;
    (void)data;
    if (co4__disk_random() % 2 == 0 && !is_lost(f, at, now)) {
        put_durable(f, at, now, SECTOR);
        return;
    }
    struct failed_sector *s = co4__disk_alloc(sizeof *s);
    *s = (struct failed_sector){ f->failed, at / SECTOR, hash_of(now) };
    f->failed = s;
}

void co4__disk_rewritten(struct co4__disk_file *f, int64_t at, int64_t bytes)
{
    for (struct failed_sector **s = &f->failed; *s;)
        if ((*s)->sector >= at / SECTOR && (*s)->sector * SECTOR < at + bytes)
            *s = (*s)->next;
        else
            s = &(*s)->next;
}

void co4__disk_cut(struct co4__disk_file *f, int64_t size)
{
    f->least = size < f->least ? size : f->least;
}

static void make_durable_unless_lost(struct co4__disk_file *f, int fd, int64_t at, const char *now,
                                     void *data)
{
    if (!is_lost(f, at, now))
        make_durable(f, fd, at, now, data);
}

/* ---- what changes it ---- */

static int copy_now(struct co4__disk_file *f, int fd, on_sector *each)
{
    int was = errno, again = open_again(fd, O_RDONLY);
    int64_t size = again >= 0 ? size_of(again) : -1;
    int n = size >= 0 ? 0 : -1;
    if (n == 0) {
        set_size(f, size < f->size ? size : f->size);
        n = each_difference(f, again, size, each, NULL);
        f->size = f->least = size;
    }
    if (again >= 0)
        __real_close(again);
    if (n == 0)
        errno = was;
    return n;
}

void co4__disk_track(int fd, bool is_new)
{
    struct stat s;
    if (__real_fstat(fd, &s) != 0 || s.st_dev != co4__disk->device || !S_ISREG(s.st_mode) ||
        co4__disk_file_by(s.st_ino))
        return;
    struct co4__disk_file *f = co4__disk_alloc(sizeof *f), **slot = slot_of(s.st_ino);
    f->ino = s.st_ino;
    f->in_slot = *slot;
    *slot = f;
    *(co4__disk->last_file ? &co4__disk->last_file->next : &co4__disk->files) = f;
    co4__disk->last_file = f;
    if (!is_new)
        copy_now(f, fd, make_durable);
}

int co4__disk_sync_file(struct co4__disk_file *f, int fd)
{
    int n = copy_now(f, fd, f->failed ? make_durable_unless_lost : make_durable);
    return n;
}

void co4__disk_fail_sync(struct co4__disk_file *f, int fd)
{
    copy_now(f, fd, lose_or_keep);
}

struct range {
    int64_t from, to;
};

static void sync_within(struct co4__disk_file *f, int fd, int64_t at, const char *now, void *data)
{
    const struct range *r = data;
    if (at + SECTOR > r->from && at < r->to && !is_lost(f, at, now))
        make_durable(f, fd, at, now, data);
}

void co4__disk_sync_range(struct co4__disk_file *f, int fd, int64_t from, int64_t to)
{
    int was = errno, again = open_again(fd, O_RDONLY);
    int64_t size = again >= 0 ? size_of(again) : -1;
    struct range r = { from, to < size ? to : size };
    if (size >= 0)
        each_difference(f, again, r.to, sync_within, &r);
    f->size = r.to > f->size ? r.to : f->size;
    f->least = r.to > f->least ? r.to : f->least;
    if (again >= 0)
        __real_close(again);
    errno = was;
}

static void write_back_some(struct co4__disk_file *f, int fd, int64_t at, const char *now,
                            void *data)
{
    if (co4__disk_random() % 4 == 0 && !is_lost(f, at, now)) {
        make_durable(f, fd, at, now, data);
        if (at + SECTOR > f->size)
            f->size = at + SECTOR;
    }
}

void co4__disk_write_back(struct co4__disk_file *f, int fd)
{
    int was = errno, again = open_again(fd, O_RDONLY);
    int64_t size = again >= 0 ? size_of(again) : -1;
    if (size >= 0)
        each_difference(f, again, size, write_back_some, NULL);
    if (size >= 0 && f->size > size && f->size - size < SECTOR) /* it ends within a sector */
        f->size = size;
    if (again >= 0)
        __real_close(again);
    errno = was;
}

void co4__disk_forget(ino_t ino)
{
    struct co4__disk_file **slot = slot_of(ino), *before = NULL, *f = co4__disk->files;
    while (*slot && (*slot)->ino != ino)
        slot = &(*slot)->in_slot;
    if (!*slot)
        return;
    *slot = (*slot)->in_slot;
    while (f->ino != ino) {
        before = f;
        f = f->next;
    }
    *(before ? &before->next : &co4__disk->files) = f->next;
    if (co4__disk->last_file == f)
        co4__disk->last_file = before;
    set_size(f, 0);
}

/* ---- the crash ---- */

/* One time all goes, one time all stays; else each sector by itself, with one of these chances. */
static unsigned draw_chance(void)
{
    static const unsigned of_16[] = { 0, 0, 1, 4, 8, 8, 12, 15, 16 };
    return of_16[co4__disk_random() % (sizeof of_16 / sizeof *of_16)];
}

struct survival {
    unsigned chance;
    int64_t now; /* the file's size */
};

/* What was cut off is there as it was, or not at all. */
static void revert_some(struct co4__disk_file *f, int fd, int64_t at, const char *now, void *data)
{
    const struct survival *s = data;
    if (is_lost(f, at, now) || at >= s->now || co4__disk_random() % 16 >= s->chance)
        __real_pwrite(fd, durable_at(f, at), SECTOR, at);
}

/* The size before, the one now, the smallest, or one on the way from that. */
static int64_t draw_size(const struct co4__disk_file *f, int64_t now)
{
    int64_t least = f->least < now ? f->least : now, size;
    switch (co4__disk_random() % 4) {
    case 0:
        return f->size;
    case 1:
        return now;
    case 2:
        return least;
    default:
        size = least + (int64_t)(co4__disk_random() % (uint64_t)(now - least + 1));
        size += (SECTOR - size % SECTOR) % SECTOR;
        return size < now ? size : now;
    }
}

static void survive(struct co4__disk_file *f)
{
    int fd = f->path ? __real_open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    int64_t now = fd >= 0 ? size_of(fd) : -1;
    struct survival s = { draw_chance(), now };
    if (now >= 0) {
        int64_t size = now == f->size && now == f->least ? now : draw_size(f, now);
        each_difference(f, fd, now > f->size ? now : f->size, revert_some, &s);
        if (__real_ftruncate(fd, size) != 0)
            perror("co4: the simulated disk");
    }
    if (fd >= 0)
        __real_close(fd);
}

static void note_path(void *data, int folder, const char *in, const char *name,
                      const struct stat *s)
{
    (void)data;
    (void)folder;
    struct co4__disk_file *f = S_ISREG(s->st_mode) ? co4__disk_file_by(s->st_ino) : NULL;
    if (!f || f->path)
        return;
    size_t bytes = strlen(in) + strlen(name) + 2;
    char *path = co4__disk_alloc(bytes);
    snprintf(path, bytes, "%s/%s", in, name);
    f->path = path;
}

static void seek_paths(void)
{
    for (struct co4__disk_file *f = co4__disk->files; f; f = f->next)
        f->path = NULL;
    co4__disk_walk(co4__disk->root, note_path, NULL);
    co4__disk_walk(co4__disk->unlinked, note_path, NULL);
}

void co4__disk_survive_contents(void)
{
    seek_paths();
    for (struct co4__disk_file *f = co4__disk->files; f; f = f->next)
        survive(f);
}

void co4__disk_sync_contents(void)
{
    seek_paths();
    for (struct co4__disk_file *f = co4__disk->files; f; f = f->next) {
        int fd = f->path ? __real_open(f->path, O_RDONLY | O_CLOEXEC) : -1;
        if (fd >= 0) {
            co4__disk_sync_file(f, fd);
            __real_close(fd);
        }
    }
}

int co4__disk_open_file(struct co4__disk_file *f)
{
    seek_paths();
    return f->path ? __real_open(f->path, O_RDONLY | O_CLOEXEC) : -1;
}
