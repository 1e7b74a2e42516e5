/* attempt.h - calls that try once and never block, and the wait between two tries.
 *
 * Each `co4__try_…` makes one system call, or none if it is known to find nothing. It returns what
 * the call returns. CO4__WOULD_WAIT: nothing was done, and co4__attempt_wait() waits until another
 * try makes sense. CO4__BLOCKS: the call has to be made on a thread that may block. */
#ifndef CO4_ATTEMPT_H
#define CO4_ATTEMPT_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/compiler.h"
#include "base/public.h"
#include "io/public.h"

#ifndef MSG_DONTWAIT
#define MSG_DONTWAIT 0 /* WASI: calls on sockets need O_NONBLOCK, too */
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE is set instead */
#endif

/* No codes of co4, and no negated `errno`. */
#define CO4__WOULD_WAIT (-2093)
#define CO4__BLOCKS     (-2094)

ssize_t co4__try_read(int fd, void *to, size_t bytes);
ssize_t co4__try_write(int fd, const void *from, size_t bytes);
/* The same; into a socket more follows at once, so that it may keep the bytes for a while. */
ssize_t co4__try_write_more(int fd, const void *from, size_t bytes);
ssize_t co4__try_readv(int fd, const struct iovec *to, int count);
ssize_t co4__try_writev(int fd, const struct iovec *from, int count);
ssize_t co4__try_recvfrom(int fd, void *to, size_t bytes, int flags, struct sockaddr *address,
                          socklen_t *length);
ssize_t co4__try_sendto(int fd, const void *from, size_t bytes, int flags,
                        const struct sockaddr *address, socklen_t length);
ssize_t co4__try_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t co4__try_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t co4__try_sendfile(int out, int in, off_t *offset, size_t bytes);
/* Returns 0 if the next `bytes` of a file, from *offset or its position on, are in memory; or else
 * their number, and *at. Then a thread that may block has to fetch them first. */
size_t co4__file_is_far(int in, const off_t *offset, size_t bytes, off_t *at);
ssize_t co4__file_fetch(int in, off_t at, size_t bytes);
/* CO4__BLOCKS: soon it can be tried again, in a few milliseconds at most. */
int co4__try_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
/* The same, and the accepted descriptor is not attached. Its mode is what `flags` says. */
int co4__try_accept_as_is(int fd, struct sockaddr *address, socklen_t *length, int flags);
int co4__try_connect(int fd, const struct sockaddr *address, socklen_t length);
/* After a co4__try_connect() that would wait, or a connect that has not ended. */
int co4__try_connected(int fd, const struct sockaddr *address, socklen_t length);

/* Returns 1 if a call of this direction would not block now; CO4__WOULD_WAIT; -1 with `errno`. */
int co4__try_ready(int fd, int direction);
/* Returns whether the last try of this thread was made there. */
bool co4__attempt_was(int fd, int direction);

/* Returns whether MSG_WAITALL says anything: bytes of several reads follow each other there. */
bool co4__attempt_takes_all(int fd, int flags);
bool co4__attempt_is_unix(int fd);

/* Whether the worker cannot learn of events, as the process is out of descriptors. Then waits look
 * from time to time, next at co4__next_look(). */
bool co4__lacks_descriptors(void);
int64_t co4__next_look(int64_t deadline);

/* A wait has ended, and no try follows: another task that waits there may try. */
void co4__attempt_pass(int fd, int direction);

/* What the last try of this thread leaves to a thread that may block. It is taken once. */
struct co4__attempt_part {
    int fd;
    uint32_t generation; /* of the descriptor */
    size_t done;         /* bytes of a file that the try has read … */
    off_t at;            /* … and the position after them */
};
struct co4__attempt_part co4__attempt_part(void);
/* The same for a descriptor at which nothing was tried. */
struct co4__attempt_part co4__attempt_none(int fd);

/* On a thread that may block, after a try; a negative result is an error number. The read returns
 * the bytes of the whole. */
ssize_t co4__read_blocking(struct co4__attempt_part part, const struct iovec *to, int count);
ssize_t co4__write_blocking(struct co4__attempt_part part, const struct iovec *from, int count);

/* After a try of a read that says CO4__BLOCKS, with no other in between: reads what that has not,
 * and returns the bytes of the whole, or -1 with `errno`. The deadline is that of a terminal. */
CO4__OWN pausable ssize_t co4__read_rest(const struct iovec *to, int count, int64_t deadline);

/* Sets `errno` for a code, and returns -1: for what answers as POSIX does. */
int co4__io_fails(int code);
/* The result of a call of POSIX, or of a try, as a number or a code. Here and below "a code" is one
 * of co4/error.h. */
static inline ssize_t co4__io_code(ssize_t result)
{
    return result == -1 ? co4_code_of_errno(errno) : result;
}
/* The code of a call with a deadline that has failed. With CO4_NOW it says EAGAIN in place of a
 * wait. */
static inline int co4__wait_code(void)
{
    return errno == EAGAIN ? CO4_EBUSY : co4_code_of_errno(errno);
}
/* Sets `errno` if `result` is a negative error number, and then returns -1. */
ssize_t co4__io_result(ssize_t result);
/* Sets `errno`, and returns -1. */
static inline int co4__errno_fails(int error)
{
    errno = error;
    return -1;
}

/* co4_fd_wait_until() with the answers of POSIX. */
CO4__OWN pausable int co4__fd_wait(int fd, int direction, int64_t deadline);

/* Waits until the last try of this thread may be made again. Returns CO4_OK or a code: CO4_ECLOSED,
 * CO4_ECANCELED, CO4_ETIMEDOUT, CO4_ENOMEM, CO4_ESTATE. */
#ifdef CO4_PLAIN
int co4__attempt_wait_block(int direction, int64_t deadline);
#define co4__attempt_wait co4__attempt_wait_block
#else
pausable int co4__attempt_wait(int direction, int64_t deadline);
#endif

#endif
