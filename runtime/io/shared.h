/* shared.h - calls at descriptors that may lack O_NONBLOCK, as others share them: see shared.c. */
#ifndef CO4_SHARED_H
#define CO4_SHARED_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "io/descriptor.h"

/* A counter or a signal has a size, and a read of less fails. */
bool co4__shared_is_too_small(const struct co4__descriptor *d, size_t bytes);

/* Like readv(), writev() without SIGPIPE, and accept4(). They fail with EAGAIN where these would
 * block. CO4__BLOCKS: a read of a terminal that ends by a count or a time (terminal.c). */
ssize_t co4__shared_read(struct co4__descriptor *d, const struct iovec *to, int count);
ssize_t co4__shared_write(struct co4__descriptor *d, const struct iovec *from, int count);
/* CO4__BLOCKS: another thread or process is inside this call. Soon it can be made again. */
int co4__shared_accept(const struct co4__descriptor *d, struct sockaddr *address, socklen_t *length,
                       int flags);
/* Like connect(), which does not block: EINPROGRESS, or at a Unix socket EAGAIN. */
int co4__shared_connect(const struct co4__descriptor *d, const struct sockaddr *address,
                        socklen_t length);

/* Returns whether `flags` of fcntl() are those of a socket at which this library makes an accept or
 * a connect just now, in any process: then O_NONBLOCK is not the program's. */
bool co4__shared_is_ours(int fd, int flags);

#endif
