/* io_calls.c - what docs/io.md says of the calls: files, shared descriptors, flags, connections, a
 * host's descriptor.
 * needs: descriptors threads
 * modes: woven forced
 * expect: file: 11 bytes written, "hello file", then 0
 * expect: waitall: 10 of 10
 * expect: dontwait: -1 EAGAIN
 * expect: message: 6 bytes from two parts
 * expect: sendfile: 10 bytes
 * expect: datagram: ping
 * expect: refused: -1 ECONNREFUSED
 * expect: shared: O_NONBLOCK is off, got s
 * expect: detached: -1 EBADF
 * expect: attach: an argument is not acceptable
 * expect: host: readable, got h */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(int err)
{
    return err == EAGAIN         ? "EAGAIN"
           : err == EBADF        ? "EBADF"
           : err == ECONNREFUSED ? "ECONNREFUSED"
                                 : strerror(err);
}

static int temporary(void)
{
    char path[] = "/tmp/co4-io-calls.XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    return fd;
}

pausable void files(void)
{
    char text[32] = "";
    int fd = temporary();
    ssize_t n = co4_write(fd, "hello file\n", 11);
    lseek(fd, 0, SEEK_SET);
    co4_read(fd, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    printf("file: %d bytes written, \"%s\", then %d\n", (int)n, text,
           (int)co4_read(fd, text, sizeof text));
    co4_close(fd);
}

pausable void write_slowly(int fd)
{
    for (int i = 0; i < 10; i++) {
        co4_write(fd, "x", 1);
        co4_sleep(CO4_MS / 5);
    }
}

pausable void flags(void)
{
    int fds[2];
    char bytes[16], a[3], b[8];
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    co4_task *t = co4_spawn(write_slowly(fds[1]));
    printf("waitall: %d of 10\n", (int)co4_recv(fds[0], bytes, 10, MSG_WAITALL));
    co4_join(t, NULL);
    int n = (int)co4_recv(fds[0], bytes, 1, MSG_DONTWAIT);
    printf("dontwait: %d %s\n", n, name_of(errno));
    struct iovec from[2] = { { "abc", 3 }, { "def", 3 } }, to[2] = { { a, 3 }, { b, 8 } };
    struct msghdr out = { .msg_iov = from, .msg_iovlen = 2 },
                  in = { .msg_iov = to, .msg_iovlen = 2 };
    co4_sendmsg(fds[1], &out, 0);
    n = (int)co4_recvmsg(fds[0], &in, 0);
    printf("message: %d bytes from two parts\n",
           memcmp(a, "abc", 3) || memcmp(b, "def", 3) ? -1 : n);
    int file = temporary();
    off_t at = 0;
    co4_write(file, "0123456789", 10);
    printf("sendfile: %d bytes\n", (int)co4_sendfile(fds[1], file, &at, 100));
    co4_close(file);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static int bound(int type, struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    int fd = co4_socket(AF_INET, type, 0);
    *address = (struct sockaddr_in){ .sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    co4_bind(fd, (struct sockaddr *)address, length);
    co4_getsockname(fd, (struct sockaddr *)address, &length);
    return fd;
}

pausable void send_later(int fd, struct sockaddr_in to)
{
    co4_sleep(CO4_MS);
    co4_sendto(fd, "ping", 4, 0, (struct sockaddr *)&to, sizeof to);
}

pausable void connections(void)
{
    struct sockaddr_in here, there;
    char text[8] = "";
    int a = bound(SOCK_DGRAM, &here), b = bound(SOCK_DGRAM, &there);
    co4_task *t = co4_spawn(send_later(b, here));
    co4_recvfrom(a, text, sizeof text, 0, NULL, NULL);
    co4_join(t, NULL);
    printf("datagram: %s\n", text);
    co4_close(a);
    co4_close(b);
    a = bound(SOCK_STREAM, &here); /* nothing listens there */
    b = co4_socket(AF_INET, SOCK_STREAM, 0);
    int n = co4_connect(b, (struct sockaddr *)&here, sizeof here);
    printf("refused: %d %s\n", n, name_of(errno));
    co4_close(a);
    co4_close(b);
}

pausable void write_later(int fd, const char *text)
{
    co4_sleep(CO4_MS);
    co4_write(fd, text, 1);
}

pausable void origins(void)
{
    int fds[2];
    char c = '?';
    if (pipe(fds) != 0)
        return;
    co4_task *t = co4_spawn(write_later(fds[1], "s"));
    co4_read(fds[0], &c, 1); /* attached by this call, as a shared descriptor */
    co4_join(t, NULL);
    printf("shared: O_NONBLOCK is %s, got %c\n", fcntl(fds[0], F_GETFL) & O_NONBLOCK ? "on" : "off",
           c);
    co4_close(fds[1]);
    co4_close(fds[0]);
    int n = (int)co4_read(fds[0], &c, 1);
    printf("detached: %d %s\n", n, name_of(errno));
    printf("attach: %s\n", co4_strerror(co4_fd_attach(-1, 0)));
}

pausable void read_one(int fd, char *c)
{
    co4_read(fd, c, 1);
}

/* The host polls one descriptor, and learns of the events of all. */
static void host(void)
{
    int fds[2];
    char c = '?';
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    struct pollfd p = { .fd = co4_runtime_wake_fd(rt), .events = POLLIN };
    if (co4_pipe(fds) != 0)
        return;
    co4_runtime_spawn(rt, read_one(fds[0], &c));
    while (poll(&p, 1, 20) > 0)
        co4_runtime_run_once(rt); /* until there is nothing to do */
    int before = poll(&p, 1, 0);
    if (write(fds[1], "h", 1) != 1)
        return;
    int after = poll(&p, 1, 5000);
    while (co4_runtime_tasks(rt) > 0)
        co4_runtime_run_once(rt);
    printf("host: %s, got %c\n", before == 0 && after == 1 ? "readable" : "?", c);
    co4_close(fds[0]);
    co4_close(fds[1]);
    co4_runtime_destroy(rt);
}

pausable void all(void)
{
    files();
    flags();
    connections();
    origins();
}

int main(void)
{
    co4_run(all());
    host();
    return 0;
}
