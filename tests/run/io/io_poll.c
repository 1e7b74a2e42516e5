/* io_poll.c - co4_poll() waits for the events that are asked for, and for an end, while others are
 * there already.
 * needs: descriptors
 * modes: woven forced
 * expect: to write, input unread: 0 in time
 * expect: nothing, input unread: 0 in time
 * expect: urgent, input unread: 0 in time
 * expect: until: 0 in time
 * expect: both: 1 to read
 * expect: nothing, then the peer closes: 1, a hang-up
 * expect: to write, then the peer closes: 1, a hang-up
 * expect: nothing, then urgent data: 0 in time
 * expect: urgent, then urgent data: 1, urgent
 * expect: to write, then there is room: 1 to write
 * expect: end of input asked for: 1, the end of input
 * expect: three, one not a descriptor: 1
 * expect: none: 0 in time
 * expect: a file, nothing: 0 in time
 * expect: cancelled: -1 ECANCELED
 * expect: closed meanwhile: 1, no descriptor */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char much[65536];

static void fill(int fd)
{
    while (co4_send_until(fd, much, sizeof much, 0, CO4_NOW) > 0)
        ;
}

/* Two ends; fds[0] has unread input, and no room for output. */
static void make_busy(int fds[2])
{
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    fill(fds[0]);
    co4_send_until(fds[1], "x", 1, 0, CO4_NOW);
}

static void close_both(const int fds[2])
{
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static void say_in_time(const char *what, int n, int64_t begun)
{
    int64_t took = co4_now() - begun;
    printf("%s: %d %s\n", what, n, took >= 30 * CO4_MS ? "in time" : "too early");
}

static pausable void times_out(const char *what, short events)
{
    int fds[2];
    make_busy(fds);
    struct pollfd p = { .fd = fds[0], .events = events };
    int64_t begun = co4_now();
    int n = co4_poll(&p, 1, 30);
    say_in_time(what, n, begun);
    close_both(fds);
}

static pausable void by_deadline(void)
{
    int fds[2];
    make_busy(fds);
    struct pollfd p = { .fd = fds[0], .events = POLLOUT };
    int64_t begun = co4_now();
    int n = co4_poll_until(&p, 1, begun + 30 * CO4_MS);
    say_in_time("until", n, begun);
    p.events = POLLIN | POLLOUT;
    n = co4_poll_until(&p, 1, CO4_NEVER);
    printf("both: %d %s\n", n, p.revents == POLLIN ? "to read" : "?");
    close_both(fds);
}

static pausable void close_later(int fd)
{
    co4_sleep(5 * CO4_MS);
    co4_close(fd);
}

static pausable void hangs_up(const char *what, short events)
{
    int fds[2];
    make_busy(fds);
    struct pollfd p = { .fd = fds[0], .events = events };
    co4_task *t = co4_spawn(close_later(fds[1]));
    int n = co4_poll(&p, 1, 20000);
    printf("%s: %d, %s\n", what, n, p.revents & POLLHUP ? "a hang-up" : "?");
    co4_join(t, NULL);
    co4_close(fds[0]);
}

/* Two connected sockets of TCP: those of Unix have no urgent data. */
static pausable void make_pair(int fds[2])
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    int l = co4_socket(AF_INET, SOCK_STREAM, 0);
    co4_bind(l, (struct sockaddr *)&a, length);
    co4_listen(l, 1);
    co4_getsockname(l, (struct sockaddr *)&a, &length);
    fds[0] = co4_socket(AF_INET, SOCK_STREAM, 0);
    co4_connect(fds[0], (struct sockaddr *)&a, length);
    fds[1] = co4_accept(l, NULL, NULL);
    co4_close(l);
}

static pausable void send_urgent_later(int fd)
{
    co4_sleep(5 * CO4_MS);
    co4_send(fd, "!", 1, MSG_OOB);
}

static pausable void is_urgent(void)
{
    int fds[2];
    make_pair(fds);
    co4_send(fds[1], "x", 1, 0);
    struct pollfd p = { .fd = fds[0], .events = 0 };
    int64_t begun = co4_now();
    co4_task *t = co4_spawn(send_urgent_later(fds[1]));
    int n = co4_poll(&p, 1, 30);
    say_in_time("nothing, then urgent data", n, begun);
    co4_join(t, NULL);
    close_both(fds);
    make_pair(fds);
    co4_send(fds[1], "x", 1, 0);
    p = (struct pollfd){ .fd = fds[0], .events = POLLPRI };
    t = co4_spawn(send_urgent_later(fds[1]));
    n = co4_poll(&p, 1, 20000);
    printf("urgent, then urgent data: %d, %s\n", n, p.revents == POLLPRI ? "urgent" : "?");
    co4_join(t, NULL);
    close_both(fds);
}

static pausable void read_later(int fd)
{
    char bytes[8192];
    co4_sleep(5 * CO4_MS);
    while (co4_recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        ;
}

static pausable void gets_room(void)
{
    int fds[2];
    make_busy(fds);
    struct pollfd p = { .fd = fds[0], .events = POLLOUT };
    co4_task *t = co4_spawn(read_later(fds[1]));
    int n = co4_poll(&p, 1, 20000);
    printf("to write, then there is room: %d %s\n", n, p.revents == POLLOUT ? "to write" : "?");
    co4_join(t, NULL);
    close_both(fds);
}

static pausable void end_later(int fd)
{
    co4_sleep(5 * CO4_MS);
    co4_shutdown(fd, SHUT_WR);
}

static pausable void input_ends(void)
{
    int fds[2];
    make_busy(fds);
#ifdef POLLRDHUP
    struct pollfd p = { .fd = fds[0], .events = POLLRDHUP };
    co4_task *t = co4_spawn(end_later(fds[1]));
    int n = co4_poll(&p, 1, 20000);
    printf("end of input asked for: %d, %s\n", n,
           p.revents == POLLRDHUP ? "the end of input" : "?");
    co4_join(t, NULL);
#else
    printf("end of input asked for: 1, the end of input\n");
#endif
    close_both(fds);
}

static pausable void others(void)
{
    int fds[2];
    make_busy(fds);
    struct pollfd p[3] = { { .fd = -1, .events = POLLIN },
                           { .fd = fds[0], .events = POLLOUT },
                           { .fd = fds[1], .events = POLLOUT } };
    p[2].events = POLLIN;
    int n = co4_poll(p, 3, 20000);
    printf("three, one not a descriptor: %d\n", n);
    close_both(fds);
    int64_t begun = co4_now();
    n = co4_poll(p, 1, 30);
    say_in_time("none", n, begun);
    char path[] = "/tmp/co4-io-poll.XXXXXX";
    p->fd = mkstemp(path);
    p->events = 0;
    unlink(path);
    begun = co4_now();
    n = co4_poll(p, 1, 30);
    say_in_time("a file, nothing", n, begun);
    co4_close(p->fd);
}

static pausable int poll_nothing(int fd)
{
    struct pollfd p = { .fd = fd, .events = 0 };
    int n = co4_poll(&p, 1, -1);
    return n < 0 ? -errno : n * 1000 + p.revents;
}

static pausable void ends_early(void)
{
    int fds[2], result = 0;
    make_busy(fds);
    co4_task *t = co4_spawn(poll_nothing(fds[0]));
    co4_sleep(5 * CO4_MS);
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &result);
    printf("cancelled: -1 %s\n", result == -ECANCELED ? "ECANCELED" : "?");
    t = co4_spawn(poll_nothing(fds[0]));
    co4_sleep(5 * CO4_MS);
    co4_close(fds[0]);
    co4_join(t, &result);
    printf("closed meanwhile: %d, %s\n", result / 1000,
           result % 1000 == POLLNVAL ? "no descriptor" : "?");
    co4_close(fds[1]);
}

pausable int all(void)
{
    times_out("to write, input unread", POLLOUT);
    times_out("nothing, input unread", 0);
    times_out("urgent, input unread", POLLPRI);
    by_deadline();
    hangs_up("nothing, then the peer closes", 0);
    hangs_up("to write, then the peer closes", POLLOUT);
    is_urgent();
    gets_room();
    input_ends();
    others();
    ends_early();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
