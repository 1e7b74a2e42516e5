/* local_server.c - a Unix socket that answers programs of the same user.
 *
 * Who may connect is settled twice: by the mode of the file, and by the user of the client, as some
 * systems ignore the mode of sockets. */
#if defined(__linux__)
#define _GNU_SOURCE /* struct ucred, accept4 */
#endif
#include "platform/local_server.h"

#include "base/public.h"
#include "platform/fd.h"
#include "platform/real.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int name_of(struct co4__local_server *s, const char *path)
{
    size_t n = 0;
    for (; *path; path++) {
        char number[24];
        const char *from = path;
        size_t bytes = 1;
        if (path[0] == '%' && path[1] == 'p') {
            bytes = (size_t)snprintf(number, sizeof number, "%lld", (long long)s->process);
            from = number;
            path++;
        }
        if (n + bytes >= sizeof s->path)
            return CO4_EINVAL;
        memcpy(s->path + n, from, bytes);
        n += bytes;
    }
    s->path[n] = '\0';
    return n > 0 ? CO4_OK : CO4_EINVAL;
}

/* Whether the path has a socket at which nobody answers: its program has ended. */
static bool is_left_over(const struct sockaddr_un *at)
{
    struct stat st;
    if (lstat(at->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return false;
    int fd = CO4__SYSTEM(socket)(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) != 0 &&
                   errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

int co4__local_server_open(struct co4__local_server *s, const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    _Static_assert(sizeof at.sun_path == sizeof s->path, "a path of a socket");
    s->process = getpid();
    int err = name_of(s, path);
    if (err != CO4_OK)
        return err;
    memcpy(at.sun_path, s->path, sizeof s->path);
    s->fd = CO4__SYSTEM(socket)(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0)
        return -errno;
    /* Before it has a path: the file has this mode from the beginning. */
    if (fchmod(s->fd, S_IRUSR | S_IWUSR) == 0) {
        int bound = bind(s->fd, (struct sockaddr *)&at, sizeof at);
        if (bound != 0 && errno == EADDRINUSE && is_left_over(&at) && unlink(at.sun_path) == 0)
            bound = bind(s->fd, (struct sockaddr *)&at, sizeof at);
        if (bound == 0 && listen(s->fd, 8) == 0) {
            s->fd = co4__own_fd_open(s->fd);
            return CO4_OK;
        }
    }
    err = errno == EADDRINUSE ? CO4_EBUSY : -errno;
    close(s->fd);
    return err;
}

static bool is_of_this_user(int client)
{
    struct ucred who;
    socklen_t bytes = sizeof who;
    return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 && who.uid == geteuid();
}

int co4__local_server_accept(const struct co4__local_server *s, int ms)
{
    struct pollfd p = { .fd = s->fd, .events = POLLIN };
    if (poll(&p, 1, ms) <= 0)
        return -1;
    int client = co4__own_fd_open(accept4(s->fd, NULL, NULL, SOCK_CLOEXEC));
    if (client < 0) {
        poll(NULL, 0, 10); /* no descriptor is free: not again at once */
        return -1;
    }
    struct timeval limit = { .tv_sec = 2 };
    if (is_of_this_user(client) &&
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
        setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0)
        return client;
    co4__own_fd_close(client);
    return -1;
}

bool co4__local_client_read(int client, char *line, size_t room)
{
    size_t n = 0;
    while (n < room) {
        ssize_t more = recv(client, line + n, room - n, 0);
        if (more <= 0)
            return false;
        char *end = memchr(line + n, '\n', (size_t)more);
        if (end) {
            *end = '\0';
            return true;
        }
        n += (size_t)more;
    }
    return false;
}

int co4__local_client_write(void *client, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = send(*(int *)client, text, bytes, MSG_NOSIGNAL);
        if (n <= 0)
            return CO4_ECLOSED;
        text += n;
        bytes -= (size_t)n;
    }
    return CO4_OK;
}

void co4__local_client_close(int client)
{
    co4__own_fd_close(client);
}

void co4__local_server_remove(const struct co4__local_server *s)
{
    if (s->process == getpid())
        unlink(s->path);
}

void co4__local_server_forget(struct co4__local_server *s)
{
    co4__own_fd_close(s->fd);
    s->fd = -1;
}

#else

int co4__local_server_open(struct co4__local_server *s, const char *path)
{
    (void)s, (void)path;
    return CO4_ESTATE;
}

int co4__local_server_accept(const struct co4__local_server *s, int ms)
{
    (void)s, (void)ms;
    return -1;
}

bool co4__local_client_read(int client, char *line, size_t room)
{
    (void)client, (void)line, (void)room;
    return false;
}

int co4__local_client_write(void *client, const char *text, size_t bytes)
{
    (void)client, (void)text, (void)bytes;
    return CO4_ECLOSED;
}

void co4__local_client_close(int client)
{
    (void)client;
}

void co4__local_server_remove(const struct co4__local_server *s)
{
    (void)s;
}

void co4__local_server_forget(struct co4__local_server *s)
{
    (void)s;
}

#endif
