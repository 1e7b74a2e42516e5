/* files.c - calls on files, folders and descriptors: the same as on Linux. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name_of(int err)
{
    static const struct {
        int err;
        const char *name;
    } names[] = { { ENOENT, "ENOENT" }, { EEXIST, "EEXIST" }, { ENOTDIR, "ENOTDIR" },
                  { EISDIR, "EISDIR" }, { EINVAL, "EINVAL" }, { ENOTEMPTY, "ENOTEMPTY" },
                  { ELOOP, "ELOOP" },   { EBADF, "EBADF" },   { ESPIPE, "ESPIPE" },
                  { EPIPE, "EPIPE" },   { ERANGE, "ERANGE" }, { EAGAIN, "EAGAIN" },
                  { ENOTTY, "ENOTTY" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].err == err)
            return names[i].name;
    return err == 0 ? "0" : "another";
}

static void show(const char *what, long n)
{
    int err = errno;
    printf("%s: %ld %s\n", what, n, n < 0 ? name_of(err) : "");
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list(const char *folder)
{
    char names[16][32];
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && n < 16 && (e = readdir(d)) != NULL;)
        snprintf(names[n++], sizeof names[0], "%.20s/%d", e->d_name, e->d_type);
    if (d)
        closedir(d);
    qsort(names, (size_t)n, sizeof names[0], compare);
    printf("%s:", folder);
    for (int i = 0; i < n; i++)
        printf(" %s", names[i]);
    putchar('\n');
}

static void look(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0)
        show(path, -1);
    else
        printf("%s: %o %d %d links, time %d\n", path, s.st_mode,
               S_ISDIR(s.st_mode) ? 0 : (int)s.st_size, S_ISDIR(s.st_mode) ? 0 : (int)s.st_nlink,
               s.st_mtime == 1000000000);
}

static void files(void)
{
    char text[64] = "", here[256];
    umask(022);
    show("mkdir", mkdir("a", 0755));
    show("again", mkdir("a", 0755));
    show("chdir", chdir("a"));
    int fd = open("one", O_RDWR | O_CREAT | O_EXCL, 0640);
    show("write", write(fd, "hello, all of you", 17));
    show("seek", lseek(fd, 7, SEEK_SET));
    show("read", read(fd, text, 3));
    printf("%s\n", text);
    show("behind", lseek(fd, 10, SEEK_END));
    show("write", write(fd, "x", 1));
    show("pread", pread(fd, text, 64, 25));
    show("truncate", ftruncate(fd, 5));
    show("sync", fsync(fd));
    look("one");
    show("rename", rename("one", "two"));
    show("symlink", symlink("two", "three"));
    show("readlink", readlink("three", text, sizeof text));
    look("two");
    look("three");
    show("unlink", unlink("one"));
    show("rename", rename("two", "four"));
    show("dangling", open("three", O_RDONLY));
    symlink("loop", "loop");
    show("loop", open("loop", O_RDONLY));
    show("no folder", open("four/x", O_RDONLY));
    show("folder", open(".", O_WRONLY));
    show("missing", open("no", O_RDONLY));
    show("exclusive", open("four", O_CREAT | O_EXCL | O_RDWR, 0600));
    mkdir("b", 0700);
    show("rename", rename("four", "b/five"));
    show("not empty", rmdir("b"));
    show("into itself", rename("b", "b/c"));
    list(".");
    list("b");
    int add = open("b/five", O_WRONLY | O_APPEND);
    show("append", write(add, " and more", 9));
    show("still open", pread(fd, text, 14, 0));
    printf("%.14s\n", text);
    const struct timespec times[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
    show("times", utimensat(AT_FDCWD, "b/five", times, 0));
    show("chmod", chmod("b/five", 0600));
    look("b/five");
    show("access", access("b/five", R_OK));
    show("flags", fcntl(add, F_GETFL) & (O_ACCMODE | O_APPEND));
    show("room", getcwd(here, 2) ? 0 : -1);
    printf("%s\n", getcwd(here, sizeof here) ? strrchr(here, '/') : "?");
    show("dup2", dup2(add, 20));
    show("by it", write(20, "!", 1));
    show("close", close(20));
    show("closed", write(20, "!", 1));
    show("tty", isatty(add) - 1);
    show("unlink", unlink("b/five"));
    show("gone", fstat(fd, &(struct stat){ 0 }));
    show("rmdir", rmdir("b"));
    FILE *f = fopen("lines", "w+");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "line %d\n", i);
    rewind(f);
    int n = 0;
    while (fgets(text, sizeof text, f))
        n++;
    printf("%d lines, the last %s", n, text);
    fclose(f);
    look("lines");
}

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

/* As databases lock: by the process, and by descriptions. */
static void locks(void)
{
    int one = open("locked", O_RDWR | O_CREAT, 0600), other = open("locked", O_RDWR);
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    struct flock far = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x140000000, .l_len = 510
    };
    show("ftruncate", ftruncate(one, 100));
    show("lock", fcntl(one, F_SETLK, &far));
    show("wait for it", fcntl(other, F_SETLKW, &far));
    struct flock asked = far;
    show("ask", fcntl(other, F_GETLK, &asked));
    printf("%d %d %lld\n", asked.l_type == F_UNLCK, asked.l_whence, (long long)asked.l_len);
    show("by a description", fcntl(one, F_OFD_SETLK, &all));
    far.l_type = F_RDLCK;
    far.l_start = 7;
    show("held", fcntl(other, F_OFD_SETLK, &far));
    show("ask", fcntl(other, F_OFD_GETLK, &far));
    printf("%d %lld %lld %d\n", far.l_type == F_WRLCK, (long long)far.l_start, (long long)far.l_len,
           (int)far.l_pid);
    all.l_type = F_UNLCK;
    show("unlock", fcntl(one, F_OFD_SETLK, &all));
    far.l_type = F_RDLCK;
    far.l_pid = 0;
    show("free", fcntl(other, F_OFD_SETLK, &far));
    far.l_type = 9;
    show("no type", fcntl(other, F_SETLK, &far));
    close(one);
    close(other);
    show("unlink", unlink("locked"));
}

static void pipes(void)
{
    int fd[2];
    char text[64];
    fd_set reads;
    struct timeval limit = { 0, 1000 };
    show("pipe", pipe(fd));
    struct pollfd p = { fd[0], POLLIN, 0 };
    show("poll", poll(&p, 1, 1));
    show("write", write(fd[1], "through", 7));
    show("poll", poll(&p, 1, -1));
    printf("%d\n", p.revents);
    FD_ZERO(&reads);
    FD_SET(fd[0], &reads);
    show("select", select(fd[0] + 1, &reads, NULL, NULL, &limit));
    printf("%d\n", FD_ISSET(fd[0], &reads) != 0);
    show("seek", lseek(fd[0], 0, SEEK_SET));
    show("read", read(fd[0], text, sizeof text));
    show("nonblocking", fcntl(fd[0], F_SETFL, O_NONBLOCK));
    show("empty", read(fd[0], text, sizeof text));
    close(fd[1]);
    show("end", read(fd[0], text, sizeof text));
    close(fd[0]);
}

int main(void)
{
    files();
    locks();
    pipes();
    return 5;
}
