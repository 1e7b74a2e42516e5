/* conn_lines.c - buffered connections: lines, counts, formatted output, large writes, the end.
 * flags: -Wno-co4-blocking
 * needs: descriptors
 * modes: woven forced
 * expect: line 6: hello
 * expect: line 1:
 * expect: peek: abc of 3
 * expect: exact 5: abcde
 * expect: rest without newline, 4: tail
 * expect: end: 0
 * expect: strings: "a", "bc", "d", then "ef"
 * expect: too long: EMSGSIZE, then all 10 bytes
 * expect: slow line of 3001 bytes: same
 * expect: large: 1000000 bytes, same
 * expect: answered 100 of 100
 * expect: unsent 5, then 0
 * expect: reset: EPIPE, EPIPE, flush EPIPE, close EPIPE
 * expect: bytes before the end are read: done
 * expect: truncated: ECONNRESET ECONNRESET, after a flush: ECONNRESET ECONNRESET
 * expect: a pipe: ENOTSOCK; nothing: CO4_EINVAL CO4_EINVAL CO4_EINVAL 0 -1
 * expect: deadline: CO4_ETIMEDOUT, then late
 * expect: cancelled: CO4_ECANCELED
 * expect: closed: CO4_ECLOSED
 * expect: create: NULL
 * expect: file: 300000 bytes, same */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void pair(co4_conn *c[2])
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    c[0] = co4_conn_create(fds[0]);
    c[1] = co4_conn_create(fds[1]);
}

static pausable void lines(void)
{
    co4_conn *c[2];
    char *line, text[32] = "";
    const char *seen;
    pair(c);
    co4_conn_printf(c[0], "%s\n\n%s", "hello", "abcde");
    co4_conn_put(c[0], "tail", 4);
    co4_conn_end(c[0]);
    ssize_t n = co4_conn_read_line(c[1], &line, 100);
    printf("line %d: %.*s\n", (int)n, (int)n - 1, line);
    n = co4_conn_read_line(c[1], &line, 100);
    printf("line %d:%.*s\n", (int)n, (int)n - 1, line);
    n = co4_conn_peek(c[1], &seen, 3);
    printf("peek: %.3s of %s\n", seen, n >= 3 ? "3" : "fewer");
    n = co4_conn_read_exact(c[1], text, 5);
    printf("exact %d: %s\n", (int)n, text);
    n = co4_conn_read_line(c[1], &line, 100);
    printf("rest without newline, %d: %.*s\n", (int)n, (int)n, line);
    printf("end: %d\n", (int)co4_conn_read(c[1], text, 5));
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

/* A '\0' stands behind each line, and goes before the next read. */
static pausable void strings(void)
{
    co4_conn *c[2];
    char *line, rest[8] = "";
    pair(c);
    co4_conn_put(c[0], "a\nbc\nd\nef", 9);
    co4_conn_end(c[0]);
    printf("strings:");
    for (int i = 0; i < 3; i++) {
        ssize_t n = co4_conn_read_line(c[1], &line, 100);
        bool whole = n > 0 && (size_t)n == strlen(line);
        line[n - 1] = '\0';
        printf(" \"%s\",%s", line, whole ? "" : " with more behind it");
    }
    ssize_t n = co4_conn_read(c[1], rest, sizeof rest - 1);
    printf(" then \"%s\"%s\n", rest, n == 2 ? "" : " of another length");
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static pausable void too_long(void)
{
    co4_conn *c[2];
    char *line, text[16];
    pair(c);
    co4_conn_put(c[0], "0123456789", 10);
    co4_conn_flush(c[0]);
    ssize_t n = co4_conn_read_line(c[1], &line, 8);
    const char *err = n < 0 ? co4_errname((int)n) : "none";
    n = co4_conn_read(c[1], text, sizeof text);
    printf("too long: %s, then all %d bytes\n", err, (int)n);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static pausable void write_slowly(co4_conn *c, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        co4_conn_put(c, &"abcdefg"[i % 7], 1);
        if (i % 3 == 0)
            co4_conn_flush(c);
    }
    co4_conn_put(c, "\n", 1);
    co4_conn_flush(c);
}

static pausable void slow_line(void)
{
    co4_conn *c[2];
    char *line;
    bool same = true;
    pair(c);
    co4_task *t = co4_spawn(write_slowly(c[0], 3000));
    ssize_t n = co4_conn_read_line(c[1], &line, 100000);
    for (int i = 0; i < n - 1; i++)
        same = same && line[i] == "abcdefg"[i % 7];
    printf("slow line of %d bytes: %s\n", (int)n, same ? "same" : "different");
    co4_join(t, NULL);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static char *pattern(size_t bytes)
{
    char *p = malloc(bytes);
    for (size_t i = 0; p && i < bytes; i++)
        p[i] = (char)(i * 7 + i / 251);
    return p;
}

static pausable void write_large(co4_conn *c, const char *from, size_t bytes)
{
    co4_conn_put(c, from, 3); /* goes in front */
    co4_conn_write(c, from + 3, bytes - 3);
    co4_conn_end(c);
}

static pausable void large(void)
{
    enum { BYTES = 1000000 };
    co4_conn *c[2];
    char *from = pattern(BYTES), *to = malloc(BYTES);
    pair(c);
    co4_task *t = co4_spawn(write_large(c[0], from, BYTES));
    ssize_t n = co4_conn_read_exact(c[1], to, 17); /* the rest by large reads */
    n += co4_conn_read_exact(c[1], to + 17, BYTES - 17);
    printf("large: %d bytes, %s\n", (int)n, memcmp(from, to, BYTES) ? "different" : "same");
    co4_join(t, NULL);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
    free(from);
    free(to);
}

/* Never flushes: the read that waits does. */
static pausable void answer(co4_conn *c)
{
    char *line;
    ssize_t n;
    while ((n = co4_conn_read_line(c, &line, 100)) > 0)
        co4_conn_put(c, line, (size_t)n);
    co4_conn_close(c);
}

static pausable void pipelined(void)
{
    co4_conn *c[2];
    char *line;
    int got = 0, back = 0;
    pair(c);
    co4_task *t = co4_spawn(answer(c[0]));
    for (int i = 0; i < 100; i++)
        co4_conn_printf(c[1], "%d\n", i);
    for (; back < 100 && co4_conn_read_line(c[1], &line, 100) > 0; back++)
        got += atoi(line) == back;
    printf("answered %d of 100\n", got);
    co4_conn_close(c[1]);
    co4_join(t, NULL);
    pair(c);
    co4_conn_put(c[0], "12345", 5);
    int before = (int)co4_conn_unsent(c[0]);
    co4_conn_flush(c[0]);
    printf("unsent %d, then %d\n", before, (int)co4_conn_unsent(c[0]));
    co4_conn_destroy(c[0]);
    co4_conn_destroy(c[1]);
    co4_conn_destroy(NULL);
}

static pausable void broken(void)
{
    co4_conn *c[2];
    char text[8] = "";
    pair(c);
    co4_conn_put(c[1], "done", 4);
    co4_conn_close(c[1]);
    co4_conn_put(c[0], "lost", 4);
    int n = co4_conn_flush(c[0]);
    const char *err = n < 0 ? co4_errname((int)n) : "none";
    printf("reset: %s, %s", err, co4_errname((int)co4_conn_put(c[0], "x", 1)));
    printf(", flush %s", co4_errname(co4_conn_flush(c[0])));
    co4_conn_read(c[0], text, 4);
    printf(", close %s\n", co4_errname(co4_conn_close(c[0])));
    printf("bytes before the end are read: %s\n", text);
}

/* Two ends of a TCP connection. */
static void connected(co4_conn *c[2])
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    int listener = co4_socket(AF_INET, SOCK_STREAM, 0), one = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (co4_bind(listener, (struct sockaddr *)&a, length) != 0 || co4_listen(listener, 1) != 0 ||
        co4_getsockname(listener, (struct sockaddr *)&a, &length) != 0)
        abort();
    (void)!connect(one, (struct sockaddr *)&a, length);
    c[0] = co4_conn_create(one);
    c[1] = co4_conn_create(accept(listener, NULL, NULL));
    co4_close(listener);
}

/* The peer sends a part of a line, and resets. */
static pausable void truncated(bool flushes)
{
    co4_conn *c[2];
    char *line;
    const char *err[2];
    struct linger none = { 1, 0 };
    connected(c);
    co4_conn_put(c[0], "part of a li", 12);
    co4_conn_flush(c[0]);
    if (co4_conn_peek(c[1], &(const char *){ NULL }, 12) != 12)
        abort();
    co4_setsockopt(co4_conn_fd(c[0]), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    co4_conn_destroy(c[0]);
    co4_sleep(CO4_MS);
    co4_conn_put(c[1], "x", 1);
    if (flushes)
        co4_conn_flush(c[1]);
    for (int i = 0; i < 2; i++)
        err[i] = co4_errname((int)co4_conn_read_line(c[1], &line, 100));
    printf("%s %s %s%s", flushes ? ", after a flush:" : "truncated:", err[0], err[1],
           flushes ? "\n" : "");
    co4_conn_destroy(c[1]);
}

static pausable void refused(void)
{
    int fds[2];
    char *line;
    if (co4_pipe(fds) != 0)
        abort();
    co4_conn *c = co4_conn_create(fds[1]);
    co4_conn_put(c, "x", 1);
    printf("a pipe: %s; ", co4_errname(co4_conn_end(c)));
    co4_conn_close(c);
    co4_close(fds[0]);
    printf("nothing: %s", co4_errname((int)co4_conn_read_line(NULL, &line, 10)));
    printf(" %s", co4_errname((int)co4_conn_put(NULL, "x", 1)));
    printf(" %s", co4_errname(co4_conn_flush(NULL)));
    printf(" %d %d\n", (int)co4_conn_buffered(NULL), co4_conn_fd(NULL));
}

static pausable void read_for_ever(co4_conn *c)
{
    char *line;
    ssize_t n = co4_conn_read_line(c, &line, 100);
    printf("cancelled: %s\n", n < 0 ? co4_errname((int)n) : "none");
    co4_conn_destroy(c);
}

static pausable void read_closed(co4_conn *c)
{
    const char *data;
    ssize_t n = co4_conn_peek(c, &data, 1);
    printf("closed: %s\n", n < 0 ? co4_errname((int)n) : "none");
}

static pausable void ends(void)
{
    co4_conn *c[2];
    char text[8] = "";
    pair(c);
    ssize_t n = co4_conn_read_exact_until(c[1], text, 4, co4_now() + 2 * CO4_MS);
    const char *err = n < 0 ? co4_errname((int)n) : "none";
    co4_conn_put(c[0], "late", 4);
    co4_conn_flush(c[0]);
    co4_conn_read(c[1], text, sizeof text);
    printf("deadline: %s, then %s\n", err, text);
    co4_task *t = co4_spawn(read_for_ever(c[1]));
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    co4_conn_destroy(c[0]);
    pair(c);
    t = co4_spawn(read_closed(c[0]));
    co4_sleep(CO4_MS);
    co4_close(co4_conn_fd(c[0]));
    co4_join(t, NULL);
    co4_conn_destroy(c[0]);
    co4_conn_destroy(c[1]);
    printf("create: %s\n", co4_conn_create(-1) ? "made" : "NULL");
}

static pausable void read_file(co4_conn *c, char *to, size_t bytes, ssize_t *got)
{
    *got = co4_conn_read_exact(c, to, bytes);
}

static pausable void files(void)
{
    enum { BYTES = 300000 };
    char path[] = "/tmp/co4-conn.XXXXXX";
    co4_conn *c[2];
    char *from = pattern(BYTES), *to = malloc(BYTES + 4);
    ssize_t got = 0;
    off_t at = 0;
    int fd = mkstemp(path);
    unlink(path);
    if (co4_write(fd, from, BYTES) != BYTES)
        abort();
    pair(c);
    co4_task *t = co4_spawn(read_file(c[1], to, BYTES + 4, &got));
    co4_conn_put(c[0], "head", 4);
    ssize_t n = co4_conn_send_file(c[0], fd, &at, BYTES + 1000);
    co4_join(t, NULL);
    bool same = got == BYTES + 4 && memcmp(to, "head", 4) == 0 && at == BYTES &&
                memcmp(to + 4, from, BYTES) == 0;
    printf("file: %d bytes, %s\n", (int)n, same ? "same" : "different");
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
    co4_close(fd);
    free(from);
    free(to);
}

static pausable void all(void)
{
    lines();
    strings();
    too_long();
    slow_line();
    large();
    pipelined();
    broken();
    truncated(false);
    truncated(true);
    refused();
    ends();
    files();
}

int main(void)
{
    co4_run(all());
    return 0;
}
