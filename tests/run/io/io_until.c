/* io_until.c - each call with a deadline that waits at a descriptor, five ways: the deadline has
 * passed, it comes during the wait, the task is cancelled during the wait, the task is cancelled
 * before, and nothing is left to wait for although the deadline has passed.
 * needs: descriptors
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: co4_read_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_readv_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_recv_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_recvfrom_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_recvmsg_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_accept4_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_accept_next_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_poll_until: 0, 0, CO4_ECANCELED, CO4_ECANCELED, done, now 0
 * expect: co4_fd_wait_until, to read: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_read_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_read_exact_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_read_line_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_read_to_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_peek_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_write_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_writev_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_send_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_sendto_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_sendmsg_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_sendfile_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_fd_wait_until, to write: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_write_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_send_file_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_flush_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_end_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_conn_close_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_connect_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EAGAIN
 * expect: co4_unix_connect_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED, CO4_ECANCELED, done, now CO4_EBUSY
 * expect: co4_resolve_until: done, cancelled CO4_ECANCELED
 * expect: co4_tcp_listen_until: done, cancelled CO4_ECANCELED
 * expect: co4_udp_bind_until: done, cancelled CO4_ECANCELED
 * expect: co4_udp_connect_until: done, cancelled CO4_ECANCELED
 * expect: co4_unix_listen_until: done, cancelled CO4_ECANCELED
 * expect: co4_tcp_connect_until: CO4_ETIMEDOUT, CO4_ETIMEDOUT, CO4_ECANCELED
 * expect: descriptors: as many as before */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

enum setup { NOTHING, FULL, PUT, LISTENER, BACKLOG };

/* A call of the test and what it is made at. */
struct ends {
    int fd, peer;
    co4_conn *conn; /* takes over fd */
    int listener, others[64], nothers;
    struct sockaddr_un address;
    socklen_t length;
};

static char much[1 << 20];
static char folder[] = "/tmp/co4-io-until.XXXXXX";
static int file;

static void fill(int fd)
{
    while (co4_send_until(fd, much, sizeof much, 0, CO4_NOW) > 0)
        ;
    while (co4_send_until(fd, much, 1, 0, CO4_NOW) > 0)
        ;
}

static int try_to_connect(const struct ends *e)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (connect(fd, (const struct sockaddr *)&e->address, e->length) == 0)
        return fd;
    close(fd);
    return -1;
}

static void set_up(struct ends *e, enum setup setup, int needs_conn)
{
    static int number;
    int fds[2];
    *e = (struct ends){ .fd = -1, .peer = -1, .listener = -1 };
    if (setup == LISTENER || setup == BACKLOG) {
        e->listener = co4_socket(AF_UNIX, SOCK_STREAM, 0);
        e->address.sun_family = AF_UNIX;
        snprintf(e->address.sun_path, sizeof e->address.sun_path, "%s/%d", folder, number++);
        e->length = sizeof e->address;
        co4_bind(e->listener, (struct sockaddr *)&e->address, e->length);
        co4_listen(e->listener, 1);
        e->fd = setup == BACKLOG ? co4_socket(AF_UNIX, SOCK_STREAM, 0) : e->listener;
        int fd;
        while (setup == BACKLOG && e->nothers < 64 && (fd = try_to_connect(e)) >= 0)
            e->others[e->nothers++] = fd;
        return;
    }
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    e->fd = fds[0];
    e->peer = fds[1];
    if (setup == FULL || setup == PUT)
        fill(e->fd);
    if (needs_conn)
        e->conn = co4_conn_create(e->fd);
    if (setup == PUT)
        co4_conn_put(e->conn, "hello", 5);
}

/* What the call waits for comes. */
static void make_ready(struct ends *e, enum setup setup)
{
    static char got[65536];
    if (setup == NOTHING)
        co4_send_until(e->peer, "x\n", 2, 0, CO4_NOW);
    if (setup == FULL || setup == PUT)
        while (co4_recv_until(e->peer, got, sizeof got, 0, CO4_NOW) > 0)
            ;
    if (setup == LISTENER)
        e->others[e->nothers++] = try_to_connect(e);
    if (setup == BACKLOG)
        for (int i = 0; i < e->nothers; i++)
            close(accept4(e->listener, NULL, NULL, 0));
}

static void tear_down(struct ends *e)
{
    if (e->conn)
        co4_conn_destroy(e->conn);
    else if (e->fd >= 0 && e->fd != e->listener)
        co4_close(e->fd);
    if (e->peer >= 0)
        co4_close(e->peer);
    if (e->listener >= 0)
        co4_close(e->listener);
    for (int i = 0; i < e->nothers; i++)
        close(e->others[i]);
    if (e->address.sun_path[0])
        unlink(e->address.sun_path);
}

/* A descriptor that a call has made. */
static int take(int fd)
{
    return fd < 0 || co4_close(fd) == 0 ? fd : -1;
}

static int polled(int n)
{
    if (n == 0)
        errno = 0;
    return n > 0 ? n : -1;
}

/* 1, or a code; 0 for a poll in vain. */
static int result_of(ssize_t n)
{
    return n >= 0 ? 1 : n < -1 ? (int)n : errno == 0 ? 0 : co4_code_of_errno(errno);
}

static pausable int close_conn(struct ends *e, int64_t deadline)
{
    co4_conn *c = e->conn;
    e->conn = NULL;
    e->fd = -1;
    return co4_conn_close_until(c, deadline);
}

static const struct call {
    const char *name;
    enum setup setup;
    int needs_conn;
} calls[] = {
    { "co4_read_until", NOTHING, 0 },
    { "co4_readv_until", NOTHING, 0 },
    { "co4_recv_until", NOTHING, 0 },
    { "co4_recvfrom_until", NOTHING, 0 },
    { "co4_recvmsg_until", NOTHING, 0 },
    { "co4_accept4_until", LISTENER, 0 },
    { "co4_accept_next_until", LISTENER, 0 },
    { "co4_poll_until", NOTHING, 0 },
    { "co4_fd_wait_until, to read", NOTHING, 0 },
    { "co4_conn_read_until", NOTHING, 1 },
    { "co4_conn_read_exact_until", NOTHING, 1 },
    { "co4_conn_read_line_until", NOTHING, 1 },
    { "co4_conn_read_to_until", NOTHING, 1 },
    { "co4_conn_peek_until", NOTHING, 1 },
    { "co4_write_until", FULL, 0 },
    { "co4_writev_until", FULL, 0 },
    { "co4_send_until", FULL, 0 },
    { "co4_sendto_until", FULL, 0 },
    { "co4_sendmsg_until", FULL, 0 },
    { "co4_sendfile_until", FULL, 0 },
    { "co4_fd_wait_until, to write", FULL, 0 },
    { "co4_conn_write_until", FULL, 1 },
    { "co4_conn_send_file_until", FULL, 1 },
    { "co4_conn_flush_until", PUT, 1 },
    { "co4_conn_end_until", PUT, 1 },
    { "co4_conn_close_until", PUT, 1 },
    { "co4_connect_until", BACKLOG, 0 },
    { "co4_unix_connect_until", BACKLOG, 0 },
};

/* Makes the call of this number. */
static pausable int perform(int which, struct ends *e, int64_t deadline)
{
    char bytes[16] = "", *line;
    const char *look;
    struct iovec parts[2] = { { bytes, 4 }, { bytes + 4, 4 } };
    struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
    struct pollfd p = { .fd = e->fd, .events = POLLIN };
    off_t at = 0;
    ssize_t n = -1;
    (void)m, (void)at;
    switch (which) {
    case 0:
        n = co4_read_until(e->fd, bytes, 8, deadline);
        break;
    case 1:
        n = co4_readv_until(e->fd, parts, 2, deadline);
        break;
    case 2:
        n = co4_recv_until(e->fd, bytes, 8, 0, deadline);
        break;
    case 3:
        n = co4_recvfrom_until(e->fd, bytes, 8, 0, NULL, NULL, deadline);
        break;
    case 4:
        n = co4_recvmsg_until(e->fd, &m, 0, deadline);
        break;
    case 5:
        n = take(co4_accept4_until(e->fd, NULL, NULL, SOCK_CLOEXEC, deadline));
        break;
    case 6:
        n = take(co4_accept_next_until(e->fd, deadline));
        break;
    case 7:
        n = polled(co4_poll_until(&p, 1, deadline));
        break;
    case 8:
        n = co4_fd_wait_until(e->fd, POLLIN, deadline);
        break;
    case 9:
        n = co4_conn_read_until(e->conn, bytes, 8, deadline);
        break;
    case 10:
        n = co4_conn_read_exact_until(e->conn, bytes, 1, deadline);
        break;
    case 11:
        n = co4_conn_read_line_until(e->conn, &line, 80, deadline);
        break;
    case 12:
        n = co4_conn_read_to_until(e->conn, &line, "\n", 1, 80, deadline);
        break;
    case 13:
        n = co4_conn_peek_until(e->conn, &look, 1, deadline);
        break;
    case 14:
        n = co4_write_until(e->fd, bytes, 8, deadline);
        break;
    case 15:
        n = co4_writev_until(e->fd, parts, 2, deadline);
        break;
    case 16:
        n = co4_send_until(e->fd, bytes, 8, 0, deadline);
        break;
    case 17:
        n = co4_sendto_until(e->fd, bytes, 8, 0, NULL, 0, deadline);
        break;
    case 18:
        n = co4_sendmsg_until(e->fd, &m, 0, deadline);
        break;
    case 19:
        n = co4_sendfile_until(e->fd, file, &at, 8, deadline);
        break;
    case 20:
        n = co4_fd_wait_until(e->fd, POLLOUT, deadline);
        break;
    case 21:
        n = co4_conn_write_until(e->conn, much, sizeof much, deadline);
        break;
    case 22:
        n = co4_conn_send_file_until(e->conn, file, &at, 8, deadline);
        break;
    case 23:
        n = co4_conn_flush_until(e->conn, deadline);
        break;
    case 24:
        n = co4_conn_end_until(e->conn, deadline);
        break;
    case 25:
        n = close_conn(e, deadline);
        break;
    case 26:
        n = co4_connect_until(e->fd, (struct sockaddr *)&e->address, e->length, deadline);
        break;
    case 27:
        n = take(co4_unix_connect_until(e->address.sun_path, deadline));
        break;
    }
    return result_of(n);
}

static const char *name_of(int result)
{
    return result == 1 ? "done" : result == 0 ? "0" : co4_errname(result);
}

static pausable int perform_cancelled(int which, struct ends *e)
{
    while (co4_sleep(CO4_MS) == CO4_OK)
        ;
    return perform(which, e, CO4_NEVER);
}

static pausable void test(int which)
{
    const struct call *c = &calls[which];
    struct ends e;
    int past, later, during, before, now;
    set_up(&e, c->setup, c->needs_conn);
    now = perform(which, &e, CO4_NOW);
    tear_down(&e);
    set_up(&e, c->setup, c->needs_conn);
    past = perform(which, &e, co4_now() - 1);
    tear_down(&e);
    set_up(&e, c->setup, c->needs_conn);
    later = perform(which, &e, co4_now() + 3 * CO4_MS);
    tear_down(&e);
    set_up(&e, c->setup, c->needs_conn);
    co4_task *t = co4_spawn(perform(which, &e, CO4_NEVER));
    co4_sleep(3 * CO4_MS);
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &during);
    tear_down(&e);
    set_up(&e, c->setup, c->needs_conn);
    t = co4_spawn(perform_cancelled(which, &e));
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &before);
    tear_down(&e);
    set_up(&e, c->setup, c->needs_conn);
    make_ready(&e, c->setup);
    int ready = perform(which, &e, co4_now() - 1);
    tear_down(&e);
    printf("%s: %s, %s, %s, %s, %s, now %s\n", c->name, name_of(past), name_of(later),
           name_of(during), name_of(before), name_of(ready), name_of(now));
}

/* ---- calls whose result is there at once ---- */

static const char *const at_once[] = { "co4_resolve_until", "co4_tcp_listen_until",
                                       "co4_udp_bind_until", "co4_udp_connect_until",
                                       "co4_unix_listen_until" };

static pausable int perform_at_once(int which, int64_t deadline)
{
    struct addrinfo *found = NULL;
    char path[100];
    int n = -1;
    switch (which) {
    case 0:
        n = co4_resolve_until("127.0.0.1", "80", NULL, &found, deadline);
        if (found)
            freeaddrinfo(found);
        break;
    case 1:
        n = take(co4_tcp_listen_until("127.0.0.1", "0", 0, deadline));
        break;
    case 2:
        n = take(co4_udp_bind_until("127.0.0.1", "0", 0, deadline));
        break;
    case 3:
        n = take(co4_udp_connect_until("127.0.0.1", "9", deadline));
        break;
    case 4:
        snprintf(path, sizeof path, "%s/listen", folder);
        n = take(co4_unix_listen_until(path, CO4_LISTEN_BACKLOG(3), deadline));
        if (n >= 0)
            unlink(path);
        break;
    }
    return result_of(n);
}

static pausable int perform_at_once_cancelled(int which)
{
    while (co4_sleep(CO4_MS) == CO4_OK)
        ;
    return perform_at_once(which, CO4_NEVER);
}

static pausable void test_at_once(int which)
{
    int cancelled, done = perform_at_once(which, co4_now() - 1);
    co4_task *t = co4_spawn(perform_at_once_cancelled(which));
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &cancelled);
    printf("%s: %s, cancelled %s\n", at_once[which], name_of(done), name_of(cancelled));
}

/* ---- a host that does not answer ---- */

static pausable int connect_to(const char *port, int64_t deadline)
{
    int fd = co4_tcp_connect_until("127.0.0.1", port, deadline);
    if (fd >= 0)
        co4_close(fd);
    return result_of(fd);
}

static pausable void connections(void)
{
    int listener = co4_tcp_listen("127.0.0.1", "0", CO4_LISTEN_BACKLOG(1)), during;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                              .sin_port = htons((uint16_t)co4_socket_port(listener)) };
    int others[8]; /* more than the backlog takes */
    for (int i = 0; i < 8; i++) {
        others[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        int n = connect(others[i], (struct sockaddr *)&to, sizeof to);
        (void)n;
    }
    char port[8];
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    int past = connect_to(port, co4_now() - 1), later = connect_to(port, co4_now() + 5 * CO4_MS);
    co4_task *t = co4_spawn(connect_to(port, CO4_NEVER));
    co4_sleep(5 * CO4_MS);
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &during);
    printf("co4_tcp_connect_until: %s, %s, %s\n", name_of(past), name_of(later), name_of(during));
    for (int i = 0; i < 8; i++)
        close(others[i]);
    co4_close(listener);
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

pausable int all(void)
{
    char path[] = "/tmp/co4-io-until-file.XXXXXX";
    if (!mkdtemp(folder) || (file = mkstemp(path)) < 0 || write(file, much, 4096) != 4096)
        return 1;
    unlink(path);
    test(0); /* the first wait opens what the runtime needs */
    int before = descriptors();
    for (int i = 1; i < (int)(sizeof calls / sizeof *calls); i++)
        test(i);
    for (int i = 0; i < (int)(sizeof at_once / sizeof *at_once); i++)
        test_at_once(i);
    connections();
    rmdir(folder);
    printf("descriptors: %s\n", descriptors() <= before + 4 ? "as many as before" : "more");
    return 0;
}

int main(void)
{
    return co4_run(all());
}
