/* entries.c - which names of files and folders are durable.
 *
 * Purpose: a name that is made, replaced or removed is so on the disk when its folder is synced by
 * fsync(). Until then the operation is on a list. A crash takes some of the list, each by itself:
 * a rename as a whole or not at all. What loses its last name stays in the folder `unlinked` while
 * an operation of the list could give the name back.
 *
 * Of two operations on one name the later one counts if both survive. What a rename has moved had
 * its old name: the operation that made that survives, too. So does all that left a folder which
 * is removed. A rename between folders is durable when the new name's folder is synced.
 *
 * Rejected: to log whole folders (their cost grows with their size); a rename whose halves survive
 * each by itself (no file system does that, and a program that then writes the old name's file
 * writes the new one's). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "simulation/disk.h"

struct side { /* what an operation makes of a name; ino 0: there is none */
    ino_t folder, before, after;
    char *name;
};

struct co4__disk_op {
    struct co4__disk_op *next, *previous;
    struct side to, from; /* from.name: NULL but for a rename */
    ino_t gone;           /* of a folder that is removed */
    bool is_done, survives;
};

static struct side side_of(ino_t folder, const char *name, ino_t before, ino_t after)
{
    size_t bytes = strlen(name) + 1;
    struct side s = { folder, before, after, co4__disk_alloc(bytes) };
    memcpy(s.name, name, bytes);
    return s;
}

static struct co4__disk_op *add(struct side to)
{
    struct co4__disk_op *op = co4__disk_alloc(sizeof *op);
    op->to = to;
    op->previous = co4__disk->last_op;
    *(op->previous ? &op->previous->next : &co4__disk->ops) = op;
    co4__disk->last_op = op;
    return op;
}

void co4__disk_note_put(ino_t folder, const char *name, ino_t before, ino_t after)
{
    add(side_of(folder, name, before, after));
}

void co4__disk_note_rmdir(ino_t folder, const char *name, ino_t before)
{
    add(side_of(folder, name, before, 0))->gone = before;
}

void co4__disk_note_rename(ino_t from, const char *old, ino_t moved, ino_t to, const char *name,
                           ino_t before)
{
    struct co4__disk_op *op = add(side_of(to, name, before, moved));
    op->from = side_of(from, old, moved, 0);
}

void co4__disk_note_exchange(ino_t from, const char *old, ino_t one, ino_t to, const char *name,
                             ino_t other)
{
    struct co4__disk_op *op = add(side_of(to, name, other, one));
    op->from = side_of(from, old, one, other);
}

/* ---- relations ---- */

static bool is_same(const struct side *a, const struct side *b)
{
    return a->name && b->name && a->folder == b->folder && strcmp(a->name, b->name) == 0;
}

static bool shares_name(const struct co4__disk_op *a, const struct co4__disk_op *b)
{
    return is_same(&a->to, &b->to) || is_same(&a->to, &b->from) || is_same(&a->from, &b->to) ||
           is_same(&a->from, &b->from);
}

/* Whether the later one cannot be without the earlier one. */
static bool needs(const struct co4__disk_op *later, const struct co4__disk_op *op)
{
    if (later->from.name && (is_same(&later->from, &op->to) || is_same(&later->from, &op->from)))
        return true;
    return later->gone &&
           (op->to.folder == later->gone || (op->from.name && op->from.folder == later->gone));
}

static bool refers_to(const struct co4__disk_op *op, ino_t ino)
{
    return op->to.before == ino || op->to.after == ino || op->from.before == ino ||
           op->from.after == ino;
}

/* ---- what has lost its last name ---- */

static int unlinked_folder(void)
{
    return __real_open(co4__disk->unlinked, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void unlinked_name(ino_t ino, char name[24])
{
    snprintf(name, 24, "%llu", (unsigned long long)ino);
}

ino_t co4__disk_entry(int folder, const char *name)
{
    struct stat s;
    int was = errno;
    bool is_there = __real_fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
    errno = was;
    return is_there ? s.st_ino : 0;
}

bool co4__disk_is_unlinked(ino_t ino)
{
    char path[CO4__DISK_PATH + 24];
    snprintf(path, sizeof path, "%s/%llu", co4__disk->unlinked, (unsigned long long)ino);
    return co4__disk_entry(AT_FDCWD, path) == ino;
}

void co4__disk_keep(int folder, const char *name, ino_t ino)
{
    char as[24];
    int was = errno, unlinked = unlinked_folder();
    unlinked_name(ino, as);
    __real_linkat(folder, name, unlinked, as, 0);
    __real_close(unlinked);
    errno = was;
}

void co4__disk_keep_undo(ino_t ino)
{
    char as[24];
    int was = errno, unlinked = unlinked_folder();
    unlinked_name(ino, as);
    for (const struct co4__disk_op *op = co4__disk->ops; op; op = op->next)
        if (refers_to(op, ino))
            goto done;
    __real_unlinkat(unlinked, as, 0);
done:
    __real_close(unlinked);
    errno = was;
}

/* The operation is off the list: of what it has referred to perhaps nothing needs the bytes. */
static void let_go(int unlinked, ino_t ino)
{
    char as[24];
    struct stat s;
    if (ino == 0)
        return;
    for (const struct co4__disk_op *op = co4__disk->ops; op; op = op->next)
        if (refers_to(op, ino))
            return;
    unlinked_name(ino, as);
    if (__real_fstatat(unlinked, as, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    co4__disk_remove_tree(unlinked, as);
    if (s.st_nlink == 1)
        co4__disk_forget(ino);
}

/* ---- fsync() of a folder ---- */

static void drop(struct co4__disk_op *op)
{
    *(op->previous ? &op->previous->next : &co4__disk->ops) = op->next;
    *(op->next ? &op->next->previous : &co4__disk->last_op) = op->previous;
}

/* What is done takes with it what came before, of the same names. */
static void drop_done(void)
{
    struct co4__disk_op *before;
    int was = errno, unlinked = -1;
    for (struct co4__disk_op *op = co4__disk->last_op; op; op = op->previous)
        if (op->is_done)
            for (struct co4__disk_op *other = op->previous; other; other = other->previous)
                other->is_done = other->is_done || shares_name(op, other) || needs(op, other);
    for (struct co4__disk_op *op = co4__disk->last_op; op; op = before) {
        before = op->previous;
        if (!op->is_done)
            continue;
        drop(op);
        if (unlinked < 0)
            unlinked = unlinked_folder();
        const ino_t all[] = { op->to.before, op->to.after, op->from.before, op->from.after };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            let_go(unlinked, all[i]);
    }
    if (unlinked >= 0)
        __real_close(unlinked);
    errno = was;
}

void co4__disk_sync_folder(ino_t folder)
{
    for (struct co4__disk_op *op = co4__disk->ops; op; op = op->next)
        op->is_done = op->is_done || op->to.folder == folder;
    drop_done();
}

void co4__disk_sync_names(void)
{
    for (struct co4__disk_op *op = co4__disk->ops; op; op = op->next)
        op->is_done = true;
    drop_done();
}

/* ---- the crash ---- */

/* A name that operations of the list have changed. */
struct result {
    struct result *next;
    const struct side *side;
    ino_t after, now;
    int folder; /* -1: it is no more */
};

static struct result *result_of(struct result **all, const struct side *side)
{
    struct result **r = all;
    while (*r && !is_same((*r)->side, side))
        r = &(*r)->next;
    if (!*r) {
        *r = co4__disk_alloc(sizeof **r);
        **r = (struct result){ .side = side, .after = side->before, .folder = -1 };
    }
    return *r;
}

static void choose_operations(void)
{
    unsigned chance = (unsigned)(co4__disk_random() % 5); /* of 4 */
    for (struct co4__disk_op *op = co4__disk->last_op; op; op = op->previous) {
        op->survives = op->survives || co4__disk_random() % 4 < chance;
        for (struct co4__disk_op *other = op->previous; op->survives && other;
             other = other->previous)
            other->survives = other->survives || needs(op, other);
    }
}

static void open_folder(void *data, int folder, const char *in, const char *name,
                        const struct stat *s)
{
    (void)in;
    if (S_ISDIR(s->st_mode))
        for (struct result *r = data; r; r = r->next)
            if (r->side->folder == s->st_ino && r->folder < 0)
                r->folder = __real_openat(folder, name,
                                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Another name that it has now has the same file: then there is nothing to keep. */
static void take_away(const struct result *r, int unlinked)
{
    char as[24];
    unlinked_name(r->now, as);
    if (co4__disk_entry(unlinked, as) == r->now)
        __real_unlinkat(r->folder, r->side->name, 0);
    else
        __real_renameat(r->folder, r->side->name, unlinked, as);
}

static void put_back(const struct result *r, int unlinked)
{
    char as[24];
    struct stat s;
    unlinked_name(r->after, as);
    if (__real_fstatat(unlinked, as, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISDIR(s.st_mode))
        __real_renameat(unlinked, as, r->folder, r->side->name);
    else
        __real_linkat(unlinked, as, r->folder, r->side->name, 0);
}

/* A file that stays under one name may come under a second one. */
static void keep_named(struct result *all, const struct result *r, int unlinked)
{
    char as[24];
    struct stat s;
    unlinked_name(r->after, as);
    if (r->folder < 0 || co4__disk_entry(unlinked, as) == r->after)
        return;
    for (struct result *other = all; other; other = other->next)
        if (other->folder >= 0 && other->now == r->after && other->now == other->after &&
            __real_fstatat(other->folder, other->side->name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(s.st_mode))
            __real_linkat(other->folder, other->side->name, unlinked, as, 0);
}

void co4__disk_survive_names(void)
{
    struct result *all = NULL;
    int unlinked = unlinked_folder();
    choose_operations();
    for (const struct co4__disk_op *op = co4__disk->ops; op; op = op->next) {
        struct result *to = result_of(&all, &op->to);
        struct result *from = op->from.name ? result_of(&all, &op->from) : NULL;
        if (op->survives) {
            to->after = op->to.after;
            if (from)
                from->after = op->from.after;
        }
    }
    co4__disk_walk(co4__disk->root, open_folder, all);
    co4__disk_walk(co4__disk->unlinked, open_folder, all);
    for (struct result *r = all; r; r = r->next)
        if (r->folder >= 0)
            r->now = co4__disk_entry(r->folder, r->side->name);
    for (struct result *r = all; r; r = r->next)
        if (r->now != r->after && r->after != 0)
            keep_named(all, r, unlinked);
    for (struct result *r = all; r; r = r->next)
        if (r->folder >= 0 && r->now != r->after && r->now != 0)
            take_away(r, unlinked);
    for (struct result *r = all; r; r = r->next)
        if (r->folder >= 0 && r->now != r->after && r->after != 0)
            put_back(r, unlinked);
}
