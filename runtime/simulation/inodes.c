/* inodes.c - numbers of inodes of the simulated disk.
 *
 * The system's differ from run to run, and programs go by them: they are the keys of tables, and
 * parts of names. So the program sees others: 1, 2, 3, ... in the order in which it first looks. A
 * file that survives a crash keeps its number: the list is a file beside the disk.
 *
 * Numbers that end are not used again, but for those of a system that does so with its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "posix/wraps.h"
#include "simulation/disk.h"

#define SHORTEST 64

struct co4__disk_inodes {
    uint64_t count, room;
    ino_t *list;      /* the system's numbers: that of number n is list[n - 1] */
    uint64_t *places; /* a table of 2 * room numbers; 0: free */
};

static uint64_t *place_of(const struct co4__disk_inodes *all, ino_t real)
{
    uint64_t mask = 2 * all->room - 1, at = (uint64_t)real * UINT64_C(0x9e3779b97f4a7c15) & mask;
    while (all->places[at] != 0 && all->list[all->places[at] - 1] != real)
        at = (at + 1) & mask;
    return &all->places[at];
}

/* Chunks that are left behind are half of all at most. */
static void grow(struct co4__disk_inodes *all)
{
    ino_t *before = all->list;
    all->room = all->room > 0 ? 2 * all->room : SHORTEST;
    all->list = co4__disk_alloc(all->room * sizeof *all->list);
    all->places = co4__disk_alloc(2 * all->room * sizeof *all->places);
    for (uint64_t i = 0; i < all->count; i++) {
        all->list[i] = before[i];
        *place_of(all, before[i]) = i + 1;
    }
}

ino_t co4__disk_number(ino_t real)
{
    struct co4__disk_inodes *all = co4__disk->inodes;
    if (all->count == all->room)
        grow(all);
    uint64_t *place = place_of(all, real);
    if (*place == 0) {
        all->list[all->count++] = real;
        *place = all->count;
    }
    return *place;
}

/* ---- from life to life ---- */

static int open_list(int flags)
{
    char path[CO4__DISK_PATH + 16];
    snprintf(path, sizeof path, "%s/inodes", co4__disk->base);
    return __real_open(path, flags | O_CLOEXEC, 0600);
}

void co4__disk_keep_numbers(void)
{
    const struct co4__disk_inodes *all = co4__disk->inodes;
    int fd = open_list(O_WRONLY | O_CREAT | O_TRUNC);
    size_t bytes = all->count * sizeof *all->list;
    if (fd < 0 || __real_pwrite(fd, all->list, bytes, 0) != (ssize_t)bytes)
        perror("co4: the numbers of the disk's inodes");
    __real_close(fd);
}

void co4__disk_begin_numbers(void)
{
    ino_t real;
    int fd = co4__disk->life > 1 ? open_list(O_RDONLY) : -1;
    co4__disk->inodes = co4__disk_alloc(sizeof *co4__disk->inodes);
    for (off_t at = 0; fd >= 0; at += (off_t)sizeof real)
        if (__real_pread(fd, &real, sizeof real, at) == (ssize_t)sizeof real) {
            co4__disk_number(real);
        } else {
            __real_close(fd);
            fd = -1;
        }
}

/* ---- of folders ---- */

void co4__disk_number_entry(DIR *d, struct dirent *e)
{
    struct stat s;
    int was = errno;
    if (co4__disk && __real_fstat(dirfd(d), &s) == 0 && s.st_dev == co4__disk->device)
        e->d_ino = co4__disk_number(e->d_ino);
    errno = was;
}
