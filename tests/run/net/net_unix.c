/* net_unix.c - Unix sockets by path and by abstract name: stale files, live servers, wrong names.
 * needs: descriptors
 * expect: listens, connects, and says hello
 * expect: options: close-on-exec 1 1 1
 * expect: a server listens there: EADDRINUSE
 * expect: its queue is full: EADDRINUSE
 * expect: the file of a server that is gone: ok, connects ok
 * expect: nothing listens: ECONNREFUSED, no file: ENOENT
 * expect: a file that is no socket: EADDRINUSE, and it stays
 * expect: a link: EADDRINUSE
 * expect: no folder: ENOENT
 * expect: names: CO4_EINVAL CO4_EINVAL ENAMETOOLONG ENAMETOOLONG CO4_EINVAL
 * expect: flags: CO4_EINVAL CO4_EINVAL
 * expect: abstract: ok, in use: EADDRINUSE
 * expect: no connection comes: CO4_ETIMEDOUT
 * expect: the longest names: ok ok
 * expect: nothing stays open */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *end(int fd)
{
    if (fd < 0)
        return co4_errname(fd);
    co4_close(fd);
    return "ok";
}

static int cloexec(int fd)
{
    return (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

static pausable void pair(const char *path)
{
    char text[8] = "";
    int listener = co4_unix_listen(path, 0), client = co4_unix_connect(path);
    int server = co4_accept_next(listener);
    co4_write(client, "hello", 5);
    co4_read(server, text, 5);
    printf("listens, connects, and says %s\n", text);
    printf("options: close-on-exec %d %d %d\n", cloexec(listener), cloexec(client),
           cloexec(server));
    co4_close(client);
    co4_close(server);
    printf("a server listens there: %s\n", end(co4_unix_listen(path, 0)));
    co4_close(listener);
    unlink(path);
}

/* Fills the queue of a listener that accepts nothing. */
static pausable void full(const char *path)
{
    int fds[16], n = 0;
    int listener = co4_unix_listen(path, CO4_LISTEN_BACKLOG(1));
    do
        fds[n] = co4_unix_connect_until(path, co4_now() + 5 * CO4_MS);
    while (fds[n] >= 0 && ++n < 16);
    printf("its queue is full: %s\n", end(co4_unix_listen(path, 0)));
    while (n > 0)
        co4_close(fds[--n]);
    co4_close(listener); /* the file stays */
}

static pausable void files(const char *path)
{
    const char *refused = end(co4_unix_connect(path));
    int listener = co4_unix_listen(path, 0);
    printf("the file of a server that is gone: %s", listener < 0 ? co4_errname(listener) : "ok");
    printf(", connects %s\n", end(co4_unix_connect(path)));
    co4_close(listener);
    unlink(path);
    printf("nothing listens: %s, no file: %s\n", refused, end(co4_unix_connect(path)));
    struct stat s;
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    const char *result = end(co4_unix_listen(path, 0));
    printf("a file that is no socket: %s, and it %s\n", result,
           stat(path, &s) == 0 ? "stays" : "is gone");
    close(file);
    unlink(path);
    if (symlink("elsewhere", path) != 0)
        return;
    printf("a link: %s\n", end(co4_unix_listen(path, 0)));
    unlink(path);
    printf("no folder: %s\n", end(co4_unix_listen("/no-such-folder/socket", 0)));
}

static pausable void names(void)
{
    enum { MOST = sizeof(((struct sockaddr_un *)0)->sun_path) };
    char longer[MOST + 2], name[64];
    memset(longer, 'x', MOST + 1);
    longer[MOST] = '\0';
    const char *a = end(co4_unix_connect(NULL)), *b = end(co4_unix_listen("", 0));
    const char *c = end(co4_unix_listen(longer, 0));
    longer[MOST] = 'x';
    longer[MOST + 1] = '\0';
    longer[0] = '@';
    const char *d = end(co4_unix_connect(longer));
    printf("names: %s %s %s %s %s\n", a, b, c, d, end(co4_unix_listen("@", 0)));
    a = end(co4_unix_listen("@x", CO4_LISTEN_REUSEPORT));
    printf("flags: %s %s\n", a, end(co4_unix_listen("@x", -1)));
    snprintf(name, sizeof name, "@co4-net-unix-%d", (int)getpid());
    int listener = co4_unix_listen(name, 0);
    a = end(co4_unix_connect(name));
    printf("abstract: %s, in use: %s\n", a, end(co4_unix_listen(name, 0)));
    end(co4_accept_next(listener));
    printf("no connection comes: %s\n", end(co4_accept_next_until(listener, co4_now() + CO4_MS)));
    co4_close(listener);
    longer[MOST] = '\0'; /* an abstract name takes all bytes, a path one less */
    snprintf(longer + 1, MOST, "%0*d", MOST - 1, (int)getpid());
    a = end(co4_unix_listen(longer, 0));
    char path[MOST + 1];
    int n = snprintf(path, sizeof path, "/tmp/co4-%d-", (int)getpid());
    memset(path + n, 'x', (size_t)(MOST - n));
    path[MOST - 1] = '\0';
    printf("the longest names: %s %s\n", a, end(co4_unix_listen(path, 0)));
    unlink(path);
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1000; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static pausable void all(const char *path)
{
    pair(path);
    int before = descriptors();
    full(path);
    files(path);
    names();
    puts(descriptors() == before ? "nothing stays open" : "a descriptor stays open");
}

int main(void)
{
    char folder[] = "/tmp/co4-net-unix.XXXXXX", path[64];
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/socket", folder);
    co4_run(all(path));
    rmdir(folder);
    return 0;
}
