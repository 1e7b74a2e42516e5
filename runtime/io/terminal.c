/* terminal.c - terminals that other processes share, so that O_NONBLOCK cannot be set.
 *
 * Purpose: a read of a terminal without lines ends by the number of bytes (VMIN) or by time
 * (VTIME). poll() knows nothing of the time, and of the number only without a time. A write that is
 * larger than the terminal's room blocks, though poll() has said that there is room.
 *
 * Reads: terminal_read.c.
 *
 * Writes: the terminal is opened once more, with O_NONBLOCK: the new open file has a mode of its
 * own. The other end of a pseudo terminal would be a new one then, and some may not be opened
 * (another user's, or with TIOCEXCL). These are written in parts that fit after poll().
 */
#define _GNU_SOURCE
#include "io/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "io/attempt.h"
#include "io/vector.h"

#include "co4/time.h"

/* ---- modes ---- */

bool co4__terminal_is(int fd)
{
    int was = errno;
    bool is = isatty(fd) == 1;
    errno = was;
    return is;
}

bool co4__terminal_mode(int fd, struct termios *mode)
{
    int was = errno;
    bool has = tcgetattr(fd, mode) == 0 && !(mode->c_lflag & ICANON);
    errno = was;
    return has;
}

enum co4__terminal_ends co4__terminal_ends(int fd)
{
    struct termios mode;
    if (!co4__terminal_mode(fd, &mode) || mode.c_cc[VMIN] == 1)
        return CO4__TERMINAL_BY_INPUT;
    return mode.c_cc[VMIN] == 0 && mode.c_cc[VTIME] == 0 ? CO4__TERMINAL_AT_ONCE
                                                         : CO4__TERMINAL_COUNTS;
}

int64_t co4__terminal_limit(int fd)
{
    struct termios mode;
    if (!co4__terminal_mode(fd, &mode) || mode.c_cc[VMIN] > 0)
        return CO4_NEVER;
    return mode.c_cc[VTIME] > 0 ? co4_now() + mode.c_cc[VTIME] * CO4__TERMINAL_TENTH : 0;
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
    struct iovec first = co4__vector_first(from, count, FITS);
    errno = was;
    CO4__AGAIN(n, writev(fd, &first, 1));
    return n;
}
