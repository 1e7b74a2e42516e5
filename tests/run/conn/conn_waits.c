/* conn_waits.c - output leaves before its task waits, whatever the task waits for. What the peer
 * does not take at once is sent later.
 *
 * The peer answers when it has the greeting; the wait ends by that answer.
 * needs: descriptors
 * modes: woven forced
 * expect: a message: hello
 * expect: the end of a task: hello
 * expect: another descriptor: hello
 * expect: its own end: hello
 * expect: two connections: hello, hello
 * expect: between two flushes: hello
 * expect: a slow peer: 1000000 bytes, in order; unsent at last: 0
 * expect: and what is written meanwhile: 1000000 bytes, in order; unsent at last: 0
 * expect: closed meanwhile: an end
 * expect: corked: nothing, then hello, then world
 * expect: given up flush: CO4_ETIMEDOUT: 1000000 bytes, in order; unsent at last: 0
 * expect: given up write: CO4_ETIMEDOUT: 1000000 bytes, in order; unsent at last: 0
 * expect: given up read: CO4_ETIMEDOUT: 1000000 bytes, in order; unsent at last: 0 */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG = 1000000 };

static co4_conn *pair(int *peer)
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    *peer = fds[1];
    return co4_conn_create(fds[0]);
}

/* With a limit, so that a test that fails ends. */
static pausable void get(int fd, char line[8])
{
    ssize_t n = 0, got;
    while (n < 5 &&
           (got = co4_read_until(fd, line + n, 5 - (size_t)n, co4_now() + 5 * CO4_SEC)) > 0)
        n += got;
    line[n] = '\0';
}

static pausable void print(int fd, const char *what)
{
    char line[8];
    get(fd, line);
    printf("%s: %s\n", what, line);
}

static pausable void print_and_send(int fd, const char *what, co4_mailbox *done)
{
    int one = 1;
    print(fd, what);
    co4_mailbox_send(done, &one);
}

static pausable void print_and_write(int fd, const char *what, int to)
{
    print(fd, what);
    co4_write(to, "x", 1);
}

static pausable void print_both(int a, int b, co4_mailbox *done)
{
    char first[8], second[8];
    int one = 1;
    get(a, first);
    get(b, second);
    printf("two connections: %s, %s\n", first, second);
    co4_mailbox_send(done, &one);
}

static pausable void puts_only(co4_conn *c)
{
    co4_conn_put(c, "hello", 5);
}

static pausable void small(co4_mailbox *done)
{
    int peer, other, fds[2], one;
    char byte;
    co4_conn *c = pair(&peer), *d = pair(&other);

    co4_task_release(co4_spawn(print_and_send(peer, "a message", done)));
    co4_conn_printf(c, "hel%s", "lo");
    co4_mailbox_receive(done, &one);

    co4_task *t = co4_spawn(print(peer, "the end of a task"));
    co4_conn_put(c, "hello", 5);
    co4_task_join(t);
    co4_task_release(t);

    if (co4_pipe(fds) != 0)
        abort();
    co4_task_release(co4_spawn(print_and_write(peer, "another descriptor", fds[1])));
    co4_conn_write(c, "hello", 5);
    co4_read(fds[0], &byte, 1);
    co4_close(fds[0]);
    co4_close(fds[1]);

    t = co4_spawn(puts_only(c));
    co4_task_join(t);
    co4_task_release(t);
    print(peer, "its own end");

    co4_task_release(co4_spawn(print_both(peer, other, done)));
    for (int i = 0; i < 5; i++) {
        co4_conn_put(c, &"hello"[i], 1);
        co4_conn_put(d, &"hello"[i], 1);
    }
    co4_mailbox_receive(done, &one);

    co4_task_release(co4_spawn(print_and_send(peer, "between two flushes", done)));
    co4_conn_put(c, "he", 2);
    co4_conn_flush(c);
    co4_conn_put(c, "llo", 3);
    co4_mailbox_receive(done, &one);

    co4_conn_close(c);
    co4_conn_close(d);
    co4_close(peer);
    co4_close(other);
}

static char byte_at(int i)
{
    return (char)('a' + i % 23);
}

/* It begins to read when the writer waits. */
static pausable void reads_slowly(int fd, const char *what, co4_mailbox *done)
{
    int n = 0, wrong = 0, one = 1;
    char bytes[5000];
    ssize_t got;
    co4_sleep(10 * CO4_MS);
    while (n < LONG &&
           (got = co4_read_until(fd, bytes, sizeof bytes, co4_now() + 5 * CO4_SEC)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            wrong += bytes[i] != byte_at(n++);
        co4_yield();
    }
    printf("%s%s%d bytes, %s", what, *what ? ": " : "", n, wrong ? "in disorder" : "in order");
    co4_mailbox_send(done, &one);
}

static void put_some(co4_conn *c, int from, int to)
{
    for (; from < to; from++)
        co4_conn_put(c, (char[]){ byte_at(from) }, 1);
}

static pausable void large(co4_mailbox *done)
{
    int peer, one;
    co4_conn *c = pair(&peer);
    co4_task_release(co4_spawn(reads_slowly(peer, "a slow peer", done)));
    put_some(c, 0, LONG);
    co4_mailbox_receive(done, &one);
    printf("; unsent at last: %d\n", (int)co4_conn_unsent(c));

    co4_task_release(co4_spawn(reads_slowly(peer, "and what is written meanwhile", done)));
    for (int part = 0; part < 10; part++) {
        put_some(c, part * (LONG / 10), (part + 1) * (LONG / 10));
        if (part % 4 == 3)
            co4_conn_flush(c);
        else
            co4_sleep(3 * CO4_MS);
    }
    co4_mailbox_receive(done, &one);
    printf("; unsent at last: %d\n", (int)co4_conn_unsent(c));

    put_some(c, 0, LONG);
    co4_sleep(CO4_MS); /* the rest waits for the peer */
    co4_conn_destroy(c);
    char bytes[5000];
    ssize_t n;
    while ((n = co4_read(peer, bytes, sizeof bytes)) > 0)
        ;
    printf("closed meanwhile: %s\n", n == 0 ? "an end" : "an error");
    co4_close(peer);
}

static pausable void corked(void)
{
    int peer;
    char text[8] = "";
    co4_conn *c = pair(&peer);
    co4_conn_put(c, "he", 2);
    co4_conn_cork(c, 1);
    co4_conn_put(c, "llo", 3);
    co4_sleep(CO4_MS);
    printf("corked: %s", co4_recv_until(peer, text, 5, 0, CO4_NOW) < 0 ? "nothing" : text);
    co4_conn_flush(c);
    get(peer, text);
    printf(", then %s", text);
    co4_conn_put(c, "world", 5);
    co4_yield();
    co4_conn_cork(c, 0);
    get(peer, text);
    printf(", then %s\n", text);
    co4_conn_close(c);
    co4_close(peer);
}

/* A call that takes the output over, and then gives up. */
static pausable void given_up(co4_mailbox *done, const char *what)
{
    int peer, one;
    char *line;
    ssize_t n = 0;
    co4_conn *c = pair(&peer);
    put_some(c, 0, LONG - (*what == 'w' ? 1 : 0));
    co4_sleep(CO4_MS); /* the rest waits for the peer */
    int64_t soon = co4_now() + CO4_MS;
    co4_conn_put(c, "", 0);
    if (*what == 'f')
        n = co4_conn_flush_until(c, soon);
    else if (*what == 'w')
        n = co4_conn_write_until(c, (char[]){ byte_at(LONG - 1) }, 1, soon);
    else
        n = co4_conn_read_line_until(c, &line, 100, soon);
    printf("given up %s: %s: ", what, co4_errname((int)n));
    if (*what == 'w' && n < 0)
        put_some(c, LONG - 1, LONG);
    co4_task_release(co4_spawn(reads_slowly(peer, "", done)));
    co4_mailbox_receive(done, &one);
    printf("; unsent at last: %d\n", (int)co4_conn_unsent(c));
    co4_conn_destroy(c);
    co4_close(peer);
}

static pausable void all(void)
{
    co4_mailbox *done = co4_mailbox_create(sizeof(int), 1);
    small(done);
    large(done);
    corked();
    given_up(done, "flush");
    given_up(done, "write");
    given_up(done, "read");
    co4_mailbox_destroy(done);
}

int main(void)
{
    co4_run(all());
    return 0;
}
