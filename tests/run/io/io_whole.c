/* io_whole.c - reads of no bytes, MSG_WAITALL where there are streams and where there are none, and
 * numbers of parts that no system takes.
 * needs: descriptors
 * modes: woven forced
 * expect: real: no bytes 0 0 0, of a drained stream 0, of a datagram 0 which stays
 * expect: real: no bytes of no descriptor EBADF, of the end that writes EBADF
 * expect: real: recv of no bytes ETIMEDOUT, then 0
 * expect: real: a message of 10 in three parts: 10 helloworld
 * expect: real: such a message, and its end: 5
 * expect: real: such a message, and a deadline: 5
 * expect: real: two datagrams: 3 3, as messages 3 3
 * expect: real: a look at all: what is there
 * expect: real: parts: EINVAL EINVAL EINVAL EINVAL, message EMSGSIZE EMSGSIZE
 * expect: simulated: no bytes 0 0 0, of a drained stream 0, of a datagram 0 which stays
 * expect: simulated: no bytes of no descriptor EBADF, of the end that writes EBADF
 * expect: simulated: recv of no bytes ETIMEDOUT, then 0
 * expect: simulated: a message of 10 in three parts: 10 helloworld
 * expect: simulated: such a message, and its end: 5
 * expect: simulated: such a message, and a deadline: 5
 * expect: simulated: two datagrams: 3 3, as messages 3 3
 * expect: simulated: a look at all: what is there
 * expect: simulated: parts: EINVAL EINVAL EINVAL EINVAL, message EMSGSIZE EMSGSIZE */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *where;

static const char *name_of(ssize_t n)
{
    return n != -1              ? "?"
           : errno == EBADF     ? "EBADF"
           : errno == EINVAL    ? "EINVAL"
           : errno == EMSGSIZE  ? "EMSGSIZE"
           : errno == ETIMEDOUT ? "ETIMEDOUT"
                                : strerror(errno);
}

static int64_t soon(void)
{
    return co4_now() + 20 * CO4_SEC;
}

static void pair(int type, int fds[2])
{
    if (co4_socketpair(AF_UNIX, type, 0, fds) != 0)
        perror("co4_socketpair");
}

static void close_both(const int fds[2])
{
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void no_bytes(void)
{
    int s[2], p[2], d[2];
    char c[8];
    pair(SOCK_STREAM, s);
    pair(SOCK_DGRAM, d);
    co4_pipe(p);
    struct iovec none[2] = { { c, 0 }, { c, 0 } };
    ssize_t a = co4_read_until(s[0], c, 0, soon()), b = co4_readv_until(s[0], NULL, 0, soon());
    ssize_t e = co4_read_until(p[0], c, 0, soon());
    co4_read_until(s[0], c, 8, co4_now() + CO4_MS); /* from now on it is known to be drained */
    ssize_t drained = co4_readv_until(s[0], none, 2, soon());
    co4_write(d[1], "abc", 3);
    ssize_t datagram = co4_read_until(d[0], c, 0, soon());
    ssize_t stays = co4_read_until(d[0], c, 8, soon());
    printf("%s: no bytes %d %d %d, of a drained stream %d, of a datagram %d which %s\n", where,
           (int)a, (int)b, (int)e, (int)drained, (int)datagram, stays == 3 ? "stays" : "is lost");
    int gone = s[0];
    ssize_t n = co4_read(p[1], c, 0);
    const char *writes = name_of(n);
    close_both(s);
    n = co4_read(gone, c, 0);
    printf("%s: no bytes of no descriptor %s, of the end that writes %s\n", where, name_of(n),
           writes);
    close_both(p);
    close_both(d);
    pair(SOCK_STREAM, s);
    n = co4_recv_until(s[0], c, 0, 0, co4_now() + 5 * CO4_MS); /* as the system: it waits */
    const char *waits = name_of(n);
    co4_write(s[1], "x", 1);
    n = co4_recv_until(s[0], c, 0, 0, soon());
    printf("%s: recv of no bytes %s, then %d\n", where, waits, (int)n);
    close_both(s);
}

static pausable void send_rest(int fd, const char *rest)
{
    co4_sleep(5 * CO4_MS);
    if (*rest)
        co4_write(fd, rest, strlen(rest));
    else
        co4_shutdown(fd, SHUT_WR);
}

static pausable void messages(void)
{
    int s[2];
    char text[11] = "";
    struct iovec parts[3] = { { text, 3 }, { text + 3, 4 }, { text + 7, 3 } };
    struct msghdr m = { .msg_iov = parts, .msg_iovlen = 3 };
    pair(SOCK_STREAM, s);
    co4_write(s[1], "hello", 5);
    co4_task *t = co4_spawn(send_rest(s[1], "world"));
    ssize_t n = co4_recvmsg_until(s[0], &m, MSG_WAITALL, soon());
    printf("%s: a message of 10 in three parts: %d %s\n", where, (int)n, text);
    co4_join(t, NULL);
    co4_write(s[1], "hello", 5);
    t = co4_spawn(send_rest(s[1], ""));
    n = co4_recvmsg(s[0], &m, MSG_WAITALL);
    printf("%s: such a message, and its end: %d\n", where, (int)n);
    co4_join(t, NULL);
    close_both(s);
    pair(SOCK_STREAM, s);
    co4_write(s[1], "hello", 5);
    n = co4_recvmsg_until(s[0], &m, MSG_WAITALL, co4_now() + 5 * CO4_MS);
    printf("%s: such a message, and a deadline: %d\n", where, (int)n);
    close_both(s);
    pair(SOCK_DGRAM, s);
    for (int i = 0; i < 4; i++)
        co4_write(s[1], "abc", 3);
    ssize_t a = co4_recv_until(s[0], text, 10, MSG_WAITALL, soon());
    ssize_t b = co4_recvfrom_until(s[0], text, 10, MSG_WAITALL, NULL, NULL, soon());
    ssize_t c = co4_recvmsg_until(s[0], &m, MSG_WAITALL, soon());
    ssize_t d = co4_recvmsg_until(s[0], &m, MSG_WAITALL, soon());
    printf("%s: two datagrams: %d %d, as messages %d %d\n", where, (int)a, (int)b, (int)c, (int)d);
    close_both(s);
    pair(SOCK_STREAM, s);
    co4_write(s[1], "hello", 5);
    n = co4_recv_until(s[0], text, 10, MSG_WAITALL | MSG_PEEK, soon());
    printf("%s: a look at all: %s\n", where, n > 0 && n <= 5 ? "what is there" : "?");
    close_both(s);
}

static pausable void too_many(void)
{
    int s[2];
    char c[2] = "x";
    struct iovec one = { c, 1 };
    static struct iovec many[IOV_MAX + 1];
    struct msghdr m = { .msg_iov = many };
    const char *said[6];
    ssize_t n;
    pair(SOCK_STREAM, s);
    n = co4_writev(s[1], &one, IOV_MAX + 1);
    said[0] = name_of(n);
    n = co4_writev(s[1], &one, -1);
    said[1] = name_of(n);
    n = co4_readv(s[0], &one, 100000000);
    said[2] = name_of(n);
    n = co4_readv(s[0], &one, -1);
    said[3] = name_of(n);
    m.msg_iovlen = IOV_MAX + 1;
    n = co4_sendmsg(s[1], &m, 0);
    said[4] = name_of(n);
    n = co4_recvmsg(s[0], &m, 0);
    said[5] = name_of(n);
    printf("%s: parts: %s %s %s %s, message %s %s\n", where, said[0], said[1], said[2], said[3],
           said[4], said[5]);
    close_both(s);
}

pausable int all(void)
{
    no_bytes();
    messages();
    too_many();
    return 0;
}

int main(void)
{
    where = "real";
    co4_run(all());
    where = "simulated";
    co4_test_begin(&(co4_test_options){ .seed = 7 });
    co4_run(all());
    return co4_test_end(NULL) == CO4_OK ? 0 : 1;
}
