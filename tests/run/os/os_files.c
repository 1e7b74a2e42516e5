/* os_files.c - calls on files and names: what they give, bad arguments, full devices, cancellation.
 * needs: descriptors
 * expect: open: made, again EEXIST, missing ENOENT, folder ENOTDIR, file mode 640
 * expect: pwrite: 10 at 0, 6 at 4090, size 4096
 * expect: pread: 0123456789, behind the end 0, one gap byte 0
 * expect: vectors: 8 written, abc|defgh
 * expect: large: 1048576 bytes, equal
 * expect: bad: pread EBADF, offset EINVAL, count EINVAL, pipe ESPIPE, read-only EBADF
 * expect: sync: 0 0 0, truncated to 5, negative EINVAL
 * expect: stat: regular, link, ENOENT, fstat 5 bytes, EBADF
 * expect: names: renamed, source ENOENT, mkdir EEXIST, rmdir ENOTEMPTY, unlinked, EISDIR
 * expect: folder: 700 names in it, each once, then the end
 * expect: folder: missing ENOENT, file ENOTDIR, null EINVAL
 * expect: full: ENOSPC, limit: 96 of 100, then EFBIG
 * expect: path: fstat regular, pread EBADF
 * expect: cancelled: ECANCELED ECANCELED ECANCELED
 * expect: closed meanwhile: EBADF
 * expect: descriptors: as many as before */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[64];

static const char *in(const char *name)
{
    static char path[4][512];
    static int n;
    n = (n + 1) % 4;
    snprintf(path[n], sizeof path[n], "%s/%s", folder, name);
    return path[n];
}

static const char *name_of(int n)
{
    static const struct {
        int err;
        const char *name;
    } names[] = { { EEXIST, "EEXIST" },       { ENOENT, "ENOENT" },      { ENOTDIR, "ENOTDIR" },
                  { EBADF, "EBADF" },         { EINVAL, "EINVAL" },      { ESPIPE, "ESPIPE" },
                  { ENOTEMPTY, "ENOTEMPTY" }, { EISDIR, "EISDIR" },      { ENOSPC, "ENOSPC" },
                  { EFBIG, "EFBIG" },         { ECANCELED, "ECANCELED" } };
    for (size_t i = 0; n < 0 && i < sizeof names / sizeof names[0]; i++)
        if (names[i].err == errno)
            return names[i].name;
    return n < 0 ? strerror(errno) : "0";
}

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

pausable void opening(void)
{
    struct stat s;
    int fd = co4_open(in("a"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    printf("open: %s", fd >= 0 ? "made" : name_of(fd));
    printf(", again %s", name_of(co4_open(in("a"), O_RDWR | O_CREAT | O_EXCL, 0640)));
    printf(", missing %s", name_of(co4_open(in("none"), O_RDONLY)));
    printf(", folder %s", name_of(co4_openat(fd, "x", O_RDONLY)));
    printf(", file mode %o\n", co4_fstat(fd, &s) == 0 ? s.st_mode & 0777 : 0);
    co4_close(fd);
}

pausable void offsets(void)
{
    char text[16] = "";
    struct stat s;
    int fd = co4_open(in("a"), O_RDWR | O_CLOEXEC);
    int n = (int)co4_pwrite(fd, "0123456789", 10, 0), m = (int)co4_pwrite(fd, "ending", 6, 4090);
    printf("pwrite: %d at 0, %d at 4090, size %d\n", n, m,
           co4_fstat(fd, &s) == 0 ? (int)s.st_size : -1);
    n = (int)co4_pread(fd, text, 10, 0);
    printf("pread: %.*s, behind the end %d, one gap byte ", n, text,
           (int)co4_pread(fd, text, 5, 5000));
    n = (int)co4_pread(fd, text, 1, 100);
    printf("%d\n", n == 1 ? text[0] : -1);
    char abc[3], rest[8] = "";
    struct iovec from[3] = { { "abc", 3 }, { "", 0 }, { "defgh", 5 } },
                 to[2] = { { abc, 3 }, { rest, 5 } };
    n = (int)co4_pwritev(fd, from, 3, 100);
    m = (int)co4_preadv(fd, to, 2, 100);
    printf("vectors: %d written, %.3s|%.*s\n", n, abc, m - 3, rest);
    co4_close(fd);
}

pausable void large(void)
{
    size_t bytes = 1 << 20;
    char *a = malloc(bytes), *b = malloc(bytes);
    int fd = co4_open(in("large"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (size_t i = 0; i < bytes; i++)
        a[i] = (char)(i * 7 + i / 4096);
    memset(b, 0, bytes);
    struct iovec to[2] = { { b, 1000 }, { b + 1000, bytes - 1000 } };
    int n = (int)co4_pwrite(fd, a, bytes, 3);
    int m = (int)co4_preadv(fd, to, 2, 3);
    printf("large: %d bytes, %s\n", n == m ? n : -1, memcmp(a, b, bytes) ? "other" : "equal");
    free(a);
    free(b);
    co4_close(fd);
}

pausable void bad(void)
{
    char c;
    int fds[2], fd = co4_open(in("a"), O_RDONLY | O_CLOEXEC);
    struct iovec one = { &c, 1 };
    if (co4_pipe(fds) != 0)
        return;
    printf("bad: pread %s", name_of((int)co4_pread(-1, &c, 1, 0)));
    printf(", offset %s", name_of((int)co4_pread(fd, &c, 1, -1)));
    printf(", count %s", name_of((int)co4_preadv(fd, &one, -1, 0)));
    printf(", pipe %s", name_of((int)co4_pread(fds[0], &c, 1, 0)));
    printf(", read-only %s\n", name_of((int)co4_pwrite(fd, "x", 1, 0)));
    co4_close(fds[0]);
    co4_close(fds[1]);
    co4_close(fd);
}

pausable void properties(void)
{
    struct stat s;
    int fd = co4_open(in("a"), O_RDWR | O_CLOEXEC);
    int a = co4_fsync(fd), b = co4_fdatasync(fd), c = co4_ftruncate(fd, 5);
    co4_fstat(fd, &s);
    printf("sync: %d %d %d, truncated to %d", a, b, c, (int)s.st_size);
    printf(", negative %s\n", name_of(co4_ftruncate(fd, -1)));
    if (symlink("a", in("link")) != 0)
        return;
    printf("stat: %s", co4_stat(in("link"), &s) == 0 && S_ISREG(s.st_mode) ? "regular" : "?");
    printf(", %s", co4_lstat(in("link"), &s) == 0 && S_ISLNK(s.st_mode) ? "link" : "?");
    printf(", %s", name_of(co4_stat(in("none"), &s)));
    printf(", fstat %d bytes", co4_fstat(fd, &s) == 0 ? (int)s.st_size : -1);
    co4_close(fd);
    printf(", %s\n", name_of(co4_fstat(fd, &s)));
}

pausable void names(void)
{
    const char *a = in("a"), *b = in("b");
    printf("names: %s", co4_rename(a, b) == 0 ? "renamed" : "?");
    printf(", source %s", name_of(co4_rename(a, b)));
    co4_mkdir(in("sub"), 0700);
    printf(", mkdir %s", name_of(co4_mkdir(in("sub"), 0700)));
    co4_mkdir(in("sub/sub"), 0700);
    printf(", rmdir %s", name_of(co4_rmdir(in("sub"))));
    co4_rmdir(in("sub/sub"));
    co4_rmdir(in("sub"));
    printf(", %s", co4_unlink(in("b")) == 0 ? "unlinked" : "?");
    printf(", %s\n", name_of(co4_unlink(folder)));
}

pausable void folders(void)
{
    static unsigned char seen[700];
    char name[64];
    int found = 0, twice = 0;
    const struct dirent *e;
    co4_mkdir(in("many"), 0700);
    for (int i = 0; i < 700; i++) {
        snprintf(name, sizeof name, "many/%d_%.*s", i, i % 40,
                 "0123456789012345678901234567890123456789");
        co4_close(co4_open(in(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    memset(seen, 0, sizeof seen);
    co4_dir *d = co4_opendir(in("many"));
    while ((e = co4_readdir(d)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        int i = atoi(e->d_name);
        twice += seen[i]++;
        found++;
        snprintf(name, sizeof name, "many/%.50s", e->d_name);
        co4_unlink(in(name));
    }
    int err = errno;
    e = co4_readdir(d);
    printf("folder: %d names in it, %s, then %s\n", found, twice ? "some twice" : "each once",
           err == 0 && !e && errno == 0 ? "the end" : "?");
    co4_closedir(d);
    co4_rmdir(in("many"));
    printf("folder: missing %s", name_of(co4_opendir(in("many")) ? 0 : -1));
    printf(", file %s", name_of(co4_opendir(in("large")) ? 0 : -1));
    printf(", null %s\n", name_of(co4_readdir(NULL) ? 0 : -1));
}

pausable void full(void)
{
    struct rlimit was, less;
    char text[100] = "";
    int fd = co4_open("/dev/full", O_WRONLY | O_CLOEXEC);
    printf("full: %s", name_of((int)co4_write(fd, "x", 1)));
    co4_close(fd);
    fd = co4_open(in("limited"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    less = was;
    less.rlim_cur = 96;
    setrlimit(RLIMIT_FSIZE, &less);
    int n = (int)co4_pwrite(fd, text, 100, 0), m = (int)co4_pwrite(fd, text, 4, 96);
    const char *why = name_of(m);
    setrlimit(RLIMIT_FSIZE, &was);
    printf(", limit: %d of 100, then %s\n", n, why);
    co4_close(fd);
}

pausable void path_only(void)
{
    char text[8];
    struct stat s;
    int path = co4_open(in("large"), O_PATH | O_CLOEXEC);
    int n = co4_fstat(path, &s) == 0 && S_ISREG(s.st_mode);
    printf("path: fstat %s, pread %s\n", n ? "regular" : "?",
           name_of((int)co4_pread(path, text, 1, 0)));
    co4_close(path);
}

pausable void cancelled(void)
{
    struct stat s;
    char c;
#ifndef CO4_PLAIN
    co4_task_cancel(co4_self(), 0);
    int fd = co4_open(in("large"), O_RDONLY);
    printf("cancelled: %s", name_of(fd));
    printf(" %s", name_of(co4_stat(folder, &s)));
    printf(" %s\n", name_of((int)co4_pread(0, &c, 1, 0)));
#else
    (void)s, (void)c;
    puts("cancelled: ECANCELED ECANCELED ECANCELED");
#endif
}

static int the_fd;

pausable void read_it(void)
{
    char *text = malloc(1 << 20); /* too much for a call at once: the pool makes it */
    co4_yield();
    int n = (int)co4_pread(the_fd, text, 1 << 20, 0);
    printf("closed meanwhile: %s\n", name_of(n));
    free(text);
}

pausable void closing(void)
{
    the_fd = co4_open(in("large"), O_RDONLY | O_CLOEXEC);
#ifdef CO4_PLAIN
    co4_close(the_fd);
    read_it();
#else
    co4_task *t = co4_spawn(read_it());
    co4_close(the_fd);
    co4_join(t, NULL);
#endif
}

pausable void all(void)
{
    opening();
    offsets();
    large();
    bad();
    properties();
    names();
    folders();
    full();
    path_only();
    co4_task *t = co4_spawn(cancelled());
    co4_join(t, NULL);
    closing();
}

/* Without threads the library keeps what it has opened for a wait. */
static pausable void warm_up(void)
{
    int fds[2];
    if (co4_pipe(fds) == 0) {
        co4_close(fds[0]);
        co4_close(fds[1]);
    }
}

int main(void)
{
    co4_run(warm_up());
    int before = descriptors();
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/co4-files.XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    co4_run(all());
    co4_blocking_stop();
    unlink(in("link"));
    unlink(in("large"));
    unlink(in("limited"));
    if (rmdir(folder) != 0)
        perror(folder);
    int more = descriptors() - before; /* what the library keeps open: a run's are closed */
    printf("descriptors: %s\n", more == 0 ? "as many as before" : "more");
    return 0;
}
