/* forks.c - the simulated descriptors of a process that has children.
 *
 * A child has a copy of the simulated network, so nothing that it sends would arrive at its parent.
 * But the placeholders of a pipe and of a pair of sockets are a pipe and a pair of the system. So
 * before a child is made these become what their placeholders are: what was on its way arrives,
 * what has arrived is written to them, and from then on the system decides. Other sockets stay
 * simulated, in each process for itself, and the program says so. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/ops.h"
#include "simulation/descriptors.h"
#include "simulation/notice.h"
#include "simulation/run.h"

ssize_t __real_write(int fd, const void *from, size_t bytes);
ssize_t __real_send(int fd, const void *from, size_t bytes, int flags);
int __real_shutdown(int fd, int how);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout);

static bool is_pair(const struct co4__sim_socket *s)
{
    return s && s->is_pair;
}

/* All that such sockets have sent arrives now. */
static void arrive(struct co4__network *n)
{
    int64_t until = n->now;
    for (size_t fd = 0; fd < n->nby_fd; fd++) {
        const struct co4__sim_socket *s = n->by_fd[fd].socket;
        if (is_pair(s) && s->peer && s->peer->last_arrival > until)
            until = s->peer->last_arrival;
        if (is_pair(s) && s->last_arrival > until)
            until = s->last_arrival;
    }
    n->world.ops->turn(&n->world, until, until);
}

/* Returns whether all is there again. */
static bool write_received(struct co4__sim_socket *s)
{
    int to = s->peer ? s->peer->fd : -1;
    for (const struct co4__packet *p = s->received; p; p = p->next) {
        const char *from = p->data + p->taken;
        size_t bytes = p->bytes - p->taken;
        struct pollfd room = { .fd = to, .events = POLLOUT };
        if (to < 0 || __real_poll(&room, 1, 0) != 1 ||
            (s->is_pipe ? __real_write(to, from, bytes)
                        : __real_send(to, from, bytes, MSG_NOSIGNAL)) != (ssize_t)bytes)
            return false;
    }
    if (!s->is_pipe && s->ended && s->peer && s->peer->write_shut && to >= 0)
        __real_shutdown(to, SHUT_WR);
    return true;
}

static void hand_over(struct co4__network *n)
{
    bool all = true, others = false;
    arrive(n);
    for (size_t fd = 0; fd < n->nby_fd; fd++) {
        struct co4__sim_socket *s = n->by_fd[fd].socket;
        others = others || (s && !is_pair(s));
        if (is_pair(s) && s->fd == (int)fd)
            all = write_received(s) && all;
    }
    for (size_t fd = 0; fd < n->nby_fd; fd++) {
        struct co4__descriptor *d = co4__descriptor_at((int)fd);
        struct co4__sim_socket *s = n->by_fd[fd].socket;
        if (!is_pair(s))
            continue;
        d->ops = &co4__system_io;
        d->is_socket = !s->is_pipe;
        co4__network_close(n, s, (int)fd);
        co4__descriptor_retry(d);
    }
    if (!all)
        co4__not_simulated("children",
                           "bytes in a pipe or socket whose other end is closed are lost", NULL);
    if (others)
        co4__not_simulated("sockets of children", "parent and child have a network each", NULL);
}

static void begin_child(void)
{
    if (!co4__program_is_simulated())
        return; /* nodes and lives are made so, too */
    co4__simulated_shares = true;
    hand_over(co4__network_here());
}

/* ---- the calls that make children ---- */

typedef char *const *strings;
typedef const posix_spawn_file_actions_t *actions;
typedef const posix_spawnattr_t *attributes;

CO4__INSTEAD(pid_t, fork, (void))
{
    begin_child();
    return CO4__NOTED(fork)();
}

CO4__INSTEAD(int, posix_spawn,
             (pid_t * id, const char *path, actions what, attributes how, strings args,
              strings env))
{
    begin_child();
    return CO4__NOTED(posix_spawn)(id, path, what, how, args, env);
}

CO4__INSTEAD(int, posix_spawnp,
             (pid_t * id, const char *file, actions what, attributes how, strings args,
              strings env))
{
    begin_child();
    return CO4__NOTED(posix_spawnp)(id, file, what, how, args, env);
}

CO4__INSTEAD(int, system, (const char *command))
{
    begin_child();
    return CO4__NOTED(system)(command);
}

CO4__INSTEAD(FILE *, popen, (const char *command, const char *mode))
{
    begin_child();
    return CO4__NOTED(popen)(command, mode);
}

/* The child of a vfork() uses the stack of its parent, so no function can call it for another. */
pid_t __wrap_vfork(void);
pid_t __wrap_vfork(void)
{
    return __wrap_fork();
}
