/* write.c - writing to a descriptor: text for the user, and the byte that wakes the reader of a
 * self-pipe. Every program has it. */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define HAS_FDS         1
#else
#define HAS_FDS 0
#endif
#include "platform/fd.h"

#include <stdint.h>

#include "base/public.h"

#if HAS_FDS

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int co4_write_fd(void *data, const char *text, size_t bytes)
{
    int fd = (int)(intptr_t)data;
    while (bytes > 0) {
        ssize_t n = write(fd, text, bytes);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd p = { .fd = fd, .events = POLLOUT };
            poll(&p, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            return CO4_ECLOSED;
        } else if (n > 0) {
            text += n;
            bytes -= (size_t)n;
        }
    }
    return CO4_OK;
}

void co4__self_pipe_write(const struct co4__self_pipe *p)
{
    int before = errno;
    ssize_t n = write(p->in, "", 1); /* a full pipe is readable already */
    (void)n;
    errno = before;
}

#else

int co4_write_fd(void *data, const char *text, size_t bytes)
{
    (void)data, (void)text, (void)bytes;
    return CO4_ESTATE;
}

void co4__self_pipe_write(const struct co4__self_pipe *p)
{
    (void)p;
}

#endif
