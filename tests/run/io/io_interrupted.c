/* io_interrupted.c - signals come all the time, and without SA_RESTART: no call fails by that, and
 * no byte is lost. A peer that does not read for a while stops the writer, and no more.
 * needs: descriptors threads signals posix
 * modes: woven forced
 * expect: messages: 2000 of 2000
 * expect: connections: 100 of 100
 * expect: slow reader: 1000000 bytes, same
 * expect: polled: 50 of 50
 * expect: signals: many */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    (void)number;
    signals++;
}

static void interrupt_all(void)
{
    struct sigaction a = { .sa_handler = on_signal }; /* no SA_RESTART */
    struct itimerval often = { { 0, 200 }, { 0, 200 } };
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static pausable void echo(int fd)
{
    char bytes[64];
    ssize_t n;
    while ((n = co4_read(fd, bytes, sizeof bytes)) > 0)
        if (co4_write(fd, bytes, (size_t)n) != n)
            break;
    co4_close(fd);
}

static pausable void messages(void)
{
    int fds[2], got = 0, back;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    co4_task *t = co4_spawn(echo(fds[0]));
    for (int i = 0; i < 2000; i++)
        got += co4_write(fds[1], &i, sizeof i) == sizeof i &&
               co4_recv(fds[1], &back, sizeof back, MSG_WAITALL) == sizeof back && back == i;
    printf("messages: %d of 2000\n", got);
    co4_close(fds[1]);
    co4_join(t, NULL);
}

static pausable void accepting(int listener)
{
    int fd;
    while ((fd = co4_accept(listener, NULL, NULL)) >= 0)
        co4_spawn(echo(fd));
}

static pausable void connections(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0), got = 0;
    if (co4_bind(listener, (struct sockaddr *)&a, length) != 0 || co4_listen(listener, 16) != 0 ||
        co4_getsockname(listener, (struct sockaddr *)&a, &length) != 0)
        abort();
    co4_task *t = co4_spawn(accepting(listener));
    for (int i = 0; i < 100; i++) {
        char c = (char)i, back = 0;
        int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
        got += co4_connect(fd, (struct sockaddr *)&a, sizeof a) == 0 && co4_write(fd, &c, 1) == 1 &&
               co4_read(fd, &back, 1) == 1 && back == c;
        co4_close(fd);
    }
    printf("connections: %d of 100\n", got);
    co4_close(listener);
    co4_join(t, NULL);
}

static pausable void write_all(int fd, const char *bytes, size_t size)
{
    if (co4_write(fd, bytes, size) != (ssize_t)size)
        puts("a write has failed");
    co4_shutdown(fd, SHUT_WR);
}

static pausable void slow_reader(void)
{
    enum { BYTES = 1000000 };
    int fds[2];
    char *from = malloc(BYTES), *to = malloc(BYTES);
    size_t got = 0;
    ssize_t n = 1;
    if (!from || !to || co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    for (int i = 0; i < BYTES; i++)
        from[i] = (char)(i * 7 + i / 255);
    co4_task *t = co4_spawn(write_all(fds[0], from, BYTES));
    co4_sleep(10 * CO4_MS); /* the buffers are full */
    while (got < BYTES && n > 0) {
        n = co4_read(fds[1], to + got, BYTES - got < 30000 ? BYTES - got : 30000);
        got += n > 0 ? (size_t)n : 0;
        if (got % 7 == 0)
            co4_sleep(CO4_MS / 2);
    }
    printf("slow reader: %zu bytes, %s\n", got, memcmp(from, to, BYTES) ? "different" : "same");
    co4_join(t, NULL);
    co4_close(fds[0]);
    co4_close(fds[1]);
    free(from);
    free(to);
}

static pausable void write_later(int fd)
{
    co4_sleep(CO4_MS);
    co4_write(fd, "x", 1);
}

static pausable void polled(void)
{
    int fds[2], got = 0;
    char c;
    if (co4_pipe(fds) != 0)
        abort();
    for (int i = 0; i < 50; i++) {
        struct pollfd p = { .fd = fds[0], .events = POLLIN };
        co4_task *t = co4_spawn(write_later(fds[1]));
        got += co4_poll(&p, 1, 10000) == 1 && (p.revents & POLLIN) && co4_read(fds[0], &c, 1) == 1;
        co4_join(t, NULL);
    }
    printf("polled: %d of 50\n", got);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void all(void)
{
    messages();
    connections();
    slow_reader();
    polled();
}

int main(void)
{
    struct itimerval never = { { 0, 0 }, { 0, 0 } };
    interrupt_all();
    co4_run(all());
    setitimer(ITIMER_REAL, &never, NULL);
    printf("signals: %s\n", signals > 20 ? "many" : "few");
    return 0;
}
