/* conn_waits_plain.c - output leaves before a thread blocks in a call of co4, in a plain build.
 * needs: descriptors threads workers
 * modes: plain
 * weave: -Wno-co4-blocking
 * expect: a message: hello
 * expect: another descriptor: hello
 * expect: a sleep: hello
 * expect: the end of the thread: hello */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int peer, back[2];
static co4_mailbox *done;
static co4_conn *conn;

/* With a limit, so that a test that fails ends. */
static void print(const char *what)
{
    char text[8] = "";
    struct pollfd p = { .fd = peer, .events = POLLIN };
    for (size_t n = 0; n < 5 && poll(&p, 1, 5000) == 1;) {
        ssize_t got = read(peer, text + n, 5 - n);
        n += got > 0 ? (size_t)got : 5;
    }
    printf("%s: %s\n", what, text);
}

static void *sends(void *what)
{
    int one = 1;
    print(what);
    co4_block(co4_mailbox_send(done, &one));
    return NULL;
}

static void *writes(void *what)
{
    print(what);
    if (write(back[1], "x", 1) != 1)
        abort();
    return NULL;
}

static void *prints(void *what)
{
    print(what);
    return NULL;
}

static void *puts_only(void *nothing)
{
    co4_conn_put(conn, "hello", 5);
    return nothing;
}

static void join_new(void *(*f)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, f, NULL);
    pthread_join(thread, NULL);
}

static void receive(int *one)
{
    co4_block(co4_mailbox_receive(done, one));
}

static pausable int all(void)
{
    int fds[2], one;
    char byte;
    pthread_t thread;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 || pipe(back) != 0)
        return 1;
    done = co4_mailbox_create(sizeof one, 1);
    peer = fds[1];
    conn = co4_conn_create(fds[0]);

    pthread_create(&thread, NULL, sends, "a message");
    co4_conn_put(conn, "hello", 5);
    receive(&one);
    pthread_join(thread, NULL);

    pthread_create(&thread, NULL, writes, "another descriptor");
    co4_conn_put(conn, "hello", 5);
    co4_fd_attach(back[0], 0);
    co4_read(back[0], &byte, 1);
    pthread_join(thread, NULL);

    pthread_create(&thread, NULL, prints, "a sleep");
    co4_conn_put(conn, "hello", 5);
    co4_sleep(10 * CO4_MS);
    pthread_join(thread, NULL);

    join_new(puts_only);
    print("the end of the thread");
    co4_conn_destroy(conn);
    co4_close(back[0]);
    close(back[1]);
    close(peer);
    co4_mailbox_destroy(done);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
