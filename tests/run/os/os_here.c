/* os_here.c - files below the current folder: what every system with files has.
 * needs: io
 * expect: open: made, again EEXIST, missing ENOENT
 * expect: write: 10, then 6 at 4090, size 4096
 * expect: read: 0123456789, gap 0, end 0
 * expect: stale errno: written 4, read abcd
 * expect: vectors: abc|defgh
 * expect: folder: 300 long names, each once
 * expect: names: renamed, ENOENT, ENOTEMPTY, removed
 * expect: readable: 0, select 0, poll 1
 * expect: closed: EBADF */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[512];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *failure(int n)
{
    return n >= 0               ? "0"
           : errno == EEXIST    ? "EEXIST"
           : errno == ENOENT    ? "ENOENT"
           : errno == EBADF     ? "EBADF"
           : errno == ENOTEMPTY ? "ENOTEMPTY"
                                : strerror(errno);
}

static pausable int opened(void)
{
    int fd = co4_open(in_folder("one"), O_RDWR | O_CREAT | O_EXCL, 0600);
    const char *again = failure(co4_open(in_folder("one"), O_RDWR | O_CREAT | O_EXCL, 0600));
    const char *missing = failure(co4_open(in_folder("none"), O_RDONLY));
    printf("open: %s, again %s, missing %s\n", fd >= 0 ? "made" : "?", again, missing);
    return fd;
}

static pausable void contents(int fd)
{
    char text[16] = "", gap = 1, end;
    struct stat s = { .st_size = 0 };
    int first = (int)co4_write(fd, "0123456789", 10);
    int second = (int)co4_pwrite(fd, "abcdef", 6, 4090);
    co4_fstat(fd, &s);
    printf("write: %d, then %d at 4090, size %d\n", first, second, (int)s.st_size);
    lseek(fd, 0, SEEK_SET);
    int n = (int)co4_read(fd, text, 10);
    int m = (int)co4_pread(fd, &gap, 1, 2000);
    int end_n = (int)co4_pread(fd, &end, 1, 5000);
    printf("read: %.*s, gap %d, end %d\n", n, text, m == 1 ? gap : -1, end_n);

    lseek(fd, 0, SEEK_SET);
    errno = EAGAIN; /* of an earlier call: it says nothing of the next one */
    first = (int)co4_write(fd, "abcd", 4);
    lseek(fd, 0, SEEK_SET);
    errno = EAGAIN;
    n = (int)co4_read(fd, text, 4);
    printf("stale errno: written %d, read %.*s\n", first, n, text);

    char a[4] = "", b[6] = "";
    struct iovec from[] = { { "abc", 3 }, { "defgh", 5 } }, to[] = { { a, 3 }, { b, 5 } };
    co4_pwritev(fd, from, 2, 0);
    co4_preadv(fd, to, 2, 0);
    printf("vectors: %s|%s\n", a, b);
}

#define NAMES 300

/* Longer than the buffer of one call of the pool. */
static pausable void many_names(void)
{
    char name[320];
    bool seen[NAMES] = { false };
    int n = 0, which;
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "%s/%0200d", folder, i);
        co4_close(co4_open(name, O_WRONLY | O_CREAT, 0600));
    }
    co4_dir *dir = co4_opendir(folder);
    for (struct dirent *e; (e = co4_readdir(dir)) != NULL;)
        if (strlen(e->d_name) == 200 && sscanf(e->d_name, "%d", &which) == 1 && !seen[which])
            n += seen[which] = true;
    co4_closedir(dir);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "%s/%0200d", folder, i);
        co4_unlink(name);
    }
    printf("folder: %d long names, each once\n", n);
}

static pausable void names(void)
{
    char from[128];
    snprintf(from, sizeof from, "%s/one", folder);
    int renamed = co4_rename(from, in_folder("two"));
    const char *missing = failure(co4_unlink(from)), *full = failure(co4_rmdir(folder));
    int removed = co4_unlink(in_folder("two")) + co4_rmdir(folder);
    printf("names: %s, %s, %s, %s\n", renamed == 0 ? "renamed" : "?", missing, full,
           removed == 0 ? "removed" : "?");
}

/* Files are always ready. */
static pausable void ready(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    co4_case one = CO4_CASE(co4_fd_readable(fd), NULL);
    int waited = co4_fd_wait(fd, POLLIN), selected = co4_select(&one, 1);
    printf("readable: %d, select %d, poll %d\n", waited, selected, co4_poll(&p, 1, -1));
}

static pausable void all(void)
{
    char byte;
    for (int i = 0; folder[0] == '\0' || co4_mkdir(folder, 0700) != 0; i++)
        if (i > 100)
            return;
        else
            snprintf(folder, sizeof folder, "./co4-here-%lld", (long long)co4_now());
    int fd = opened();
    contents(fd);
    many_names();
    names();
    ready(fd);
    co4_close(fd);
    printf("closed: %s\n", failure((int)co4_pread(fd, &byte, 1, 0)));
}

int main(void)
{
    co4_run(all());
    return 0;
}
