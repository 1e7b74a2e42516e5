/* terminal.c - terminals that other processes share, so that O_NONBLOCK cannot be set.
 *
 * Purpose: a read of a terminal without lines ends by the number of bytes (VMIN) or by time
 * (VTIME). poll() knows nothing of the time, and of the number only without a time. A write that is
 * larger than the terminal's room blocks, though poll() has said that there is room.
 *
 * Reads: the terminal says how many bytes are there. A read of so many ends at once, whatever the
 * mode. So a read with VTIME takes what there is, and counts; one with VMIN alone leaves the bytes
 * until there are enough, as poll() tells when. If fewer are asked for than VMIN, poll() does not
 * tell; then the read looks from time to time. The mode is that of the call's beginning.
 *
 * Writes: the terminal is opened once more, with O_NONBLOCK: the new open file has a mode of its
 * own. The other end of a pseudo terminal would be a new one then, and some may not be opened
 * (another user's, or with TIOCEXCL). These are written in parts that fit after poll().
 *
 * Left: another process that reads the same terminal may take the bytes in between, and the read
 * blocks. */
#define _GNU_SOURCE
#include "io/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/vector.h"

#include "co4/time.h"

/* Between two looks for bytes of which poll() does not tell. */
#define LOOK (10 * CO4_MS)

/* VTIME counts these. */
#define TENTH (100 * CO4_MS)

/* ---- modes ---- */

bool co4__terminal_is(int fd)
{
    int was = errno;
    bool is = isatty(fd) == 1;
    errno = was;
    return is;
}

/* False: no terminal, or one with lines. */
static bool get_mode(int fd, struct termios *mode)
{
    int was = errno;
    bool has = tcgetattr(fd, mode) == 0 && !(mode->c_lflag & ICANON);
    errno = was;
    return has;
}

enum co4__terminal_ends co4__terminal_ends(int fd)
{
    struct termios mode;
    if (!get_mode(fd, &mode) || mode.c_cc[VMIN] == 1)
        return CO4__TERMINAL_BY_INPUT;
    return mode.c_cc[VMIN] == 0 && mode.c_cc[VTIME] == 0 ? CO4__TERMINAL_AT_ONCE
                                                         : CO4__TERMINAL_COUNTS;
}

int64_t co4__terminal_limit(int fd)
{
    struct termios mode;
    if (!get_mode(fd, &mode) || mode.c_cc[VMIN] > 0)
        return CO4_NEVER;
    return mode.c_cc[VTIME] > 0 ? co4_now() + mode.c_cc[VTIME] * TENTH : 0;
}

/* ---- reading ---- */

void co4__terminal_begin(struct co4__terminal_read *r, int fd, const struct iovec *to, int count)
{
    struct termios mode;
    *r = (struct co4__terminal_read){ .fd = fd,
                                      .count = count,
                                      .to = to,
                                      .bytes = co4__vector_bytes(to, (size_t)count),
                                      .least = 1,
                                      .until = CO4_NEVER };
    if (!get_mode(fd, &mode))
        return; /* it has changed just now */
    r->after_byte = mode.c_cc[VMIN] > 0;
    r->least = mode.c_cc[VMIN] > 1 ? mode.c_cc[VMIN] : 1;
    r->time = mode.c_cc[VTIME] * TENTH;
    if (!r->after_byte)
        r->until = co4_now() + r->time;
}

/* Takes bytes that are there. Returns how many; 0 or -1: another process has been faster. */
static ssize_t take(struct co4__terminal_read *r)
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
        ssize_t n = take(r);
        if (n <= 0)
            return r->done > 0 ? (ssize_t)r->done : n;
        if (r->after_byte && r->time > 0)
            r->until = co4_now() + r->time;
    }
    return (ssize_t)r->done;
}

/* Returns whether poll() says that a read has a result. It also brings what has just come to where
 * FIONREAD counts it. */
static bool look(struct co4__terminal_read *r)
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
    if (look(r) && r->there == 0) { /* the other end is closed, for example */
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
        look(r);
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

/* ---- writing ---- */

/* A pseudo terminal that is ready takes 256 bytes at least, and a tab may become eight. */
enum { FITS = 32 };

#if defined(TIOCGPTN) && defined(TIOCGDEV)

/* Returns a descriptor with a mode of its own, or -1. */
static int open_again(int fd)
{
    char path[64];
    int number;
    unsigned device, again;
    if (ioctl(fd, TIOCGPTN, &number) == 0 || ioctl(fd, TIOCGDEV, &device) != 0)
        return -1; /* the other end, which would be a new one */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own >= 0 && (ioctl(own, TIOCGDEV, &again) != 0 || again != device)) {
        close(own); /* what is /dev/tty now */
        own = -1;
    }
    return own;
}

#else

static int open_again(int fd)
{
    (void)fd;
    return -1;
}

#endif

ssize_t co4__terminal_write(int fd, const struct iovec *from, int count)
{
    const int was = errno;
    ssize_t n;
    int own = co4__vector_bytes(from, (size_t)count) > FITS ? open_again(fd) : -1;
    if (own >= 0) {
        CO4__AGAIN(n, writev(own, from, count));
        int err = n < 0 ? errno : was;
        close(own);
        errno = err;
        return n;
    }
    struct iovec first = *from;
    for (; count > 1 && first.iov_len == 0; count--)
        first = *++from;
    if (first.iov_len > FITS)
        first.iov_len = FITS;
    errno = was;
    CO4__AGAIN(n, writev(fd, &first, 1));
    return n;
}
