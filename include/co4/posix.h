/* co4/posix.h - the blocking calls of POSIX, as programs without marks make them.
 *
 * In programs that are woven as a whole (co4weave --auto) they replace the calls of POSIX, as
 * share/co4/posix.roots says. Each behaves as the call whose name it has, but that it pauses the
 * task where that would block the thread:
 *
 * - A descriptor with O_NONBLOCK never waits: EAGAIN, or EINPROGRESS.
 * - SO_RCVTIMEO and SO_SNDTIMEO limit a wait.
 * - The mode of the descriptor stays as it is.
 *
 * Programs that have marks call co4/io.h instead. */
#ifndef CO4_POSIX_H
#define CO4_POSIX_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of all of them:
 *
 * Returns: what the call of POSIX returns. -1 and `errno`: as POSIX says, and ECANCELED when the
 *     task is cancelled.
 * Pauses: where the call of POSIX blocks.
 * Blocks: never.
 * Cancellation: ECANCELED; nothing has been read or written, or the number of bytes is returned.
 * Thread safety: any task.
 * Ownership: buffers stay the caller's, and where they are, until the call returns.
 * Since: 0.2. */
pausable ssize_t co4_posix_read(int fd, void *to, size_t bytes);
pausable ssize_t co4_posix_readv(int fd, const struct iovec *to, int count);
pausable ssize_t co4_posix_recv(int fd, void *to, size_t bytes, int flags);
pausable ssize_t co4_posix_recvfrom(int fd, void *to, size_t bytes, int flags,
                                    struct sockaddr *address, socklen_t *length);
pausable ssize_t co4_posix_recvmsg(int fd, struct msghdr *message, int flags);
pausable ssize_t co4_posix_write(int fd, const void *from, size_t bytes);
pausable ssize_t co4_posix_writev(int fd, const struct iovec *from, int count);
pausable ssize_t co4_posix_send(int fd, const void *from, size_t bytes, int flags);
pausable ssize_t co4_posix_sendto(int fd, const void *from, size_t bytes, int flags,
                                  const struct sockaddr *address, socklen_t length);
pausable ssize_t co4_posix_sendmsg(int fd, const struct msghdr *message, int flags);
pausable int co4_posix_accept(int fd, struct sockaddr *address, socklen_t *length);
pausable int co4_posix_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
pausable int co4_posix_connect(int fd, const struct sockaddr *address, socklen_t length);
pausable int co4_posix_poll(struct pollfd *fds, nfds_t count, int timeout);
pausable int co4_posix_select(int count, fd_set *to_read, fd_set *to_write, fd_set *except,
                              struct timeval *timeout);
pausable int co4_posix_epoll_wait(int fd, struct epoll_event *events, int most, int timeout);
pausable unsigned co4_posix_sleep(unsigned seconds);
pausable int co4_posix_usleep(useconds_t us);
pausable int co4_posix_nanosleep(const struct timespec *time, struct timespec *rest);

#ifdef __cplusplus
}
#endif

#endif
