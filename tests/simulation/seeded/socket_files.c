/* socket_files.c - the files of Unix sockets: they are found, moved and removed, and stay when the
 * socket is closed. Prints the same with sockets of the system. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    memcpy(a.sun_path, path, strlen(path));
    return a;
}

static void say(const char *what, const char *path, int failed)
{
    printf("%s %s: %s\n", what, path, failed ? strerror(errno) : "yes");
}

static int bound(int type, const char *path)
{
    struct sockaddr_un a = address_of(path);
    int fd = socket(AF_UNIX, type, 0), failed = bind(fd, (struct sockaddr *)&a, sizeof a);
    say("bind", path, failed);
    if (!failed && type == SOCK_STREAM)
        assert(listen(fd, 9) == 0);
    return fd;
}

static int reaches(const char *path)
{
    struct sockaddr_un a = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    say("connect", path, connect(fd, (struct sockaddr *)&a, sizeof a));
    return fd;
}

static void look(const char *path)
{
    struct stat s, t;
    struct statx x;
    if (lstat(path, &s) != 0) {
        say("lstat", path, -1);
        return;
    }
    assert(stat(path, &t) == 0 && t.st_ino == s.st_ino && t.st_size == 0 && t.st_nlink == 1);
    assert(fstatat(AT_FDCWD, path, &t, 0) == 0 && t.st_mode == s.st_mode);
    assert(statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &x) == 0 && x.stx_ino == s.st_ino);
    assert(x.stx_mode == s.st_mode && x.stx_mtime.tv_sec == s.st_mtime && s.st_uid == geteuid());
    assert(s.st_mtime <= time(NULL) && s.st_mtime >= time(NULL) - 100);
    printf("%s: %o, %s, %s\n", path, (unsigned)s.st_mode, access(path, R_OK) == 0 ? "read" : "-",
           access(path, X_OK) == 0 ? "run" : "-");
}

static void streams(void)
{
    umask(027);
    close(reaches("a"));
    look("a");
    int fd = bound(SOCK_STREAM, "a");
    look("a");
    say("chmod", "a", chmod("a", 0600));
    look("./a");
    say("chown", "a", chown("a", geteuid(), (gid_t)-1));
    say("open", "a", open("a", O_RDWR | O_CREAT, 0666) < 0);
    close(reaches("./a"));
    close(bound(SOCK_STREAM, "a"));
    say("mkdir", "f", mkdir("f", 0755));
    close(bound(SOCK_STREAM, "none/a"));
    say("rename", "a", rename("a", "f/b"));
    close(reaches("a"));
    int both = reaches("f/../f//b");
    say("unlink", "f/b", unlink("f/b"));
    close(reaches("f/b"));
    say("write", "what was connected", write(both, "x", 1) != 1);
    close(both);
    int other = bound(SOCK_STREAM, "f/b");
    close(fd);
    close(other);
    close(reaches("f/b"));
    look("f/b");
    close(bound(SOCK_STREAM, "f/b"));
}

static void others(void)
{
    FILE *file = fopen("plain", "w");
    struct sockaddr_un from = { .sun_family = AF_UNIX }, to = address_of("../d");
    socklen_t length = sizeof from;
    char text[9] = "";
    fclose(file);
    close(reaches("plain"));
    close(bound(SOCK_STREAM, "plain"));
    say("rename", "over it", rename("f/b", "plain"));
    look("plain");
    close(reaches("plain"));
    say("remove", "plain", remove("plain"));
    say("remove", "again", remove("plain"));
    int one = bound(SOCK_DGRAM, "c"), two = bound(SOCK_DGRAM, "e"), folder = open("f", O_RDONLY);
    say("renameat", "c", renameat(AT_FDCWD, "c", folder, "../d"));
    say("chdir", "f", chdir("f"));
    assert(sendto(two, "hello", 6, 0, (struct sockaddr *)&to, sizeof to) == 6);
    assert(recvfrom(one, text, 9, 0, (struct sockaddr *)&from, &length) == 6);
    printf("%s from %s\n", text, from.sun_path);
    say("unlinkat", "../d", unlinkat(folder, "../d", 0));
    say("unlinkat", "../e as a folder", unlinkat(folder, "../e", AT_REMOVEDIR));
    say("unlink", "../e", unlink("../e"));
    say("rmdir", "../f", rmdir("../f"));
    close(one);
    close(two);
    close(folder);
}

/* The name is looked up by the call: what happens to it later is another matter. */
static void names_go(void)
{
    struct sockaddr_un to = address_of("g/s"), way = address_of("h");
    char text[9] = "";
    say("mkdir", "g", mkdir("g", 0755));
    int one = bound(SOCK_DGRAM, "g/s"), two = socket(AF_UNIX, SOCK_DGRAM, 0);
    int three = socket(AF_UNIX, SOCK_DGRAM, 0);
    say("connect", "g/s", connect(three, (struct sockaddr *)&to, sizeof to));
    say("mkdir", "g/s", mkdir("g/s", 0755));
    say("symlink", "g/s", symlink("x", "g/s"));
    say("rmdir", "g", rmdir("g"));
    say("remove", "g", remove("g"));
    say("symlink", "l", symlink("g", "l"));
    look("l/s");
    say("rename", "g", rename("g", "k"));
    look("g/s");
    look("k/s");
    to = address_of("k/s");
    assert(sendto(two, "first", 6, 0, (struct sockaddr *)&to, sizeof to) == 6);
    say("rename", "k/s", rename("k/s", "k/t"));
    to = address_of("k/t");
    assert(sendto(two, "second", 7, 0, (struct sockaddr *)&to, sizeof to) == 7);
    say("unlink", "k/t", unlink("k/t"));
    for (int i = 0; i < 2; i++)
        printf("%zd %s\n", recv(one, text, sizeof text, 0), text);
    close(one);
    one = bound(SOCK_DGRAM, "k/s");
    say("send", "to the one before", send(three, "x", 1, 0) != 1);
    say("unlink", "k/s", unlink("k/s"));
    int l = bound(SOCK_STREAM, "h"), fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int failed = connect(fd, (struct sockaddr *)&way, sizeof way);
    assert(!failed || errno == EINPROGRESS);
    say("unlink", "h", unlink("h"));
    say("accept", "what was connected", (failed = accept(l, NULL, NULL)) < 0);
    say("rmdir", "k", rmdir("k"));
    say("unlink", "l", unlink("l"));
    for (int each[] = { one, two, three, l, fd, failed }, i = 0; i < 6; i++)
        close(each[i]);
}

int main(void)
{
    streams();
    names_go();
    others();
    return 0;
}
