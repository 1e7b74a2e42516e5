/* co4/io.h - the calls of POSIX that wait, for tasks: sockets, pipes, terminals, files.
 *
 * Each call has the parameters, the values and the `errno` of the call without `co4_`. Where that
 * would block the thread, these pause the task:
 *
 *     pausable void echo(int fd)
 *     {
 *         char line[512];
 *         ssize_t n;
 *         while ((n = co4_read(fd, line, sizeof line)) > 0)
 *             if (co4_write(fd, line, (size_t)n) != n)
 *                 break;
 *         co4_close(fd);
 *     }
 *
 * Descriptors. Those that these calls make (co4_socket, co4_accept4, co4_pipe …) are ready for use.
 * Others are attached by co4_fd_attach(), or by the first call that uses them. A descriptor is
 * closed by co4_close(): waits at it end then, and its number gets no other meaning while a call
 * uses it. After a plain close() they end late, also with EBADF: docs/io.md. One is reported.
 *
 * A call that writes to a stream or a pipe returns when all is written. If it fails before, it
 * returns the number of bytes that were written; the next call fails. No call raises SIGPIPE.
 *
 * On WASI the calls that make descriptors or need addresses are missing: see docs/targets.md.
 */
#ifndef CO4_IO_H
#define CO4_IO_H

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "error.h"
#include "mark.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: what the call of POSIX returns. -1 and `errno`: as POSIX says, and ECANCELED when the
 *     task is cancelled; EBADF also when another task closes the descriptor; ENOTSUP inside a
 *     generator. _until: ETIMEDOUT when the deadline comes (co4_poll_until: 0). EAGAIN comes only
 *     with MSG_DONTWAIT, MSG_ERRQUEUE, MSG_OOB.
 * Pauses: until the call can be made. Plain: blocks the thread.
 * Blocks: never.
 * Cancellation: ECANCELED; nothing has been read or written, or the number of bytes is returned.
 * Thread safety: any task, also several at one descriptor: each read gets other bytes.
 * Ownership: buffers stay the caller's, and where they are, until the call returns.
 * Since: 0.2. */

/* Reads. MSG_WAITALL goes on until all bytes of a stream are there; not with MSG_PEEK, and not when
 * a message has room for control data. A read of 0 bytes returns 0 at once. */
pausable_or_block ssize_t co4_read(int fd, void *to, size_t bytes);
pausable_or_block ssize_t co4_read_until(int fd, void *to, size_t bytes, int64_t deadline);
pausable_or_block ssize_t co4_readv(int fd, const struct iovec *to, int count);
pausable_or_block ssize_t co4_readv_until(int fd, const struct iovec *to, int count,
                                          int64_t deadline);
pausable_or_block ssize_t co4_recv(int fd, void *to, size_t bytes, int flags);
pausable_or_block ssize_t co4_recv_until(int fd, void *to, size_t bytes, int flags,
                                         int64_t deadline);
pausable_or_block ssize_t co4_recvfrom(int fd, void *to, size_t bytes, int flags,
                                       struct sockaddr *address, socklen_t *length);
pausable_or_block ssize_t co4_recvfrom_until(int fd, void *to, size_t bytes, int flags,
                                             struct sockaddr *address, socklen_t *length,
                                             int64_t deadline);
pausable_or_block ssize_t co4_recvmsg(int fd, struct msghdr *message, int flags);
pausable_or_block ssize_t co4_recvmsg_until(int fd, struct msghdr *message, int flags,
                                            int64_t deadline);

/* Writes. */
pausable_or_block ssize_t co4_write(int fd, const void *from, size_t bytes);
pausable_or_block ssize_t co4_write_until(int fd, const void *from, size_t bytes, int64_t deadline);
pausable_or_block ssize_t co4_writev(int fd, const struct iovec *from, int count);
pausable_or_block ssize_t co4_writev_until(int fd, const struct iovec *from, int count,
                                           int64_t deadline);
pausable_or_block ssize_t co4_send(int fd, const void *from, size_t bytes, int flags);
pausable_or_block ssize_t co4_send_until(int fd, const void *from, size_t bytes, int flags,
                                         int64_t deadline);
pausable_or_block ssize_t co4_sendto(int fd, const void *from, size_t bytes, int flags,
                                     const struct sockaddr *address, socklen_t length);
pausable_or_block ssize_t co4_sendto_until(int fd, const void *from, size_t bytes, int flags,
                                           const struct sockaddr *address, socklen_t length,
                                           int64_t deadline);
pausable_or_block ssize_t co4_sendmsg(int fd, const struct msghdr *message, int flags);
pausable_or_block ssize_t co4_sendmsg_until(int fd, const struct msghdr *message, int flags,
                                            int64_t deadline);
#ifdef __linux__
/* Sends the bytes of a file. Returns fewer than `bytes` at its end. What is not in memory is read
 * by the pool (blocking.h) first. Before Linux 6.5, and with a file of another user, pages that the
 * system has dropped from the middle of a part of 256 KiB may block the thread. */
pausable_or_block ssize_t co4_sendfile(int out, int in, off_t *offset, size_t bytes);
pausable_or_block ssize_t co4_sendfile_until(int out, int in, off_t *offset, size_t bytes,
                                             int64_t deadline);
#endif

/* Connections. The accepted descriptor does not block; `flags` may have SOCK_CLOEXEC. A connect
 * that was cancelled, or whose deadline has come, goes on in the system: close the descriptor. */
pausable_or_block int co4_accept(int fd, struct sockaddr *address, socklen_t *length);
pausable_or_block int co4_accept_until(int fd, struct sockaddr *address, socklen_t *length,
                                       int64_t deadline);
pausable_or_block int co4_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
pausable_or_block int co4_accept4_until(int fd, struct sockaddr *address, socklen_t *length,
                                        int flags, int64_t deadline);
#ifndef __wasi__
pausable_or_block int co4_connect(int fd, const struct sockaddr *address, socklen_t length);
pausable_or_block int co4_connect_until(int fd, const struct sockaddr *address, socklen_t length,
                                        int64_t deadline);
#endif

/* Waits for several descriptors. `timeout` is in milliseconds, and endless if it is negative. Both
 * return 0 when it is over. A select of co4_fd_readable() and others waits for more than
 * descriptors. */
pausable_or_block int co4_poll(struct pollfd *fds, nfds_t count, int timeout);
pausable_or_block int co4_poll_until(struct pollfd *fds, nfds_t count, int64_t deadline);

/* Waits until a call of this direction would not block: for libraries that read and write by
 * themselves. `direction` is POLLIN or POLLOUT. Returns CO4_OK or a code (error.h): CO4_ECLOSED
 * when the descriptor is closed. */
pausable_or_block int co4_fd_wait(int fd, int direction);
pausable_or_block int co4_fd_wait_until(int fd, int direction, int64_t deadline);

#ifndef __wasi__
/* Make descriptors that do not block, and attach them. */
int co4_socket(int domain, int type, int protocol);
int co4_socketpair(int domain, int type, int protocol, int fds[2]);
int co4_pipe(int fds[2]);
int co4_pipe2(int fds[2], int flags);
#endif

/* Ends all waits at the descriptor: their calls fail with EBADF. Then closes it. If a call uses it
 * at this moment, the system closes it when that call returns. */
int co4_close(int fd);
int co4_shutdown(int fd, int how);

/* The same as the calls of POSIX, while the number keeps its meaning. They never wait. The
 * tries fail with EAGAIN in place of a wait. They are for code that is not pausable, such as a
 * transport (conn.h). */
int co4_getsockopt(int fd, int level, int option, void *value, socklen_t *length);
#ifndef __wasi__
int co4_bind(int fd, const struct sockaddr *address, socklen_t length);
int co4_listen(int fd, int backlog);
int co4_getsockname(int fd, struct sockaddr *address, socklen_t *length);
int co4_getpeername(int fd, struct sockaddr *address, socklen_t *length);
int co4_setsockopt(int fd, int level, int option, const void *value, socklen_t length);
#endif

/* The descriptor is shared with other processes, as standard input is: O_NONBLOCK, which all of
 * them would see, stays as it is. */
#define CO4_FD_SHARED 1

/* Attaches a descriptor that was made elsewhere. Sets O_NONBLOCK, unless `flags` is CO4_FD_SHARED.
 * If the number was attached before, and was closed by a plain close(), waits for the former
 * descriptor end with EBADF. If it is still open, waits at it go on; but they end so where the
 * system has no epoll.
 *
 * Returns: CO4_OK; CO4_EINVAL for a number that is no descriptor, and for other flags;
 *     CO4_ENOMEM. */
int co4_fd_attach(int fd, int flags);

/* Forgets a descriptor without closing it: waits at it end with EBADF. It keeps O_NONBLOCK.
 *
 * Returns: CO4_OK; CO4_EINVAL if it is not attached. */
int co4_fd_detach(int fd);

/* A direction of a descriptor as a source (source.h): ready when a call would not pause. It has no
 * value, and takes no byte. Attaches the descriptor if it is not. The code is CO4_ECLOSED when the
 * descriptor is closed.
 *
 * Returns: the source, valid until co4_close(); NULL for a number that is no descriptor. */
co4_source *co4_fd_readable(int fd);
co4_source *co4_fd_writable(int fd);

#ifdef __cplusplus
}
#endif

#endif
