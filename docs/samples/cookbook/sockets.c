/* sockets.c - the recipes of the cookbook about sockets and files.
 * modes: woven forced
 * needs: descriptors threads
 * expect: one
 * expect: two
 * expect: over: CO4_OK
 * expect: 5 bytes
 * expect: nothing in time: CO4_ETIMEDOUT
 * expect: no server: ECONNREFUSED
 * expect: pong
 * expect: by Unix: pong
 * expect: file: 6 bytes
 * expect: 4 bytes at once */
#include <co4.h>
#include <co4/conn.h>
#include <co4/file.h>
#include <co4/io.h>
#include <co4/net.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How do I read lines from a connection? */

static pausable int print_lines(int fd)
{
    char *line;
    ssize_t n = -1;
    co4_conn *c = co4_conn_create(fd); /* it has the descriptor now, and closes it */
    while (c && (n = co4_conn_read_line(c, &line, 512)) > 0)
        fputs(line, stdout);
    co4_conn_close(c);
    return n < 0 ? (int)n : CO4_OK; /* 0: the peer has ended */
}

/* How do I pass on what comes, as a proxy does? */

static pausable int copy(int from, int to)
{
    char data[4096];
    ssize_t n;
    while ((n = co4_read(from, data, sizeof data)) > 0)
        if (co4_write(to, data, (size_t)n) < 0) /* all of it, or an error */
            return CO4_ECLOSED;
    co4_shutdown(to, SHUT_WR); /* the end is passed on, too */
    return n < 0 ? CO4_ECLOSED : CO4_OK;
}

static pausable int proxy(int a, int b) /* in a scope: both ways at once */
{
    int code = co4_scope_spawn(co4_scope_here(), copy(a, b));
    return code ? code : copy(b, a);
}

/* How do I end a connection that says nothing? */

static pausable int read_in_time(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    if (!c)
        return CO4_ENOMEM;
    ssize_t n = co4_conn_read_line_until(c, &line, 512, co4_after(5 * CO4_MS));
    co4_conn_close(c);
    return n < 0 ? (int)n : CO4_OK;
}

/* How do I connect by name, with a time limit? */

static pausable int call(const char *host, const char *port)
{
    int fd = co4_tcp_connect_until(host, port, co4_after(5 * CO4_SEC));
    if (fd < 0)
        return fd; /* its addresses were tried in turn; the reason of the last one */
    return co4_close(fd);
}

/* How do I send a datagram, and take the answer? */

static pausable void answer(int fd)
{
    char data[64];
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    if (co4_recvfrom(fd, data, sizeof data, 0, (struct sockaddr *)&from, &length) > 0)
        co4_sendto(fd, "pong", 4, 0, (struct sockaddr *)&from, length);
}

static pausable int ping(const char *port)
{
    char data[64];
    int fd = co4_udp_connect("localhost", port);
    if (fd < 0)
        return fd;
    co4_write(fd, "ping", 4);
    ssize_t n = co4_read_until(fd, data, sizeof data, co4_after(CO4_SEC)); /* it may be lost */
    printf("%.*s\n", n < 0 ? 0 : (int)n, data);
    return co4_close(fd);
}

/* How do two programs of one machine talk? */

static pausable void serve_once(int listener)
{
    int fd = co4_accept_next(listener);
    co4_write(fd, "pong", 4);
    co4_close(fd);
}

static pausable int call_unix(const char *path)
{
    char data[8] = "";
    int fd = co4_unix_connect(path);
    if (fd < 0)
        return fd;
    co4_read(fd, data, sizeof data - 1);
    printf("by Unix: %s\n", data);
    return co4_close(fd);
}

/* How do I read a file without making all tasks wait for the disk? */

static pausable ssize_t file_size(const char *path)
{
    char data[4096];
    ssize_t n, all = 0;
    int fd = co4_open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = co4_pread(fd, data, sizeof data, all)) > 0)
        all += n;
    return fd < 0 || co4_close(fd) != 0 ? -1 : all;
}

/* How do I read a header of exactly four bytes? */

static pausable int read_header(int fd)
{
    char header[4];
    co4_conn *c = co4_conn_create(fd);
    if (!c)
        return CO4_ENOMEM;
    ssize_t n = co4_conn_read_exact(c, header, sizeof header); /* less only at the end */
    co4_conn_close(c);
    return (int)n;
}

static pausable void pair_of(int *fds)
{
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
}

static pausable void all(void)
{
    int a[2], b[2];
    pair_of(a);
    co4_write(a[0], "one\ntwo\n", 8);
    co4_close(a[0]);
    printf("over: %s\n", co4_errname(print_lines(a[1])));

    char data[8], port[8];
    pair_of(a);
    pair_of(b);
    co4_task *between = co4_spawn(co4_scope_run(0, proxy(a[1], b[0])));
    co4_write(a[0], "hello", 5);
    printf("%d bytes\n", (int)co4_read(b[1], data, sizeof data));
    co4_close(a[0]);
    co4_close(b[1]);
    co4_join(between, NULL);
    co4_close(a[1]);
    co4_close(b[0]);

    pair_of(a);
    printf("nothing in time: %s\n", co4_errname(read_in_time(a[0])));
    co4_close(a[1]);
    printf("no server: %s\n", co4_errname(call("127.0.0.77", "9")));

    int udp = co4_udp_bind("localhost", "0", 0);
    snprintf(port, sizeof port, "%d", co4_socket_port(udp));
    co4_task *answers = co4_spawn(answer(udp));
    ping(port);
    co4_join(answers, NULL);
    co4_close(udp);

    char path[] = "/tmp/co4-cookbook.XXXXXX", name[sizeof path + 8];
    int file = mkstemp(path);
    snprintf(name, sizeof name, "%s.socket", path);
    int listener = co4_unix_listen(name, 0);
    co4_task *server = co4_spawn(serve_once(listener));
    call_unix(name);
    co4_join(server, NULL);
    co4_close(listener);
    unlink(name);

    co4_pwrite(file, "sample", 6, 0);
    printf("file: %d bytes\n", (int)file_size(path));
    co4_close(file);
    unlink(path);

    pair_of(a);
    co4_write(a[1], "HEADbody", 8);
    printf("%d bytes at once\n", read_header(a[0]));
    co4_close(a[1]);
}

int main(void)
{
    co4_run(all());
    return 0;
}
