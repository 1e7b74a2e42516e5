/* sim_network.c - what the simulated network does besides carrying bytes.
 * needs: descriptors
 * modes: woven forced
 * expect: refused: ECONNREFUSED, then a connection
 * expect: resets: a prefix each time, then ECONNRESET; writers get ECONNRESET or EPIPE
 * expect: closed with unread bytes: ECONNRESET, then EPIPE
 * expect: aborted: kept, then ECONNRESET
 * expect: half closed: 5000 bytes, the end, and an answer
 * expect: datagrams: some lost, some twice, some in another order
 * expect: connected datagrams: ECONNREFUSED
 * expect: backlog: 6 of 6 connected, later ones after a second
 * expect: partition: ETIMEDOUT after 127 s
 * expect: partition: healed, all bytes, after 5 s
 * expect: partition: given up: ETIMEDOUT
 * expect: deadline: ETIMEDOUT at 2 s
 * expect: cancelled: ECANCELED, no byte is lost
 * expect: select: 20 from one, 20 from the other
 * expect: directions: readable after 1 s, writable when there is room
 * expect: poll: 0, POLLIN, POLLIN POLLHUP
 * expect: pipe: 100000 bytes, EPIPE, the end, EBADF
 * expect: unix: stream, datagram and record, ECONNREFUSED
 * expect: by name: 30 datagrams in order, from /simulated/client
 * expect: ipv6: 2001:db8::1, shared port: 10 connections, both accept
 * expect: addresses: 10.0.0.1 5000, 192.0.2.1, EADDRINUSE, ENOTCONN
 * expect: options: 1, 1, ENOPROTOOPT, 3
 * expect: flags: peek ab, then ab, EAGAIN, 3 of 3
 * expect: vectors and files: 9 bytes, 11 bytes
 * expect: left open: closed at the end
 * expect: wrong use: CO4_ESTATE CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_ESTATE CO4_ESTATE */
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static const char *name_of(int err)
{
    static const struct {
        int err;
        const char *name;
    } names[] = {
        { 0, "0" },
        { EAGAIN, "EAGAIN" },
        { EBADF, "EBADF" },
        { EPIPE, "EPIPE" },
        { ENOTCONN, "ENOTCONN" },
        { ETIMEDOUT, "ETIMEDOUT" },
        { ECANCELED, "ECANCELED" },
        { ECONNRESET, "ECONNRESET" },
        { ECONNREFUSED, "ECONNREFUSED" },
        { EADDRINUSE, "EADDRINUSE" },
        { ENOPROTOOPT, "ENOPROTOOPT" },
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].err == err)
            return names[i].name;
    return strerror(err);
}

static const char *name_if(bool failed)
{
    return failed ? name_of(errno) : "0";
}

static struct sockaddr_in address(const char *host, int port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    inet_pton(AF_INET, host, &a.sin_addr);
    return a;
}

static int bound(int type, const char *host, int port)
{
    struct sockaddr_in a = address(host, port);
    int fd = co4_socket(AF_INET, type, 0), on = 1;
    if (fd < 0 || co4_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        co4_bind(fd, (struct sockaddr *)&a, sizeof a) != 0)
        abort();
    return fd;
}

static int listener(int port, int backlog)
{
    int fd = bound(SOCK_STREAM, "10.0.0.1", port);
    if (co4_listen(fd, backlog) != 0)
        abort();
    return fd;
}

/* Returns the descriptor, or -1 with `errno`. */
static pausable int dial(const char *from, int port)
{
    struct sockaddr_in to = address("10.0.0.1", port);
    int fd = from ? bound(SOCK_STREAM, from, 0) : co4_socket(AF_INET, SOCK_STREAM, 0);
    if (co4_connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    int err = errno;
    co4_close(fd);
    errno = err;
    return -1;
}

struct ends {
    int a, b;
};

static pausable void accept_one(int l, int *out)
{
    *out = co4_accept(l, NULL, NULL);
}

/* Two ends of a connection. */
static pausable struct ends connection(const char *from)
{
    struct ends e;
    int l = listener(5000, 4);
    co4_task *t = co4_spawn(accept_one(l, &e.b));
    e.a = dial(from, 5000);
    co4_join(t, NULL);
    co4_close(l);
    return e;
}

static pausable void close_ends(struct ends e)
{
    co4_close(e.a);
    co4_close(e.b);
}

/* ---- failures ---- */

static pausable void refused(void)
{
    struct sockaddr_in to = address("10.0.0.1", 5000);
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    printf("refused: %s", name_if(co4_connect(fd, (struct sockaddr *)&to, sizeof to) != 0));
    int l = listener(5000, 1), err = co4_connect(fd, (struct sockaddr *)&to, sizeof to);
    printf(", then %s\n", err == 0 ? "a connection" : name_of(errno));
    co4_close(fd);
    co4_close(l);
}

struct flow {
    int fd, sent, read_error, write_error, prefix;
};

static pausable void flow_out(struct flow *f)
{
    char bytes[64];
    for (int at = 0; at < 20000;) {
        for (int i = 0; i < 64; i++)
            bytes[i] = (char)((at + i) * 7);
        ssize_t n = co4_write(f->fd, bytes, sizeof bytes);
        if (n < 0) {
            f->write_error = errno;
            return;
        }
        at += (int)n;
        f->sent = at;
        co4_yield();
    }
}

static pausable void flow_in(struct flow *f, int fd)
{
    char bytes[50];
    ssize_t n;
    int at = 0, right = 1;
    while ((n = co4_read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++, at++)
            right &= bytes[i] == (char)(at * 7);
    f->read_error = n < 0 ? errno : 0;
    f->prefix = right ? at : -1;
}

/* Returns whether this seed reset the connection, and all was as it should be. */
static pausable int flow_once(bool *right)
{
    struct flow f = { .fd = -1 };
    struct ends e = connection(NULL);
    f.fd = e.a;
    co4_task *out = co4_spawn(flow_out(&f)), *in = co4_spawn(flow_in(&f, e.b));
    co4_join(out, NULL);
    co4_shutdown(e.a, SHUT_WR);
    co4_join(in, NULL);
    bool reset = f.read_error != 0;
    *right = f.prefix >= 0 && (reset ? f.read_error == ECONNRESET : f.prefix == f.sent) &&
             (f.write_error == 0 || f.write_error == ECONNRESET || f.write_error == EPIPE) &&
             f.prefix <= f.sent + 64;
    close_ends(e);
    return reset;
}

static void resets(void)
{
    int resets = 0, wrong = 0, runs = 100;
    for (int seed = 1; seed <= runs; seed++) {
        bool right = false;
        co4_test_begin(&(co4_test_options){ .seed = (unsigned)seed });
        co4_test_network(&(co4_test_network_options){ .reset = 1500 });
        resets += co4_run(flow_once(&right));
        wrong += !right;
        co4_test_end(NULL);
    }
    if (wrong || resets < 20 || resets == runs)
        printf("resets: %d of %d, %d wrong\n", resets, runs, wrong);
    else
        puts("resets: a prefix each time, then ECONNRESET; writers get ECONNRESET or EPIPE");
}

static pausable void unread(void)
{
    char c;
    struct ends e = connection(NULL);
    co4_write(e.a, "never read", 10);
    co4_sleep(CO4_SEC);
    co4_close(e.b);
    co4_sleep(CO4_SEC);
    printf("closed with unread bytes: %s, then ", name_if(co4_read(e.a, &c, 1) < 0));
    puts(name_if(co4_write(e.a, "x", 1) < 0));
    co4_close(e.a);
}

/* What has arrived before a reset can be read after it. */
static pausable void aborted(void)
{
    const struct linger none = { .l_onoff = 1 };
    char text[8] = "";
    struct ends e = connection(NULL);
    co4_write(e.a, "kept", 4);
    co4_setsockopt(e.a, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    co4_close(e.a);
    co4_sleep(CO4_SEC);
    ssize_t n = co4_recv(e.b, text, 4, MSG_WAITALL);
    printf("aborted: %s, then ", n == 4 ? text : "lost");
    puts(name_if(co4_read(e.b, text, 1) < 0));
    co4_close(e.b);
}

static pausable void send_all(int fd, size_t bytes)
{
    char some[5000] = "";
    co4_write(fd, some, bytes);
    co4_shutdown(fd, SHUT_WR);
}

static pausable size_t read_to_end(int fd)
{
    char some[300];
    size_t all = 0;
    ssize_t n;
    while ((n = co4_read(fd, some, sizeof some)) > 0)
        all += (size_t)n;
    return n < 0 ? (size_t)-1 : all;
}

static pausable void half_closed(void)
{
    char answer[8] = "";
    struct ends e = connection(NULL);
    co4_spawn(send_all(e.a, 5000));
    size_t n = read_to_end(e.b);
    co4_write(e.b, "answer", 6);
    co4_recv(e.a, answer, 6, MSG_WAITALL);
    printf("half closed: %zu bytes, the end, and an %s\n", n, answer);
    close_ends(e);
}

/* ---- datagrams ---- */

static pausable void send_datagrams(int fd, int count)
{
    struct sockaddr_in to = address("10.0.0.2", 53);
    for (int i = 0; i < count; i++) {
        co4_sendto(fd, &i, sizeof i, 0, (struct sockaddr *)&to, sizeof to);
        co4_yield();
    }
}

static pausable void datagrams(void)
{
    int in = bound(SOCK_DGRAM, "10.0.0.2", 53), out = co4_socket(AF_INET, SOCK_DGRAM, 0);
    int times[200] = { 0 }, last = -1, wrong = 0, lost = 0, twice = 0, early = 0;
    co4_spawn(send_datagrams(out, 200));
    for (int i;; last = i) {
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        ssize_t n = co4_recvfrom_until(in, &i, sizeof i, 0, (struct sockaddr *)&from, &length,
                                       co4_now() + CO4_SEC);
        if (n < 0)
            break;
        if (n != sizeof i || i < 0 || i >= 200 || from.sin_family != AF_INET) {
            wrong++;
            break;
        }
        times[i]++;
        early += i < last;
    }
    for (int i = 0; i < 200; i++) {
        lost += times[i] == 0;
        twice += times[i] == 2;
        wrong += times[i] > 2;
    }
    if (lost > 0 && twice > 0 && early > 0 && !wrong && errno == ETIMEDOUT)
        puts("datagrams: some lost, some twice, some in another order");
    else
        printf("datagrams: %d lost, %d twice, %d early, %d wrong\n", lost, twice, early, wrong);
    co4_close(in);
    co4_test_network(NULL);
    struct sockaddr_in to = address("10.0.0.2", 53);
    char c;
    co4_connect(out, (struct sockaddr *)&to, sizeof to);
    co4_send(out, "x", 1, 0);
    co4_sleep(CO4_SEC);
    ssize_t n = co4_recv(out, &c, 1, 0);
    printf("connected datagrams: %s\n", name_if(n < 0));
    co4_close(out);
}

/* ---- the backlog, partitions ---- */

static pausable void dial_one(int64_t *when)
{
    int fd = dial(NULL, 5000);
    *when = fd < 0 ? -1 : co4_now();
    co4_sleep(10 * CO4_SEC);
    co4_close(fd);
}

static pausable void backlog(void)
{
    int64_t when[6], began = co4_now();
    int l = listener(5000, 1), fds[6], connected = 0, late = 0;
    for (int i = 0; i < 6; i++)
        co4_spawn(dial_one(&when[i]));
    co4_sleep(CO4_SEC / 2);
    for (int i = 0; i < 6; i++)
        fds[i] = co4_accept(l, NULL, NULL);
    co4_sleep(CO4_SEC);
    for (int i = 0; i < 6; i++) {
        connected += when[i] > 0 && fds[i] >= 0;
        late += when[i] - began >= CO4_SEC;
        co4_close(fds[i]);
    }
    printf("backlog: %d of 6 connected%s\n", connected,
           late == 4 ? ", later ones after a second" : "");
    co4_close(l);
}

static pausable void partitions(void)
{
    int l = listener(5001, 4);
    co4_test_network_partition("10.0.0.1", "10.0.0.9", 1);
    co4_test_network_partition("10.0.0.5", "10.0.0.9", 0); /* another one */
    co4_test_network_partition("10.0.0.1", "10.0.0.5", 0);
    int64_t began = co4_now();
    int fd = dial("10.0.0.9", 5001);
    printf("partition: %s", name_if(fd < 0));
    printf(" after %d s\n", (int)((co4_now() - began) / CO4_SEC));
    co4_test_network_partition("10.0.0.9", "10.0.0.1", 0);

    struct ends e = connection("10.0.0.9");
    co4_test_network_partition(NULL, "10.0.0.9", 1);
    co4_spawn(send_all(e.a, 3000));
    began = co4_now();
    char c;
    if (co4_read_until(e.b, &c, 1, began + 5 * CO4_SEC) >= 0 || errno != ETIMEDOUT)
        puts("bytes pass through a partition");
    co4_test_network_partition(NULL, "10.0.0.9", 0);
    size_t n = read_to_end(e.b);
    printf("partition: healed, %s bytes, after %s\n", n == 3000 ? "all" : "not all",
           co4_now() - began < 15 * CO4_SEC ? "5 s" : "too long");
    close_ends(e);

    e = connection("10.0.0.9");
    co4_test_network_partition("10.0.0.9", NULL, 1);
    co4_write(e.a, "lost", 4);
    ssize_t got = co4_read(e.a, &c, 1);
    printf("partition: given up: %s\n", name_if(got < 0));
    co4_test_network_partition("10.0.0.9", NULL, 0);
    close_ends(e);
    co4_close(l);
}

/* ---- waits ---- */

static pausable void read_some(int fd, char *to, size_t bytes, ssize_t *n, int *err)
{
    *n = co4_read(fd, to, bytes);
    *err = errno;
}

static pausable void waits(void)
{
    char bytes[8] = "";
    struct ends e = connection(NULL);
    int64_t began = co4_now();
    ssize_t n = co4_read_until(e.a, bytes, 1, began + 2 * CO4_SEC);
    printf("deadline: %s at %d s\n", name_if(n < 0), (int)((co4_now() - began) / CO4_SEC));
    int err = 0;
    co4_task *t = co4_spawn(read_some(e.a, bytes, sizeof bytes, &n, &err));
    co4_sleep(CO4_SEC);
    co4_task_cancel(t, 0);
    co4_write(e.b, "kept", 4);
    co4_join(t, NULL);
    co4_sleep(CO4_SEC);
    printf("cancelled: %s, ", n < 0 ? name_of(err) : "not");
    n = co4_recv(e.a, bytes, 4, MSG_WAITALL);
    printf("%s byte is lost\n", n == 4 && memcmp(bytes, "kept", 4) == 0 ? "no" : "a");
    close_ends(e);
}

static pausable void send_slowly(int fd, int64_t pause)
{
    for (int i = 0; i < 20; i++) {
        co4_write(fd, "x", 1);
        co4_sleep(pause);
    }
    co4_close(fd);
}

static pausable void selects(void)
{
    int fds[2], in[2], which[2] = { 0, 1 }, count[2] = { 0, 0 }, open = 2;
    for (int i = 0; i < 2; i++) {
        co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
        in[i] = fds[0];
        co4_spawn(send_slowly(fds[1], (i + 1) * CO4_MS));
    }
    while (open > 0) {
        co4_case cases[2];
        for (int i = 0; i < open; i++)
            cases[i] = (co4_case)CO4_CASE(co4_fd_readable(in[which[i]]), NULL);
        int k = co4_select(cases, open);
        if (k < 0)
            break;
        char c;
        ssize_t n = co4_recv(in[which[k]], &c, 1, MSG_DONTWAIT);
        if (n > 0)
            count[which[k]]++;
        if (n != 0)
            continue;
        co4_close(in[which[k]]);
        which[k] = which[--open];
    }
    printf("select: %d from one, %d from the other\n", count[0], count[1]);
}

static pausable void answer_late(int fd)
{
    co4_sleep(CO4_SEC);
    co4_write(fd, "x", 1);
    co4_sleep(CO4_SEC);
    read_to_end(fd);
    co4_close(fd);
}

/* Both directions of one descriptor, whose buffer is full. */
static pausable void directions(void)
{
    struct ends e = connection(NULL);
    int64_t began = co4_now();
    char c, some[1000] = "";
    while (co4_send(e.a, some, sizeof some, MSG_DONTWAIT) > 0)
        ;
    co4_spawn(answer_late(e.b));
    co4_case cases[] = { CO4_CASE(co4_fd_readable(e.a), NULL),
                         CO4_CASE(co4_fd_writable(e.a), NULL) };
    int first = co4_select(cases, 2);
    bool in_time = (co4_now() - began) / CO4_SEC == 1;
    co4_read(e.a, &c, 1);
    int second = co4_select(cases, 2);
    bool room = co4_send(e.a, some, sizeof some, MSG_DONTWAIT) > 0;
    printf("directions: %s after %s, %s when there is %s\n", first == 0 ? "readable" : "?",
           in_time ? "1 s" : "?", second == 1 ? "writable" : "?", room ? "room" : "none");
    co4_close(e.a);
}

static pausable void polls(void)
{
    struct ends e = connection(NULL);
    struct pollfd p = { .fd = e.a, .events = POLLIN };
    printf("poll: %d", co4_poll(&p, 1, 100));
    co4_write(e.b, "x", 1);
    printf(", %s", co4_poll(&p, 1, -1) == 1 && p.revents == POLLIN ? "POLLIN" : "?");
    co4_close(e.b);
    co4_shutdown(e.a, SHUT_WR);
    co4_sleep(CO4_SEC);
    co4_poll(&p, 1, 0);
    printf(", %s%s\n", p.revents & POLLIN ? "POLLIN" : "", p.revents & POLLHUP ? " POLLHUP" : "");
    co4_close(e.a);
}

/* ---- pipes, Unix sockets ---- */

static pausable void fill_pipe(int fd)
{
    static char many[100000];
    co4_write(fd, many, sizeof many);
    co4_close(fd);
}

static pausable void pipes(void)
{
    int fds[2];
    char c;
    co4_pipe(fds);
    co4_spawn(fill_pipe(fds[1]));
    printf("pipe: %zu bytes, ", read_to_end(fds[0]));
    co4_close(fds[0]);
    co4_pipe(fds);
    co4_close(fds[0]);
    printf("%s, ", name_if(co4_write(fds[1], "x", 1) < 0));
    co4_close(fds[1]);
    co4_pipe(fds);
    co4_close(fds[1]);
    printf("%s, ", co4_read(fds[0], &c, 1) == 0 ? "the end" : "?");
    printf("%s\n", name_if(co4_write(fds[0], "x", 1) < 0));
    co4_close(fds[0]);
}

static pausable void unix_sockets(void)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "/simulated/name" };
    int l = co4_socket(AF_UNIX, SOCK_STREAM, 0), b = -1, fds[2];
    char text[16] = "";
    co4_bind(l, (struct sockaddr *)&a, sizeof a);
    co4_listen(l, 1);
    co4_task *t = co4_spawn(accept_one(l, &b));
    int c = co4_socket(AF_UNIX, SOCK_STREAM, 0);
    int err = co4_connect(c, (struct sockaddr *)&a, sizeof a);
    co4_join(t, NULL);
    co4_write(c, "stream", 6);
    co4_recv(b, text, 6, MSG_WAITALL);
    printf("unix: %s, ", err == 0 ? text : name_of(errno));
    co4_close(b);
    co4_close(c);
    co4_close(l);
    memset(text, 0, sizeof text);
    co4_socketpair(AF_UNIX, SOCK_DGRAM, 0, fds);
    co4_send(fds[0], "datagram", 8, 0);
    co4_send(fds[0], "next", 4, 0);
    ssize_t n = co4_recv(fds[1], text, sizeof text, 0);
    printf("%.*s and ", (int)n, text);
    co4_close(fds[0]);
    co4_close(fds[1]);
    co4_socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds);
    co4_send(fds[0], "record", 6, 0);
    co4_send(fds[0], "next", 4, 0);
    n = co4_recv(fds[1], text, sizeof text, 0);
    printf("%.*s, ", (int)n, text);
    co4_close(fds[0]);
    co4_close(fds[1]);
    c = co4_socket(AF_UNIX, SOCK_STREAM, 0);
    puts(name_if(co4_connect(c, (struct sockaddr *)&a, sizeof a) != 0));
    co4_close(c);
}

static pausable void send_by_name(int fd, const struct sockaddr_un *to)
{
    char text[1000] = "";
    for (int i = 0; i < 30; i++) { /* more than the buffer takes */
        text[0] = (char)i;
        co4_sendto(fd, text, sizeof text, 0, (const struct sockaddr *)to, sizeof *to);
    }
}

static pausable void by_name(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "/simulated/server" };
    struct sockaddr_un own = { .sun_family = AF_UNIX, .sun_path = "/simulated/client" };
    struct sockaddr_un from;
    socklen_t length;
    int in = co4_socket(AF_UNIX, SOCK_DGRAM, 0), out = co4_socket(AF_UNIX, SOCK_DGRAM, 0);
    int small = 5000, right = 0;
    char text[1000];
    co4_bind(in, (struct sockaddr *)&at, sizeof at);
    co4_bind(out, (struct sockaddr *)&own, sizeof own);
    co4_setsockopt(out, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    co4_spawn(send_by_name(out, &at));
    for (int i = 0; i < 30; i++) {
        length = sizeof from;
        right += co4_recvfrom(in, text, sizeof text, 0, (struct sockaddr *)&from, &length) ==
                     sizeof text &&
                 text[0] == i;
    }
    printf("by name: %d datagrams in order, from %s\n", right, from.sun_path);
    co4_close(in);
    co4_close(out);
}

/* ---- names, options, flags ---- */

static pausable int accept_some(int l, int *accepted)
{
    int fd;
    while ((fd = co4_accept(l, NULL, NULL)) >= 0) {
        ++*accepted;
        co4_close(fd);
    }
    return 0;
}

static pausable void ipv6(void)
{
    struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_port = htons(5000) };
    int l[2], accepted[2] = { 0, 0 }, one = 1, connected = 0;
    char text[64] = "";
    inet_pton(AF_INET6, "fd00::1", &at.sin6_addr);
    for (int i = 0; i < 2; i++) {
        l[i] = co4_socket(AF_INET6, SOCK_STREAM, 0);
        co4_setsockopt(l[i], SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
        co4_bind(l[i], (struct sockaddr *)&at, sizeof at);
        co4_listen(l[i], 10);
        co4_spawn(accept_some(l[i], &accepted[i]));
    }
    for (int i = 0; i < 10; i++) {
        struct sockaddr_in6 own;
        socklen_t length = sizeof own;
        int fd = co4_socket(AF_INET6, SOCK_STREAM, 0);
        connected += co4_connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
        co4_getsockname(fd, (struct sockaddr *)&own, &length);
        inet_ntop(AF_INET6, &own.sin6_addr, text, sizeof text);
        co4_close(fd);
    }
    co4_sleep(CO4_SEC);
    printf("ipv6: %s, shared port: %d connections, %s\n", text, connected,
           accepted[0] > 0 && accepted[1] > 0 && accepted[0] + accepted[1] == 10 ? "both accept"
                                                                                 : "wrong");
    co4_close(l[0]);
    co4_close(l[1]);
}

static pausable void addresses(void)
{
    struct ends e = connection(NULL);
    struct sockaddr_in local, peer, to = address("10.0.0.1", 5000);
    socklen_t length = sizeof local;
    char text[2][32] = { "", "" };
    co4_getsockname(e.b, (struct sockaddr *)&local, &length);
    co4_getpeername(e.b, (struct sockaddr *)&peer, &length);
    inet_ntop(AF_INET, &local.sin_addr, text[0], sizeof text[0]);
    inet_ntop(AF_INET, &peer.sin_addr, text[1], sizeof text[1]);
    printf("addresses: %s %d, %s, ", text[0], ntohs(local.sin_port), text[1]);
    int a = bound(SOCK_STREAM, "10.0.0.1", 5000), b = co4_socket(AF_INET, SOCK_STREAM, 0);
    printf("%s, ", name_if(co4_bind(b, (struct sockaddr *)&to, sizeof to) != 0));
    puts(name_if(co4_getpeername(b, (struct sockaddr *)&peer, &length) != 0));
    co4_close(a);
    co4_close(b);
    close_ends(e);
}

static pausable void options(void)
{
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0), one = 1, value = 0;
    socklen_t bytes = sizeof value;
    co4_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    co4_getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &bytes);
    printf("options: %d, ", value);
    co4_getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &bytes);
    printf("%d, %s, ", value == SOCK_STREAM,
           name_if(co4_setsockopt(fd, IPPROTO_UDP, 1, &one, sizeof one) != 0));
    int port[3], n = 0;
    for (int i = 0; i < 3; i++) {
        struct sockaddr_in a = address("127.0.0.1", 0);
        socklen_t length = sizeof a;
        port[i] = bound(SOCK_STREAM, "127.0.0.1", 0);
        co4_getsockname(port[i], (struct sockaddr *)&a, &length);
        n += ntohs(a.sin_port) >= 49152;
    }
    for (int i = 0; i < 3; i++)
        co4_close(port[i]);
    printf("%d\n", n);
    co4_close(fd);
}

static pausable void flags(void)
{
    struct ends e = connection(NULL);
    char peeked[8] = "", text[8] = "";
    co4_send(e.a, "ab", 2, 0);
    co4_sleep(CO4_SEC);
    co4_recv(e.b, peeked, 2, MSG_PEEK);
    co4_recv(e.b, text, 2, MSG_WAITALL);
    printf("flags: peek %s, then %s, ", peeked, text);
    printf("%s, ", name_if(co4_recv(e.b, text, 1, MSG_DONTWAIT) < 0));
    co4_spawn(send_slowly(e.a, CO4_MS));
    printf("%d of 3\n", (int)co4_recv(e.b, text, 3, MSG_WAITALL));
    co4_close(e.b);
}

static pausable void vectors(void)
{
    struct ends e = connection(NULL);
    struct iovec out[] = { { "one", 3 }, { "", 0 }, { "second", 6 } };
    struct msghdr m = { .msg_iov = out, .msg_iovlen = 3 };
    char a[4], b[16], path[] = "/tmp/co4-sim-network.XXXXXX";
    struct iovec in[] = { { a, sizeof a }, { b, sizeof b } };
    co4_writev(e.a, out, 3);
    size_t got = 0;
    while (got < 9) {
        ssize_t n = co4_readv(e.b, in, 2);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    co4_sendmsg(e.a, &m, 0);
    for (size_t all = got + 9; got < all;) {
        struct msghdr to = { .msg_iov = in, .msg_iovlen = 2 };
        ssize_t n = co4_recvmsg(e.b, &to, 0);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    int file = mkstemp(path);
    unlink(path);
    co4_write(file, "hello file\n", 11);
    lseek(file, 0, SEEK_SET);
    ssize_t n = 11;
#ifdef __linux__
    n = co4_sendfile(e.a, file, NULL, 100);
#endif
    printf("vectors and files: %zu bytes, %d bytes\n", got - 9, (int)n);
    co4_close(file);
    close_ends(e);
}

/* ---- the test itself ---- */

static pausable void leave_open(int *fd)
{
    struct ends e = connection(NULL);
    co4_write(e.a, "never read", 10);
    *fd = e.a;
}

static pausable int use_network(co4_test_network_result *r)
{
    return co4_test_network_result_of(r);
}

static void wrong_use(void)
{
    co4_test_network_result r;
    int code[6];
    code[0] = co4_test_network(NULL);
    co4_test_begin(NULL);
    code[1] = co4_test_network(&(co4_test_network_options){ .latency_min = 2, .latency_max = 1 });
    code[2] = co4_test_network_partition("somewhere", NULL, 1);
    code[3] = co4_test_network_result_of(NULL);
    code[4] = co4_run(use_network(&r));
    co4_test_end(NULL);
    code[5] = co4_test_network_partition(NULL, NULL, 1);
    printf("wrong use:");
    for (int i = 0; i < 6; i++)
        printf(" %s", co4_errname(code[i]));
    puts("");
}

/* Runs it with a seed; each program must be right with every one. */
static void begin(void)
{
    static unsigned seed = 100;
    co4_test_begin(&(co4_test_options){ .seed = ++seed, .late = 10, .late_steps = 5 });
}

/* The first socket has a high number. */
static void after_others(void)
{
    int others[900];
    for (int i = 0; i < 900; i++)
        others[i] = dup(0);
    begin();
    co4_run(refused());
    for (int i = 0; i < 900; i++)
        close(others[i]);
    co4_test_end(NULL);
}

int main(void)
{
    after_others();
    resets();
    begin();
    co4_run(unread());
    co4_run(aborted());
    co4_run(half_closed());
    co4_test_network(&(co4_test_network_options){ .loss = 10, .duplicate = 10 });
    co4_run(datagrams());
    co4_test_end(NULL);
    begin();
    co4_run(backlog());
    co4_run(partitions());
    co4_run(waits());
    co4_test_end(NULL);
    begin();
    co4_run(selects());
    co4_run(directions());
    co4_run(polls());
    co4_run(pipes());
    co4_run(unix_sockets());
    co4_run(by_name());
    co4_run(ipv6());
    co4_test_end(NULL);
    begin();
    co4_run(addresses());
    co4_run(options());
    co4_run(flags());
    co4_run(vectors());
    co4_test_end(NULL);
    int fd = -1;
    begin();
    co4_run(leave_open(&fd));
    co4_test_end(NULL);
    printf("left open: %s\n", close(fd) < 0 && errno == EBADF ? "closed at the end" : "still open");
    wrong_use();
    return 0;
}
