/* terminal_read.c - reads of terminals that end by a count or a time.
 *
 * Reads: the terminal says how many bytes are there. A read of so many ends at once, whatever the
 * mode. So a read with VTIME takes what there is, and counts; one with VMIN alone leaves the bytes
 * until there are enough, as poll() tells when. If fewer are asked for than VMIN, poll() does not
 * tell; then the read looks from time to time. The mode is that of the call's beginning.
 *
 * Left: another process that reads the same terminal may take the bytes in between, and the read
 * blocks. */
#define _GNU_SOURCE
#include "io/terminal.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/socket.h"
#include "io/vector.h"

#include "co4/time.h"

/* Between two looks for bytes of which poll() does not tell. */
#define LOOK (10 * CO4_MS)

void co4__terminal_begin(struct co4__terminal_read *r, int fd, const struct iovec *to, int count)
{
    struct termios mode;
    *r = (struct co4__terminal_read){ .fd = fd,
                                      .count = count,
                                      .to = to,
                                      .bytes = co4__vector_bytes(to, (size_t)count),
                                      .least = 1,
                                      .until = CO4_NEVER };
    if (!co4__terminal_mode(fd, &mode))
        return; /* it has changed just now */
    r->after_byte = mode.c_cc[VMIN] > 0;
    r->least = mode.c_cc[VMIN] > 1 ? mode.c_cc[VMIN] : 1;
    r->time = mode.c_cc[VTIME] * CO4__TERMINAL_TENTH;
    if (!r->after_byte)
        r->until = co4_now() + r->time;
}

/* Takes bytes that are there. Returns how many; 0 or -1: another process has been faster. */
static ssize_t terminal_take(struct co4__terminal_read *r)
{
    size_t in, left = r->bytes - r->done, most = r->there < left ? r->there : left;
    int i = co4__vector_at(r->to, r->count, r->done, &in);
    struct iovec part = { (char *)r->to[i].iov_base + in, r->to[i].iov_len - in };
    ssize_t n;
    if (part.iov_len > most)
        part.iov_len = most;
    CO4__AGAIN(n, readv(r->fd, &part, 1));
    if (n > 0) {
        r->done += (size_t)n;
        r->there -= (size_t)n;
    }
    return n;
}

static ssize_t take_all(struct co4__terminal_read *r)
{
    while (r->there > 0 && r->done < r->bytes) {
        ssize_t n = terminal_take(r);
        if (n <= 0)
            return r->done > 0 ? (ssize_t)r->done : n;
        if (r->after_byte && r->time > 0)
            r->until = co4_now() + r->time;
    }
    return (ssize_t)r->done;
}

/* Returns whether poll() says that a read has a result. It also brings what has just come to where
 * FIONREAD counts it. */
static bool terminal_look(struct co4__terminal_read *r)
{
    struct pollfd p = { .fd = r->fd, .events = POLLIN };
    bool ready = co4__poll_real(&p, 1) != 0;
    int there = 0;
    r->there = ioctl(r->fd, FIONREAD, &there) == 0 && there > 0 ? (size_t)there : 0;
    return ready;
}

static ssize_t try_once(struct co4__terminal_read *r)
{
    size_t least = r->least < r->bytes ? r->least : r->bytes;
    bool by_count = r->after_byte && r->time == 0;
    ssize_t n = 0;
    if (terminal_look(r) && r->there == 0) { /* the other end is closed, for example */
        if (r->done == 0)
            CO4__AGAIN(n, readv(r->fd, r->to, r->count));
        return r->done > 0 ? (ssize_t)r->done : n;
    }
    if (!by_count || r->there >= least) {
        n = take_all(r);
        if (n < 0 || r->done >= least)
            return n;
    }
    if (by_count)
        r->until = least < r->least ? co4_now() + LOOK : CO4_NEVER;
    else if (r->until != CO4_NEVER && co4_now() >= r->until)
        return (ssize_t)r->done;
    return CO4__WOULD_WAIT;
}

ssize_t co4__terminal_try(struct co4__terminal_read *r)
{
    struct co4__descriptor *d = co4__descriptor_enter(r->fd);
    if (!d)
        return -1;
    ssize_t n = try_once(r);
    if (n == -1 && (errno == EAGAIN || errno == EWOULDBLOCK))
        n = CO4__WOULD_WAIT;
    if (n >= 0)
        co4__descriptor_pass(d, CO4__READING);
    co4__descriptor_leave(d);
    return n;
}

ssize_t co4__terminal_end(struct co4__terminal_read *r)
{
    int was = errno;
    struct co4__descriptor *d = was == EBADF ? NULL : co4__descriptor_enter(r->fd);
    if (d) {
        terminal_look(r);
        take_all(r);
        co4__descriptor_leave(d);
    }
    errno = was;
    return r->done > 0 ? (ssize_t)r->done : -1;
}

ssize_t co4__terminal_read_now(int fd, const struct iovec *to, int count)
{
    ssize_t n;
    CO4__AGAIN(n, readv(fd, to, count));
    return n;
}
