/* poll_loop.c - tasks that read and write sockets, in a program whose main loop is poll().
 *
 * The runtime has no thread. The loop polls the sockets that tasks wait for and, beside them, the runtime's own descriptor, which is
 * readable when a task has something to do; the next deadline is its timeout. A server and three clients talk over
 * socket pairs; every client also waits between its words. Prints what each got back. */
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
    co4_mailbox *ready; /* gets what poll() found; NULL: nobody waits here */
} interests[2 * CLIENTS];

static pausable int wait_for(int fd, short events)
{
    short found = 0;
    struct interest *i = interests;
    while (i->ready != NULL)
        i++;
    *i = (struct interest){ fd, events, co4_mailbox_create(sizeof found, 1) };
    int err = co4_mailbox_get(i->ready, &found);
    co4_mailbox_destroy(i->ready);
    i->ready = NULL;
    return err;
}

/* Of descriptors that never block. */
static ssize_t try_read(int fd, char *to, size_t room)
{
    return read(fd, to, room);
}

static pausable ssize_t read_some(int fd, char *to, size_t room)
{
    ssize_t n;
    while ((n = try_read(fd, to, room)) < 0 && errno == EAGAIN)
        if (wait_for(fd, POLLIN) != CO4_OK)
            return -1;
    return n;
}

static pausable int write_all(int fd, const char *from, size_t n)
{
    while (n > 0) {
        ssize_t written = write(fd, from, n);
        if (written < 0 && (errno != EAGAIN || wait_for(fd, POLLOUT) != CO4_OK))
            return -1;
        if (written > 0) {
            from += written;
            n -= (size_t)written;
        }
    }
    return 0;
}

/* ---- the tasks ---- */

static pausable void serve(int fd)
{
    char text[16];
    for (ssize_t n; (n = read_some(fd, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < n; i++)
            text[i] = (char)toupper((unsigned char)text[i]);
        if (write_all(fd, text, (size_t)n) != 0)
            break;
    }
    close(fd);
}

struct client {
    int fd;
    const char *words[3];
    char got[64];
};

static pausable void ask(struct client *c)
{
    size_t have = 0;
    for (int i = 0; i < 3; i++) {
        size_t want = have + strlen(c->words[i]);
        co4_sleep(2 * CO4_MS);
        write_all(c->fd, c->words[i], strlen(c->words[i]));
        while (have < want) {
            ssize_t n = read_some(c->fd, c->got + have, sizeof c->got - 1 - have);
            if (n <= 0)
                return;
            have += (size_t)n;
        }
    }
    close(c->fd);
}

/* ---- the loop ---- */

static int timeout_of(int64_t deadline)
{
    int64_t ns = deadline - co4_now();
    if (deadline == CO4_NEVER)
        return -1;
    return ns <= 0 ? 0 : (int)((ns + CO4_MS - 1) / CO4_MS);
}

static void loop(co4_runtime *rt)
{
    struct pollfd polled[1 + 2 * CLIENTS] = { { .fd = co4_runtime_wake_fd(rt), .events = POLLIN } };
    while (co4_runtime_run_once(rt), co4_runtime_tasks(rt) > 0) {
        for (int i = 0; i < 2 * CLIENTS; i++) /* poll() passes over negative ones */
            polled[1 + i] = (struct pollfd){ interests[i].ready ? interests[i].fd : -1,
                                             interests[i].events, 0 };
        if (poll(polled, 1 + 2 * CLIENTS, timeout_of(co4_runtime_next_deadline(rt))) < 0 &&
            errno != EINTR)
            break;
        for (int i = 0; i < 2 * CLIENTS; i++)
            if (polled[1 + i].revents != 0)
                co4_mailbox_try_put(interests[i].ready, &polled[1 + i].revents);
    }
}

int main(void)
{
    struct client clients[CLIENTS] = { { -1, { "to ", "be ", "or" }, "" },
                                       { -1, { "not ", "to ", "be, that is the question" }, "" },
                                       { -1, { "whether ", "tis ", "nobler" }, "" } };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 0 });
    if (rt == NULL || co4_runtime_start(rt) != CO4_OK || co4_runtime_wake_fd(rt) < 0)
        return 1;
    for (int i = 0; i < CLIENTS; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
            return 1;
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
        fcntl(pair[1], F_SETFL, O_NONBLOCK);
        clients[i].fd = pair[1];
        co4_runtime_spawn(rt, serve(pair[0]));
        co4_runtime_spawn(rt, ask(&clients[i]));
    }
    loop(rt);
    for (int i = 0; i < CLIENTS; i++)
        puts(clients[i].got);
    return co4_runtime_destroy(rt) != CO4_OK;
}
