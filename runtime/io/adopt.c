/* adopt.c - attaches a descriptor that something else has made: at its first call, or by
 * co4_fd_attach().
 *
 * The system is asked what the number means, and may answer for an earlier file or for a later one.
 * So the generation is read first. If it has changed, everything is asked again (attach.c). */
#define _GNU_SOURCE /* O_NONBLOCK, O_DIRECT and others, whatever -std says */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "io/descriptor.h"
#include "io/ops.h"
#include "io/shared.h"
#include "platform/js.h"

#ifndef O_DIRECT
#define O_DIRECT 0
#endif

static int kind_of(int fd, enum co4__descriptor_kind *kind)
{
    struct stat s;
    int type;
    socklen_t bytes = sizeof type;
#ifdef __EMSCRIPTEN__ /* its pipes have no fstat() */
    if (co4__js_takes_time(fd)) {
        *kind = CO4__FILE;
        return 0;
    }
    if (fstat(fd, &s) != 0 && fcntl(fd, F_GETFL) >= 0) {
        *kind = CO4__PIPE;
        return 0;
    }
#endif
    if (fstat(fd, &s) != 0)
        return errno;
    if (S_ISSOCK(s.st_mode))
        *kind = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM
                    ? CO4__STREAM
                    : CO4__SOCKET;
    else if (S_ISFIFO(s.st_mode))
        *kind = CO4__PIPE;
    else if (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode))
        *kind = CO4__FILE;
    else
        *kind = (s.st_mode & S_IFMT) == 0 ? CO4__ANONYMOUS : CO4__OTHER;
#ifdef __wasi__ /* the host calls a pipe a socket, and the calls on sockets do not take it */
    if (*kind != CO4__FILE)
        *kind = CO4__PIPE;
#endif
    return 0;
}

static int set_nonblocking(int fd, int flags, bool *shared)
{
#ifdef __wasi__ /* the host's own flags may be among them; some hosts cannot change any */
    *shared = fcntl(fd, F_SETFL, (flags & (O_APPEND | O_DSYNC | O_RSYNC)) | O_NONBLOCK) != 0;
    return 0;
#else
    (void)shared;
    return fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
#endif
}

/* A first call leaves the mode of its descriptor to the program, which may change it. */
static int adopt_now(struct co4__descriptor *d, bool shared, bool by_first_call)
{
    uint32_t before = co4__descriptor_settled(d);
    struct co4__attachment how = { .ops = &co4__system_io };
    int err = kind_of(d->fd, &how.kind);
    if (err != 0)
        return err;
    int flags = fcntl(d->fd, F_GETFL);
    if (flags < 0)
        return errno;
    if ((flags & O_NONBLOCK) && !by_first_call && !co4__shared_is_ours(d->fd, flags))
        shared = false;
    else if (!shared && how.kind != CO4__FILE)
        err = set_nonblocking(d->fd, flags, &shared);
    if (err != 0)
        return err;
    how.shared = shared && how.kind != CO4__FILE;
    how.direct = how.kind == CO4__FILE && (flags & O_DIRECT) != 0;
    return co4__descriptor_attach_new(d, before, &how);
}

int co4__descriptor_adopt(int fd, bool shared)
{
    int err;
    struct co4__descriptor *d = co4__descriptor_record(fd, &err);
    if (!d)
        return err;
    do {
        err = adopt_now(d, shared, false);
        if (err == EEXIST)
            err = co4__descriptor_forget_earlier(d);
    } while (err == EAGAIN);
    return err;
}

/* Several first calls may come at the same time. One of them adopts the descriptor for all. */
CO4__NOINLINE struct co4__descriptor *co4__descriptor_enter_slow(int fd)
{
    int err;
    struct co4__descriptor *d = co4__descriptor_record(fd, &err);
    while (d) {
        uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
        if (co4__is_attached(use))
            return d;
        co4__descriptor_leave(d);
        err = use & CO4__CLOSING ? EBADF : adopt_now(d, true, true);
        if (err != 0 && err != EAGAIN && err != EEXIST)
            break;
    }
    errno = err;
    return NULL;
}
