/* streams.c - bytes over TLS: large, in both directions at once, by two tasks of a side; lines; key
 * updates; the ends.
 * needs: descriptors tls
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: there and back: 1000000 and 1000000 bytes, same
 * expect: by two tasks: 700000 and 700000 bytes, same
 * expect: lines: 100 of 100
 * expect: file: 300000 bytes, same
 * expect: small writes: 30000 bytes, same
 * expect: half closed: question of 8, answer of 6, then 0 and 0
 * expect: writes after the end: EPIPE
 * expect: the peer has ended and closed: 0, end 0, again 0, close 0
 * expect: the peer has closed alone: end EPIPE, again EPIPE
 * expect: truncated: done, then CO4_TLS_TRUNCATED, again CO4_TLS_TRUNCATED
 * expect: reset: done, then ECONNRESET, again ECONNRESET
 * expect: rubbish: CO4_TLS_PROTOCOL, the other side: CO4_TLS_REFUSED
 * expect: write to one that has gone: failed
 * expect: bytes before that are read: done
 * expect: a connection without TLS: none, none, 0, none */
#include "common.h"

#include <unistd.h>

static co4_tls_config *client, *server;

static pausable void pair(co4_conn *c[2])
{
    struct side a, b;
    shake_hands(client, server, "localhost", &a, &b);
    if (!a.c || !b.c)
        abort();
    c[0] = a.c;
    c[1] = b.c;
}

static char byte_at(size_t i)
{
    return (char)(i * 7 + i / 251);
}

static char *pattern(size_t bytes)
{
    char *p = malloc(bytes);
    for (size_t i = 0; p && i < bytes; i++)
        p[i] = byte_at(i);
    return p;
}

static pausable void write_all(co4_conn *c, size_t bytes, size_t part)
{
    char *from = pattern(bytes);
    for (size_t at = 0; at < bytes; at += part)
        if (co4_conn_write(c, from + at, at + part < bytes ? part : bytes - at) < 0)
            break;
    co4_conn_end(c);
    free(from);
}

/* Returns how many bytes of the pattern came, until the end or another byte. */
static pausable size_t read_all(co4_conn *c, size_t part)
{
    size_t done = 0;
    ssize_t n;
    char *to = malloc(part);
    while ((n = co4_conn_read(c, to, part)) > 0)
        for (ssize_t i = 0; i < n; i++, done++)
            if (to[i] != byte_at(done)) {
                free(to);
                return done;
            }
    free(to);
    return n == 0 ? done : 0;
}

static pausable void read_into(co4_conn *c, size_t part, size_t *got)
{
    *got = read_all(c, part);
}

static pausable void echo(co4_conn *c)
{
    char bytes[3000];
    ssize_t n;
    while ((n = co4_conn_read(c, bytes, sizeof bytes)) > 0)
        if (co4_conn_write(c, bytes, (size_t)n) != n)
            break;
    co4_conn_end(c);
}

static void say(const char *what, size_t one, size_t other, size_t wanted)
{
    printf("%s: %zu and %zu bytes, %s\n", what, one, other,
           one == wanted && other == wanted ? "same" : "different");
}

static pausable void there_and_back(void)
{
    enum { BYTES = 1000000 };
    co4_conn *c[2];
    pair(c);
    co4_task *t = co4_spawn(echo(c[1])), *w = co4_spawn(write_all(c[0], BYTES, BYTES));
    size_t got = read_all(c[0], 20000);
    co4_join(t, NULL);
    co4_join(w, NULL);
    say("there and back", got, got, BYTES);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static pausable void both_at_once(void)
{
    enum { BYTES = 700000 };
    co4_conn *c[2];
    size_t got[2] = { 0, 0 };
    pair(c);
    co4_task *tasks[] = {
        co4_spawn(write_all(c[0], BYTES, 50000)),
        co4_spawn(write_all(c[1], BYTES, BYTES)),
        co4_spawn(read_into(c[0], 1000, &got[0])),
        co4_spawn(read_into(c[1], 30000, &got[1])),
    };
    for (int i = 0; i < 4; i++)
        co4_join(tasks[i], NULL);
    say("by two tasks", got[0], got[1], BYTES);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static pausable void echo_lines(co4_conn *c)
{
    char *line;
    ssize_t n;
    while ((n = co4_conn_read_line(c, &line, 100)) > 0)
        co4_conn_put(c, line, (size_t)n);
    co4_conn_close(c);
}

static pausable void lines(void)
{
    co4_conn *c[2];
    char *line;
    int back = 0;
    pair(c);
    co4_task *t = co4_spawn(echo_lines(c[1]));
    for (int i = 0; i < 100; i++)
        co4_conn_printf(c[0], "%d\n", i);
    while (back < 100 && co4_conn_read_line(c[0], &line, 100) > 0 && atoi(line) == back)
        back++;
    printf("lines: %d of 100\n", back);
    co4_conn_close(c[0]);
    co4_join(t, NULL);
}

static pausable void send_file(co4_conn *c, int fd, size_t bytes)
{
    off_t at = 0;
    co4_conn_send_file(c, fd, &at, bytes);
    co4_conn_end(c);
}

static FILE *file_of(const char *bytes, size_t count)
{
    FILE *f = tmpfile();
    if (!f || fwrite(bytes, 1, count, f) != count || fflush(f) != 0)
        abort();
    return f;
}

static void end_file(FILE *f)
{
    fclose(f);
}

static pausable void of_a_file(void)
{
    enum { BYTES = 300000 };
    co4_conn *c[2];
    char *bytes = pattern(BYTES);
    FILE *f = file_of(bytes, BYTES);
    pair(c);
    co4_task *t = co4_spawn(send_file(c[0], fileno(f), BYTES));
    size_t got = read_all(c[1], 7000);
    printf("file: %zu bytes, %s\n", got, got == BYTES ? "same" : "different");
    co4_join(t, NULL);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
    free(bytes);
    end_file(f);
}

static pausable void write_small(co4_conn *c, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 3) {
        char three[3] = { byte_at(i), byte_at(i + 1), byte_at(i + 2) };
        co4_conn_write(c, three, 3);
        if (i % 11 == 0)
            co4_conn_flush(c);
    }
    co4_conn_end(c);
}

static pausable void small(void)
{
    co4_conn *c[2];
    pair(c);
    co4_task *t = co4_spawn(write_small(c[1], 30000));
    size_t got = read_all(c[0], 10);
    printf("small writes: %zu bytes, %s\n", got, got == 30000 ? "same" : "different");
    co4_join(t, NULL);
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static pausable void ends(void)
{
    co4_conn *c[2];
    char text[16];
    pair(c);
    co4_conn_put(c[0], "question", 8);
    co4_conn_end(c[0]);
    ssize_t asked = co4_conn_read_exact(c[1], text, sizeof text);
    co4_conn_put(c[1], "answer", 6);
    co4_conn_end(c[1]);
    ssize_t answered = co4_conn_read_exact(c[0], text, sizeof text);
    printf("half closed: question of %zd, answer of %zd, then %zd and %zd\n", asked, answered,
           co4_conn_read(c[0], text, 1), co4_conn_read(c[1], text, 1));
    co4_conn_put(c[0], "more", 4);
    int n = co4_conn_flush(c[0]);
    printf("writes after the end: %s\n", co4_errname((int)n));
    co4_conn_destroy(c[0]);
    co4_conn_close(c[1]);
}

/* What it says at its own end finds nobody, and that is no failure. */
static pausable void after_the_peer(void)
{
    co4_conn *c[2];
    char text[4];
    pair(c);
    co4_conn_write(c[1], "x", 1);
    co4_conn_read(c[0], text, 1); /* and the tickets before it */
    co4_conn_end(c[0]);
    co4_conn_destroy(c[0]);
    ssize_t n = co4_conn_read(c[1], text, 1);
    printf("the peer has ended and closed: %d", (int)n);
    int end = co4_conn_end(c[1]), again = co4_conn_end(c[1]), closed = co4_conn_close(c[1]);
    printf(", end %d, again %d, close %d\n", end, again, closed);
}

/* Without its end that is a failure. */
static pausable void after_a_close(void)
{
    co4_conn *c[2];
    pair(c);
    co4_conn_destroy(c[0]);
    for (int i = 0; i < 2; i++)
        printf("%s %s", i ? ", again" : "the peer has closed alone: end",
               co4_errname(co4_conn_end(c[1])));
    puts("");
    co4_conn_destroy(c[1]);
}

static pausable void truncated(const char *what, int resets)
{
    co4_conn *c[2];
    char text[16] = "";
    pair(c);
    co4_conn_put(c[0], "done", 4);
    co4_conn_flush(c[0]);
    if (resets) /* without the end of TLS; tickets are unread */
        co4_conn_destroy(c[0]);
    else
        co4_shutdown(co4_conn_fd(c[0]), SHUT_WR);
    co4_conn_read_exact(c[1], text, 4);
    ssize_t n = co4_conn_read(c[1], text + 5, 1);
    printf("%s: %s, then %s", what, text, co4_errname((int)n));
    n = co4_conn_read(c[1], text + 5, 1);
    printf(", again %s\n", co4_errname((int)n));
    co4_conn_close(c[1]);
    if (!resets)
        co4_conn_destroy(c[0]);
}

static pausable void rubbish(void)
{
    co4_conn *c[2];
    char text[16];
    pair(c);
    co4_write(co4_conn_fd(c[0]), "\x17\x03\x03\x00\x20thirty-two bytes of no ciphertext", 37);
    ssize_t n = co4_conn_read(c[1], text, 1);
    printf("rubbish: %s", co4_errname((int)n));
    n = co4_conn_read(c[0], text, 1);
    printf(", the other side: %s", co4_errname((int)n));
    puts("");
    co4_conn_close(c[0]);
    co4_conn_close(c[1]);
}

static pausable void gone(void)
{
    co4_conn *c[2];
    char text[16] = "";
    pair(c);
    co4_conn_put(c[0], "done", 4);
    co4_conn_close(c[0]);
    co4_conn_put(c[1], "lost", 4);
    printf("write to one that has gone: %s\n", co4_conn_flush(c[1]) < 0 ? "failed" : "sent");
    co4_conn_read_exact(c[1], text, 4);
    printf("bytes before that are read: %s\n", text);
    co4_conn_close(c[1]);
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static pausable void without(void)
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    co4_conn *c = co4_conn_create(fds[0]);
    printf("a connection without TLS: %s, %s, %d, %s\n", or_none(co4_tls_version(c)),
           or_none(co4_tls_alpn(c)), co4_tls_resumed(c), or_none(co4_tls_peer(c)));
    co4_conn_destroy(c);
    co4_close(fds[1]);
}

static pausable void all(void)
{
    there_and_back();
    both_at_once();
    lines();
    of_a_file();
    small();
    ends();
    after_the_peer();
    after_a_close();
    truncated("truncated", 0);
    truncated("reset", 1);
    rubbish();
    gone();
    without();
}

int main(void)
{
    client = client_of("authority");
    server = server_of("server");
    co4_run(all());
    co4_tls_config_release(client);
    co4_tls_config_release(server);
    return 0;
}
