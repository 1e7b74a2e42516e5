/* io_pairs.c - tasks wait at socketpairs and pipes: data, ends, deadlines, closes, cancellations.
 * needs: descriptors
 * modes: woven forced
 * expect: 5 lines, then the end
 * expect: all 1000000 bytes came, in order
 * expect: deadline: -1 ETIMEDOUT
 * expect: closed under a reader: -1 EBADF
 * expect: cancelled: -1 ECANCELED
 * expect: written to a closed pipe: -1 EPIPE
 * expect: four readers of one pipe got 400 bytes
 * expect: select: writable, then readable
 * expect: select: the other end is closed, read gives 0
 * expect: poll: 1, second
 * expect: poll: 0
 * expect: partial write: some, then EPIPE
 * expect: no descriptor: EBADF */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(int err)
{
    return err == ETIMEDOUT   ? "ETIMEDOUT"
           : err == EBADF     ? "EBADF"
           : err == ECANCELED ? "ECANCELED"
           : err == EPIPE     ? "EPIPE"
           : err == EAGAIN    ? "EAGAIN"
                              : strerror(err);
}

pausable void say_lines(int fd)
{
    for (int i = 0; i < 5; i++) {
        co4_sleep(CO4_MS);
        if (co4_write(fd, "hello\n", 6) != 6)
            printf("short write\n");
    }
    co4_close(fd);
}

pausable void lines(void)
{
    int fds[2], n = 0;
    char buffer[64];
    ssize_t got;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    co4_spawn(say_lines(fds[0]));
    while ((got = co4_read(fds[1], buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < got; i++)
            n += buffer[i] == '\n';
    printf("%d lines, then %s\n", n, got == 0 ? "the end" : "an error");
    co4_close(fds[1]);
}

#define MANY 1000000

pausable void write_many(int fd)
{
    unsigned char *bytes = malloc(MANY);
    for (int i = 0; i < MANY; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    if (co4_write(fd, bytes, MANY) != MANY)
        printf("short write\n");
    free(bytes);
    co4_close(fd);
}

pausable void many(void)
{
    int fds[2], at = 0, wrong = 0;
    unsigned char buffer[3000];
    ssize_t got;
    if (co4_pipe(fds) != 0)
        return;
    co4_spawn(write_many(fds[1]));
    while ((got = co4_read(fds[0], buffer, sizeof buffer)) > 0)
        for (ssize_t i = 0; i < got; i++, at++)
            wrong += buffer[i] != (unsigned char)(at * 7 + at / 256);
    printf("all %d bytes came, %s\n", at, wrong ? "wrong" : "in order");
    co4_close(fds[0]);
}

pausable void read_one(int fd, const char *what)
{
    char c;
    ssize_t n = co4_read(fd, &c, 1);
    printf("%s: %d %s\n", what, (int)n, name_of(errno));
}

pausable void count_bytes(int fd, int *count)
{
    char c;
    while (co4_read(fd, &c, 1) == 1) {
        ++*count;
        if (*count % 3 == 0)
            co4_yield();
    }
}

pausable void crowd(void)
{
    int fds[2], count = 0;
    co4_task *tasks[4];
    char bytes[100] = { 0 };
    if (co4_pipe(fds) != 0)
        return;
    for (int i = 0; i < 4; i++)
        tasks[i] = co4_spawn(count_bytes(fds[0], &count));
    for (int i = 0; i < 4; i++) {
        co4_sleep(CO4_MS);
        co4_write(fds[1], bytes, sizeof bytes);
    }
    co4_close(fds[1]);
    for (int i = 0; i < 4; i++)
        co4_join(tasks[i], NULL);
    printf("four readers of one pipe got %d bytes\n", count);
    co4_close(fds[0]);
}

pausable void write_later(int fd)
{
    co4_sleep(2 * CO4_MS);
    co4_write(fd, "x", 1);
    co4_sleep(2 * CO4_MS);
    co4_close(fd);
}

pausable void selects(void)
{
    int fds[2];
    char c;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    co4_spawn(write_later(fds[0]));
    co4_case cases[] = { CO4_CASE(co4_fd_readable(fds[1]), NULL),
                         CO4_CASE(co4_fd_writable(fds[1]), NULL) };
    int first = co4_select(cases, 2);
    cases[1].source = NULL;
    int second = co4_select(cases, 2);
    printf("select: %s, then %s\n", first == 1 ? "writable" : "?", second == 0 ? "readable" : "?");
    co4_read(fds[1], &c, 1);
    second = co4_select(cases, 2);
    printf("select: %s, read gives %d\n", second == 0 ? "the other end is closed" : "?",
           (int)co4_read(fds[1], &c, 1));
    co4_close(fds[1]);
}

pausable void polls(void)
{
    int a[2], b[2];
    if (co4_pipe(a) != 0 || co4_pipe(b) != 0)
        return;
    co4_spawn(write_later(b[1]));
    struct pollfd fds[] = { { .fd = a[0], .events = POLLIN }, { .fd = b[0], .events = POLLIN } };
    int n = co4_poll(fds, 2, -1);
    printf("poll: %d, %s\n", n, fds[1].revents ? "second" : "first");
    n = co4_poll(fds, 1, 3);
    printf("poll: %d\n", n);
    co4_sleep(5 * CO4_MS);
    co4_close(a[0]);
    co4_close(a[1]);
    co4_close(b[0]);
}

pausable void close_later(int fd)
{
    co4_sleep(3 * CO4_MS);
    co4_close(fd);
}

pausable void partial(void)
{
    int fds[2];
    char *bytes = calloc(1, MANY);
    if (co4_pipe(fds) != 0)
        return;
    co4_spawn(close_later(fds[0]));
    ssize_t n = co4_write(fds[1], bytes, MANY);
    printf("partial write: %s, ", n > 0 && n < MANY ? "some" : "?");
    n = co4_write(fds[1], bytes, MANY);
    printf("then %s\n", n == -1 ? name_of(errno) : "?");
    co4_close(fds[1]);
    free(bytes);
}

pausable void rest(void)
{
    int fds[2];
    co4_pipe(fds);
    co4_close(fds[0]);
    ssize_t n = co4_write(fds[1], "x", 1);
    printf("written to a closed pipe: %d %s\n", (int)n, name_of(errno));
    co4_close(fds[1]);
    crowd();
    selects();
    polls();
    partial();
    char c;
    n = co4_read(fds[0], &c, 1);
    printf("no descriptor: %s\n", n == -1 ? name_of(errno) : "?");
}

pausable void all(void)
{
    int fds[2], other[2];
    char c;
    lines();
    many();

    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    ssize_t n = co4_read_until(fds[0], &c, 1, co4_now() + 2 * CO4_MS);
    printf("deadline: %d %s\n", (int)n, name_of(errno));

    co4_task *t = co4_spawn(read_one(fds[0], "closed under a reader"));
    co4_sleep(CO4_MS);
    co4_close(fds[0]);
    co4_join(t, NULL);
    co4_close(fds[1]);

    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, other);
    t = co4_spawn(read_one(other[0], "cancelled"));
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 1);
    co4_join(t, NULL);
    co4_close(other[0]);
    co4_close(other[1]);
    rest();
}

int main(void)
{
    co4_run(all());
    return 0;
}
