/* disks.c - programs that keep data on a disk which crashes; each in a form that loses what it has
 * acknowledged, or tears it, and with -DRIGHT in one that does not.
 *
 *   -DKIND=log_|saver|folder|doubled|pair|mapped|later|all|stream|moved|failing|sector
 *
 * Each program runs in lives: it looks at what is there, then goes on. /acknowledged is kept. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 8

#ifdef RIGHT
enum { right = 1 };
#else
enum { right = 0 };
#endif

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("%s: %s\n", what, strerror(errno));
        fflush(stdout);
        abort();
    }
}

/* ---- what was acknowledged ---- */

static unsigned acknowledged(void)
{
    unsigned n = 0;
    int fd = open("/acknowledged/n", O_RDONLY);
    if (fd >= 0)
        must(read(fd, &n, sizeof n) == sizeof n && close(fd) == 0, "read of /acknowledged");
    return n;
}

static void acknowledge(unsigned n)
{
    int fd = open("/acknowledged/n", O_WRONLY | O_CREAT, 0666);
    must(fd >= 0 && pwrite(fd, &n, sizeof n, 0) == sizeof n && close(fd) == 0, "acknowledge");
#ifdef SAYS
    printf("line %u\n", n);
    fflush(stdout);
#endif
}

/* ---- records ---- */

#define WORDS 400 /* more than three sectors */

struct record {
    unsigned number, check, words[WORDS];
};

static unsigned check_of(const struct record *r)
{
    unsigned sum = r->number * 2654435761u + 17;
    for (int i = 0; i < WORDS; i++)
        sum = sum * 31 + r->words[i];
    return sum;
}

static struct record record_of(unsigned number)
{
    struct record r = { .number = number };
    for (unsigned i = 0; i < WORDS; i++)
        r.words[i] = number * 7 + i;
    r.check = check_of(&r);
    return r;
}

static int is_whole(const struct record *r)
{
    return r->number > 0 && r->check == check_of(r);
}

/* The number of the record there; 0: none, or a torn one. */
static unsigned number_at(int fd, off_t at)
{
    struct record r;
    return pread(fd, &r, sizeof r, at) == sizeof r && is_whole(&r) ? r.number : 0;
}

static void put(int fd, off_t at, unsigned number)
{
    struct record r = record_of(number);
    must(pwrite(fd, &r, sizeof r, at) == sizeof r, "write");
}

static void sync_folder(const char *name)
{
    int fd = open(name, O_RDONLY | O_DIRECTORY);
    while (fd >= 0 && fsync(fd) != 0)
        must(errno == EIO, "sync of a folder");
    must(fd >= 0 && close(fd) == 0, "a folder");
}

static int open_file(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT, 0666);
    must(fd >= 0, name);
    sync_folder(".");
    return fd;
}

/* ---- the kinds ---- */

/* Records are appended; fdatasync() is forgotten. */
void log_(void);
void log_(void)
{
    unsigned n = 0;
    int fd = open_file("log");
    while (number_at(fd, (off_t)(n * sizeof(struct record))) == n + 1)
        n++;
    must(n >= acknowledged(), "records are lost");
    for (int i = 0; i < ROUNDS; i++, n++) {
        put(fd, (off_t)(n * sizeof(struct record)), n + 1);
        if (right)
            must(fdatasync(fd) == 0, "fdatasync");
        acknowledge(n + 1);
    }
}

static void save(unsigned n, int syncs_file, int syncs_folder)
{
    int fd = open("new", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    must(fd >= 0, "new");
    put(fd, 0, n);
    if (syncs_file)
        must(fsync(fd) == 0, "fsync");
    must(close(fd) == 0 && rename("new", "saved") == 0, "rename");
    if (syncs_folder)
        sync_folder(".");
    acknowledge(n);
}

static unsigned saved(void)
{
    int fd = open("saved", O_RDONLY);
    unsigned n = fd >= 0 ? number_at(fd, 0) : 0;
    must(fd < 0 || n > 0, "the saved file is torn");
    must(n >= acknowledged(), "a save is lost");
    return n;
}

/* A file is written beside the old one, and renamed; it is not synced before. */
void saver(void);
void saver(void)
{
    unsigned n = saved();
    for (int i = 0; i < ROUNDS; i++)
        save(++n, right, 1);
}

/* It is synced, its folder is not. */
void folder(void);
void folder(void)
{
    unsigned n = saved();
    for (int i = 0; i < ROUNDS; i++)
        save(++n, 1, right);
}

/* A record is written in place; the right form writes a copy first. */
void doubled(void);
void doubled(void)
{
    int fd = open_file("data"), copy = open_file("copy");
    unsigned n = number_at(copy, 0);
    if (n > 0) {
        put(fd, 0, n);
        must(fsync(fd) == 0, "fsync");
    }
    n = number_at(fd, 0);
    must(n >= acknowledged(), "the record is torn or old");
    for (int i = 0; i < ROUNDS; i++) {
        n++;
        if (right) {
            put(copy, 0, n);
            must(fsync(copy) == 0, "fsync");
        }
        put(fd, 0, n);
        must(fsync(fd) == 0, "fsync");
        acknowledge(n);
    }
}

/* The second file says how much of the first one counts; the order of the two is wrong. */
void pair(void);
void pair(void)
{
    int data = open_file("data"), head = open_file("head");
    unsigned char n = 0;
    if (pread(head, &n, 1, 0) != 1)
        n = 0;
    for (unsigned i = 0; i < n; i++)
        must(number_at(data, (off_t)(i * sizeof(struct record))) == i + 1, "a record is missing");
    must(n >= acknowledged(), "the head is old");
    for (int i = 0; i < ROUNDS; i++) {
        put(data, (off_t)(n * sizeof(struct record)), n + 1u);
        n++;
        if (right)
            must(fsync(data) == 0, "fsync");
        must(pwrite(head, &n, 1, 0) == 1 && fsync(head) == 0, "head");
        if (!right)
            must(fsync(data) == 0, "fsync");
        acknowledge(n);
    }
}

/* Memory that is mapped; only the first page is synced. */
void mapped(void);
void mapped(void)
{
    enum { PAGE = 4096, PAGES = 4 };
    int fd = open_file("data");
    must(ftruncate(fd, PAGE * PAGES) == 0, "ftruncate");
    unsigned *map = mmap(NULL, PAGE * PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), least;
    must(map != MAP_FAILED && close(fd) == 0, "mmap");
    least = map[0];
    for (unsigned i = 0; i < PAGES; i++)
        least = map[i * PAGE / sizeof *map] < least ? map[i * PAGE / sizeof *map] : least;
    must(least >= acknowledged(), "a page is old");
    for (int k = 0; k < ROUNDS; k++) {
        least++;
        for (unsigned i = 0; i < PAGES; i++)
            map[i * PAGE / sizeof *map] = least;
        must(msync(map, right ? PAGE * PAGES : PAGE, MS_SYNC) == 0, "msync");
        acknowledge(least);
    }
}

/* It begins behind the first page of its file, and is synced later. */
void later(void);
void later(void)
{
    enum { PAGE = 4096 };
    int fd = open_file("data");
    must(ftruncate(fd, PAGE * 3) == 0, "ftruncate");
    unsigned *map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE * 2), n;
    must(map != MAP_FAILED && close(fd) == 0, "mmap");
    n = *map;
    must(n >= acknowledged(), "the page is old");
    for (int k = 0; k < ROUNDS; k++) {
        *map = ++n;
        must(msync(map, PAGE, right ? MS_SYNC : MS_ASYNC) == 0, "msync");
        acknowledge(n);
    }
}

/* Files with new names; one call is to keep all of them, or one file alone. */
void all(void);
void all(void)
{
    char name[40];
    unsigned n = acknowledged();
    for (unsigned i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "file%u", i);
        int fd = open(name, O_RDONLY);
        must(fd >= 0 && number_at(fd, 0) == i && close(fd) == 0, "a file is lost");
    }
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(name, sizeof name, "file%u", ++n);
        int fd = open(name, O_WRONLY | O_CREAT, 0666);
        must(fd >= 0, name);
        put(fd, 0, n);
        if (!right)
            must(fsync(fd) == 0, "fsync");
        else if (n % 2)
            sync();
        else
            must(syncfs(fd) == 0, "syncfs");
        must(close(fd) == 0, "close");
        acknowledge(n);
    }
}

/* A stream is flushed, and not synced. */
void stream(void);
void stream(void)
{
    unsigned n = 0, number;
    FILE *file = fopen("lines", "a+");
    must(file != NULL, "lines");
    sync_folder(".");
    while (fscanf(file, "%u\n", &number) == 1 && number == n + 1)
        n++;
#ifndef SAYS
    must(n >= acknowledged(), "lines are lost");
#endif
    must(truncate("lines", (off_t)n * 5) == 0, "truncate");
    for (int i = 0; i < ROUNDS; i++) {
        fprintf(file, "%04u\n", ++n);
        must(fflush(file) == 0, "fflush");
        if (right)
            must(fsync(fileno(file)) == 0, "fsync");
        acknowledge(n);
    }
    fclose(file);
}

/* Files move from one folder to another; only the first is synced. */
void moved(void);
void moved(void)
{
    char from[40], to[40];
    unsigned n = acknowledged();
    struct stat s;
    must((mkdir("todo", 0777) == 0 || errno == EEXIST) &&
             (mkdir("done", 0777) == 0 || errno == EEXIST),
         "mkdir");
    sync_folder(".");
    for (unsigned i = 1; i <= n; i++) {
        snprintf(to, sizeof to, "done/%u", i);
        must(stat(to, &s) == 0 && s.st_nlink == 1, "a file is not where it was moved to");
    }
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(from, sizeof from, "todo/%u", ++n);
        snprintf(to, sizeof to, "done/%u", n);
        int fd = open(from, O_WRONLY | O_CREAT, 0666);
        must(fd >= 0 && fsync(fd) == 0 && close(fd) == 0, "todo");
        sync_folder("todo");
        must(rename(from, to) == 0, "rename");
        sync_folder("todo");
        if (right)
            sync_folder("done");
        acknowledge(n);
    }
}

/* A fsync() that fails is made again; the right form writes again, too. */
void failing(void);
void failing(void)
{
    unsigned n = 0;
    int fd = open_file("log");
    while (number_at(fd, (off_t)(n * sizeof(struct record))) == n + 1)
        n++;
    must(n >= acknowledged(), "records are lost");
    for (int i = 0; i < ROUNDS; i++, n++) {
        put(fd, (off_t)(n * sizeof(struct record)), n + 1);
        while (fsync(fd) != 0) {
            must(errno == EIO, "fsync");
            if (right)
                put(fd, (off_t)(n * sizeof(struct record)), n + 1);
        }
        acknowledge(n + 1);
    }
}

/* A block is written over the one before: a crash leaves one of them, if it is in one sector. */
void sector(void);
void sector(void)
{
    unsigned block[100], first;
    int fd = open_file("block");
    off_t at = right ? 512 : 300;
    ssize_t n = pread(fd, block, sizeof block, at);
    must(n == 0 || n == sizeof block || acknowledged() == 0, "the block is short");
    first = n == sizeof block ? block[0] : 0;
    for (size_t i = 0; n == sizeof block && i < 100; i++)
        must(block[i] == first || acknowledged() == 0, "the block is torn");
    must(first >= acknowledged(), "the block is old");
    for (int k = 0; k < ROUNDS; k++) {
        first++;
        for (size_t i = 0; i < 100; i++)
            block[i] = first;
        must(pwrite(fd, block, sizeof block, at) == sizeof block && fsync(fd) == 0, "write");
        acknowledge(first);
    }
}

int main(void)
{
    KIND();
    return 0;
}
