/* poll_loop.c - tasks that read and write sockets, in a program whose main loop is poll().
 *
 * The runtime has no thread. The loop polls the sockets that tasks wait for and, beside them, the
 * runtime's own descriptor, which is readable when a task has something to do; the next deadline is
 * its timeout. A server and three clients talk over socket pairs; every client also waits between
 * its words. Prints what each got back. */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 3

/* ---- waiting for a descriptor ---- */

static struct interest {
    int fd;
    short events;
    co4_mailbox *ready; /* gets the result of poll(); NULL: no task waits here */
} interests[2 * CLIENTS];

static pausable int wait_for(int fd, short events)
{
    short found = 0;
    struct interest *i = interests;
    while (i->ready != NULL)
        i++;
    *i = (struct interest){ fd, events, co4_mailbox_create(sizeof found, 1) };
    if (i->ready == NULL)
        return CO4_ENOMEM;
    int err = co4_mailbox_receive(i->ready, &found);
    co4_mailbox_destroy(i->ready);
    i->ready = NULL;
    return err;
}

/* Of descriptors that never block. */
static ssize_t try_read(int fd, char *to, size_t room)
{
    return read(fd, to, room);
}

static ssize_t try_write(int fd, const char *from, size_t n)
{
    return write(fd, from, n);
}

/* Bytes, 0 at the end, or a code. */
static pausable int read_some(int fd, char *to, size_t room)
{
    ssize_t n;
    while ((n = try_read(fd, to, room)) < 0 && errno == EAGAIN) {
        int err = wait_for(fd, POLLIN);
        if (err != CO4_OK)
            return err;
    }
    return n < 0 ? CO4_EINVAL : (int)n;
}

static pausable int write_all(int fd, const char *from, size_t n)
{
    while (n > 0) {
        ssize_t written = try_write(fd, from, n);
        if (written < 0) {
            int err = errno == EAGAIN ? wait_for(fd, POLLOUT) : CO4_EINVAL;
            if (err != CO4_OK)
                return err;
        } else {
            from += written;
            n -= (size_t)written;
        }
    }
    return 0;
}

/* ---- the tasks ---- */

static pausable int serve(int fd)
{
    char text[16];
    int n, err = CO4_OK;
    while (err == CO4_OK && (n = err = read_some(fd, text, sizeof text)) > 0) {
        for (int i = 0; i < n; i++)
            text[i] = (char)toupper((unsigned char)text[i]);
        err = write_all(fd, text, (size_t)n);
    }
    return err;
}

struct client {
    int fd, server;
    const char *words[3];
    char got[64];
};

static pausable int ask(struct client *c)
{
    size_t have = 0;
    for (int i = 0; i < 3; i++) {
        size_t want = have + strlen(c->words[i]);
        int err = co4_sleep(2 * CO4_MS);
        if (err == CO4_OK)
            err = write_all(c->fd, c->words[i], strlen(c->words[i]));
        while (err == CO4_OK && have < want) {
            int n = read_some(c->fd, c->got + have, sizeof c->got - 1 - have);
            err = n < 0 ? n : n == 0 ? CO4_ECLOSED : CO4_OK;
            have += n > 0 ? (size_t)n : 0;
        }
        if (err != CO4_OK)
            return err;
    }
    shutdown(c->fd, SHUT_WR); /* its server reads the end */
    return CO4_OK;
}

/* The first that fails ends all. */
static pausable int all(struct client *clients)
{
    co4_scope *scope = co4_scope_here();
    int err = CO4_OK;
    for (int i = 0; i < CLIENTS && err == CO4_OK; i++) {
        err = co4_scope_spawn(scope, serve(clients[i].server));
        if (err == CO4_OK)
            err = co4_scope_spawn(scope, ask(&clients[i]));
    }
    return err;
}

/* ---- the loop ---- */

static int timeout_of(int64_t deadline)
{
    int64_t ns = deadline - co4_now();
    if (deadline == CO4_NEVER)
        return -1;
    return ns <= 0 ? 0 : (int)((ns + CO4_MS - 1) / CO4_MS);
}

static int loop(co4_runtime *rt)
{
    int wake = co4_runtime_wake_fd(rt);
    struct pollfd polled[1 + 2 * CLIENTS] = { { .fd = wake, .events = POLLIN } };
    if (wake < 0) /* poll() would ignore it, and sleep while there is work */
        return wake;
    while (co4_runtime_run_once(rt), co4_runtime_tasks(rt) > 0) {
        for (int i = 0; i < 2 * CLIENTS; i++) /* poll() passes over negative ones */
            polled[1 + i] = (struct pollfd){ interests[i].ready ? interests[i].fd : -1,
                                             interests[i].events, 0 };
        if (poll(polled, 1 + 2 * CLIENTS, timeout_of(co4_runtime_next_deadline(rt))) < 0 &&
            errno != EINTR)
            break;
        for (int i = 0; i < 2 * CLIENTS; i++)
            if (polled[1 + i].revents != 0 &&
                co4_mailbox_send_until(interests[i].ready, &polled[1 + i].revents, CO4_NOW) !=
                    CO4_OK)
                return CO4_EFULL; /* does not happen: a task waits there, so it is empty */
    }
    return CO4_OK;
}

int main(void)
{
    struct client clients[CLIENTS] = {
        { -1, -1, { "to ", "be ", "or" }, "" },
        { -1, -1, { "not ", "to ", "be, that is the question" }, "" },
        { -1, -1, { "whether ", "tis ", "nobler" }, "" }
    };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    int err = rt == NULL ? CO4_ENOMEM : co4_runtime_start(rt);
    for (int i = 0; i < CLIENTS && err == CO4_OK; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
            perror("poll_loop");
            return 1;
        }
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
        clients[i].server = pair[0];
        clients[i].fd = pair[1];
    }
    if (err == CO4_OK) {
        co4_future *f = co4_async(co4_scope_run(0, all(clients)));
        err = f ? loop(rt) : CO4_ENOMEM;
        if (err == CO4_OK)
            err = co4_future_await_until(f, NULL, CO4_NOW);
        co4_future_release(f);
    }
    for (int i = 0; i < CLIENTS && clients[i].fd >= 0; i++) {
        close(clients[i].fd);
        close(clients[i].server);
    }
    co4_runtime_destroy(rt);
    if (err != CO4_OK) {
        fprintf(stderr, "poll_loop: %s\n", co4_strerror(err));
        return 1;
    }
    for (int i = 0; i < CLIENTS; i++)
        puts(clients[i].got);
    return 0;
}
