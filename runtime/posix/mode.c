/* mode.c - how a descriptor waits, as its program has set it. */
#include "posix/mode.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/public.h"
#include "co4/time.h"
#include "io/shared.h"
#include "posix/deadline.h"

bool co4__posix_waits(int fd, enum co4__direction direction, int64_t *deadline)
{
    const struct co4__descriptor *d = co4__descriptor_at(fd);
    bool ours = d && !d->shared &&
                co4__is_attached(atomic_load(&((struct co4__descriptor *)(uintptr_t)d)->use));
    int flags = ours ? 0 : fcntl(fd, F_GETFL); /* O_NONBLOCK of an attached one is the library's */
    *deadline = CO4_NEVER;
    if (flags < 0 || ((flags & O_NONBLOCK) && !co4__shared_is_ours(fd, flags))) {
        errno = flags < 0 ? errno : EAGAIN;
        return false;
    }
    struct timeval limit;
    socklen_t size = sizeof limit;
    int option = direction == CO4__READING ? SO_RCVTIMEO : SO_SNDTIMEO, was = errno;
    if (getsockopt(fd, SOL_SOCKET, option, &limit, &size) == 0 &&
        (limit.tv_sec != 0 || limit.tv_usec != 0))
        *deadline = co4__after_timeval(&limit);
    errno = was;
    return true;
}
