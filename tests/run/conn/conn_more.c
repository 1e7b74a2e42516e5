/* conn_more.c - buffered connections: delimiters, back-pressure, output that has no memory, empty
 * output, and a transport that keeps bytes.
 * needs: descriptors
 * modes: woven forced
 * expect: to: 5 "a;b--", 5 "-c;--", 4 "long"; EMSGSIZE, CO4_EINVAL
 * expect: across buffers: 20003 bytes, then 0
 * expect: answers 30000, unsent below 70000 bytes: yes
 * expect: no memory: CO4_ENOMEM, then CO4_ENOMEM CO4_ENOMEM, close CO4_ENOMEM
 * expect: nothing put: 0 0, buffers of 300 connections: none
 * expect: transport: hello over it, 100000 bytes, same; itself: yes, another: no; destroyed 2 */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void pair(co4_conn *c[2])
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    c[0] = co4_conn_create(fds[0]);
    c[1] = co4_conn_create(fds[1]);
}

static void close_both(co4_conn *c[2])
{
    co4_conn_destroy(c[0]);
    co4_conn_destroy(c[1]);
}

static pausable void delimiters(void)
{
    co4_conn *c[2];
    char *text;
    pair(c);
    co4_conn_printf(c[0], "a;b---c;--long;");
    printf("to:");
    for (int i = 0; i < 2; i++) {
        ssize_t n = co4_conn_read_to(c[1], &text, "--", 2, 100);
        printf(" %d \"%s\",", (int)n, text);
    }
    ssize_t n = co4_conn_read_to(c[1], &text, "ng", 2, 4);
    printf(" %d \"%s\";", (int)n, text);
    n = co4_conn_read_to(c[1], &text, "--", 2, 1);
    printf(" %s,", n < 0 ? co4_errname((int)n) : "found");
    n = co4_conn_read_to(c[1], &text, "", 0, 100);
    printf(" %s\n", n < 0 ? co4_errname((int)n) : "found");
    close_both(c);
}

/* The delimiter arrives byte by byte, behind much input that looks like it. */
static pausable void sends_slowly(co4_conn *c)
{
    for (int i = 0; i < 10000; i++)
        co4_conn_put(c, "\r\n", 2);
    for (int i = 0; i < 3; i++) {
        co4_yield();
        co4_conn_put(c, &"\r\r\n"[i], 1);
        co4_conn_flush(c);
    }
    co4_conn_end(c);
}

static pausable void across(void)
{
    co4_conn *c[2];
    char *text;
    pair(c);
    co4_task *t = co4_spawn(sends_slowly(c[0]));
    ssize_t n = co4_conn_read_to(c[1], &text, "\n\r\r\n", 4, 30000);
    printf("across buffers: %d bytes, then ", (int)n);
    printf("%d\n", (int)co4_conn_read_to(c[1], &text, "x", 1, 30000));
    co4_task_join(t);
    co4_task_release(t);
    close_both(c);
}

enum { ASKED = 30000 };

static size_t most_unsent;

/* Reads and answers, and never flushes. */
static pausable void answers(co4_conn *c)
{
    char *line;
    while (co4_conn_read_line(c, &line, 100) > 0) {
        co4_conn_printf(c, "%0100d\n", atoi(line));
        size_t unsent = co4_conn_unsent(c);
        most_unsent = unsent > most_unsent ? unsent : most_unsent;
    }
    co4_conn_close(c);
}

/* Sends as much as it can, and reads late. */
static pausable void asks(co4_conn *c)
{
    for (int i = 0; i < ASKED; i++)
        co4_conn_printf(c, "%d\n", i);
    co4_conn_end(c);
}

static pausable void back_pressure(void)
{
    co4_conn *c[2];
    char *line;
    int n = 0;
    pair(c);
    co4_task *server = co4_spawn(answers(c[0])), *client = co4_spawn(asks(c[1]));
    co4_sleep(20 * CO4_MS);
    while (co4_conn_read_line(c[1], &line, 200) > 0)
        n += atoi(line) == n;
    co4_task_join(server);
    co4_task_join(client);
    co4_task_release(server);
    co4_task_release(client);
    printf("answers %d, unsent below 70000 bytes: %s\n", n, most_unsent < 70000 ? "yes" : "no");
    co4_conn_destroy(c[1]);
}

static pausable void no_memory(void)
{
    co4_conn *c[2];
    pair(c);
    co4_conn_put(c[0], "a", 1);
    ssize_t n = co4_conn_put(c[0], "b", (size_t)1 << 31);
    printf("no memory: %s, then ", n < 0 ? co4_errname((int)n) : "put");
    n = co4_conn_put(c[0], "c", 1);
    printf("%s ", n < 0 ? co4_errname((int)n) : "put");
    printf("%s, ", co4_errname(co4_conn_flush(c[0])));
    printf("close %s\n", co4_errname(co4_conn_close(c[0])));
    co4_conn_destroy(c[1]);
}

static size_t used(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

static pausable void nothing_put(void)
{
    static co4_conn *c[300][2];
    int printed = 0, put = 0;
    for (int i = 0; i < 300; i++)
        pair(c[i]);
    size_t before = used();
    for (int i = 0; i < 300; i++) {
        printed += co4_conn_printf(c[i][0], "%s", "");
        put += (int)co4_conn_put(c[i][0], "", 0);
        co4_conn_flush(c[i][0]);
    }
    size_t more = used() - before;
    printf("nothing put: %d %d, buffers of 300 connections: %s\n", printed, put,
           more < (size_t)300 * 4096 ? "none" : "held");
    for (int i = 0; i < 300; i++)
        close_both(c[i]);
}

/* A transport that turns letters, and takes up to 1000 bytes that it has not sent. */
struct turning {
    int fd;
    char bytes[1000];
    size_t held;
};

static int destroyed;

static char turn(char c)
{
    return (char)(c ^ 1);
}

static ssize_t turning_read(void *self, void *to, size_t bytes)
{
    struct turning *t = self;
    ssize_t n = co4_recv_until(t->fd, to, bytes, 0, CO4_NOW);
    for (ssize_t i = 0; i < n; i++)
        ((char *)to)[i] = turn(((char *)to)[i]);
    return n >= 0 ? n : errno == EAGAIN ? CO4_WANTS_READ : -errno;
}

/* Returns 0 if nothing is held any more. */
static ssize_t send_held(struct turning *t)
{
    while (t->held > 0) {
        size_t part = t->held < 100 ? t->held : 100;
        ssize_t n = co4_send_until(t->fd, t->bytes, part, MSG_NOSIGNAL, CO4_NOW);
        if (n < 0)
            return errno == EAGAIN ? CO4_WANTS_WRITE : -errno;
        t->held -= (size_t)n;
        memmove(t->bytes, t->bytes + n, t->held);
    }
    return 0;
}

static ssize_t turning_write(void *self, const struct iovec *from, int count)
{
    struct turning *t = self;
    ssize_t taken = 0;
    if (count == 0)
        return send_held(t);
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < from[i].iov_len && t->held < sizeof t->bytes; k++, taken++)
            t->bytes[t->held++] = turn(((const char *)from[i].iov_base)[k]);
    if (taken > 0)
        return taken;
    ssize_t n = send_held(t);
    return n == 0 ? turning_write(self, from, count) : n;
}

static int turning_end(void *self)
{
    struct turning *t = self;
    return co4_shutdown(t->fd, SHUT_WR);
}

static void turning_destroy(void *self)
{
    free(self);
    destroyed++;
}

static const co4_transport turning = { turning_read, turning_write, turning_end, turning_destroy };
static const co4_transport another = { turning_read, turning_write, NULL, NULL };

static co4_conn *over(int fd, struct turning **self)
{
    *self = calloc(1, sizeof **self);
    (*self)->fd = fd;
    return co4_conn_create_over(fd, &turning, *self);
}

/* Its end is the end of the step of the task: the transport keeps bytes then. */
static pausable void puts_much(co4_conn *c)
{
    co4_conn_put(c, "hello\n", 6);
    co4_yield();
    for (int i = 0; i < 100000; i++)
        co4_conn_put(c, &"abcdefg"[i % 7], 1);
}

static pausable void over_transport(void)
{
    int fds[2], same = 0;
    char *line, byte;
    struct turning *self[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    co4_conn *a = over(fds[0], &self[0]), *b = over(fds[1], &self[1]);
    co4_task *t = co4_spawn(puts_much(a));
    co4_conn_read_line(b, &line, 100);
    printf("transport: %.5s over it, ", line);
    for (int i = 0; i < 100000 && co4_conn_read_exact(b, &byte, 1) == 1; i++)
        same += byte == "abcdefg"[i % 7];
    printf("100000 bytes, %s; ", same == 100000 ? "same" : "others");
    printf("itself: %s, ", co4_conn_transport(a, &turning) == self[0] ? "yes" : "no");
    printf("another: %s; ",
           co4_conn_transport(a, &another) || co4_conn_transport(NULL, &turning) ? "yes" : "no");
    co4_task_join(t);
    co4_task_release(t);
    co4_conn_close(a);
    co4_conn_close(b);
    printf("destroyed %d\n", destroyed);
}

static pausable void all(void)
{
    delimiters();
    across();
    back_pressure();
    no_memory();
    nothing_put();
    over_transport();
}

int main(void)
{
    co4_run(all());
    return 0;
}
