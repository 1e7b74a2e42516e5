/* faults.c - a program whose calls fail by the seed: it does with that what is right.
 *
 *   faults w|r|s|none    which failures it expects: of writes, of reads, of space */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES 3000

static char expected;

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
        must(n >= 0 || (errno == EIO && expected == 'w'), "write");
        must(n == (ssize_t)(bytes - done) || expected == 'w', "a short write");
        done += n > 0 ? (size_t)n : 0;
    }
    return done;
}

static void read_all(int fd, char *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pread(fd, to + done, bytes - done, (off_t)done);
        must(n > 0 || (errno == EIO && expected == 'r'), "read");
        must(n == (ssize_t)(bytes - done) || expected == 'r', "a short read");
        done += n > 0 ? (size_t)n : 0;
    }
}

int main(int count, char **argument)
{
    static char bytes[BYTES], again[BYTES];
    expected = count > 1 && argument[1][1] == '\0' ? argument[1][0] : '\0';
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char)(i % 251);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "file%d", i);
        int fd = open(name, O_RDWR | O_CREAT, 0666);
        must(fd >= 0, name);
        size_t n = write_all(fd, bytes, BYTES);
        must(n == BYTES || i > 0, "no space");
        read_all(fd, again, n);
        must(memcmp(bytes, again, n) == 0, "other bytes");
        must(i < 1 || expected != 's' || n == 0, "too much space");
        close(fd);
    }
    return 0;
}
