/* faults.c - a program whose calls fail by the seed: it does with that what is right.
 *
 *   faults w|r|s|none             which failures it expects: of writes, of reads, of space
 *   faults parts|errors [CALL]    of reads and writes only those; reads by this call
 *   faults file|folder|memory     what it syncs; that never fails */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES 3000

static char expected;
static int fails = 1, is_short = 1; /* those that are expected do that */

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("%s: %s\n", what, strerror(errno));
        fflush(stdout);
        abort();
    }
}

/* Writes all, with as many calls as it takes. Returns how many bytes. */
static size_t write_all(int fd, const char *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pwrite(fd, from + done, bytes - done, (off_t)done);
        if (n < 0 && errno == ENOSPC && expected == 's')
            return done;
        must(n >= 0 || (errno == EIO && fails && strchr("wa", expected)), "write");
        must(n < 0 || n == (ssize_t)(bytes - done) || (is_short && strchr("wa", expected)),
             "write");
        done += n > 0 ? (size_t)n : 0;
    }
    return done;
}

static const char *const calls[] = { "read", "readv", "preadv", "preadv2", "pread" };

/* By one call or another; those with vectors have two. */
static ssize_t read_by(int call, int fd, char *to, size_t bytes, size_t done)
{
    struct iovec parts[2] = { { to, bytes / 2 }, { to + bytes / 2, bytes - bytes / 2 } };
    must(lseek(fd, (off_t)done, SEEK_SET) == (off_t)done, "lseek");
    return call == 0   ? read(fd, to, bytes)
           : call == 1 ? readv(fd, parts, 2)
           : call == 2 ? preadv(fd, parts, 2, (off_t)done)
           : call == 3 ? preadv2(fd, parts, 2, (off_t)done, 0)
                       : pread(fd, to, bytes, (off_t)done);
}

static void read_all(int call, int fd, char *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = read_by(call, fd, to + done, bytes - done, done);
        must(n > 0 || (n < 0 && errno == EIO && fails && strchr("ra", expected)), calls[call]);
        must(n < 0 || n == (ssize_t)(bytes - done) || (is_short && strchr("ra", expected)),
             calls[call]);
        done += n > 0 ? (size_t)n : 0;
    }
}

static void sync_all(const char *what)
{
    int folder = open(".", O_RDONLY | O_DIRECTORY), fd = open("synced", O_RDWR | O_CREAT, 0666);
    must(folder >= 0 && fd >= 0 && ftruncate(fd, 4096) == 0, "synced");
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(map != MAP_FAILED, "mmap");
    for (int i = 0; i < 5; i++) {
        map[0]++;
        if (strcmp(what, "file") == 0)
            must(fsync(fd) == 0, "file sync");
        else if (strcmp(what, "folder") == 0)
            must(fsync(folder) == 0, "folder sync");
        else
            must(msync(map, 4096, MS_SYNC) == 0, "memory sync");
    }
}

int main(int count, char **argument)
{
    static char bytes[BYTES], again[BYTES];
    const char *kind = count > 1 ? argument[1] : "none";
    if (kind[0] == 'f' || kind[0] == 'm') {
        sync_all(kind);
        return 0;
    }
    fails = strcmp(kind, "parts") != 0;
    is_short = strcmp(kind, "errors") != 0;
    expected = !fails || !is_short ? 'a' : kind[1] == '\0' ? kind[0] : 'n';
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)(i % 251);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "file%d", i);
        int fd = open(name, O_RDWR | O_CREAT, 0666);
        must(fd >= 0, name);
        size_t n = write_all(fd, bytes, BYTES);
        must(n == BYTES || i > 0, "no space");
        for (int call = 0; call < 5; call++)
            if (count < 3 || strcmp(argument[2], calls[call]) == 0)
                read_all(call, fd, again, n);
        must(memcmp(bytes, again, n) == 0, "other bytes");
        must(i < 1 || expected != 's' || n == 0, "too much space");
        close(fd);
    }
    return 0;
}
