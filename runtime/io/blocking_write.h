/* blocking_write.h - writes that raise a signal, or would block though poll() denies it. */
#ifndef CO4_BLOCKING_WRITE_H
#define CO4_BLOCKING_WRITE_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "io/descriptor.h"

/* Like writev(), without SIGPIPE. */
ssize_t co4__write_guarded(int fd, const struct iovec *from, int count);
/* Like sendfile(), which has no MSG_NOSIGNAL. */
ssize_t co4__sendfile_guarded(int out, int in, off_t *offset, size_t bytes);
/* Like the first, to a pipe without O_NONBLOCK that is ready: what it takes without blocking. */
ssize_t co4__write_shared_pipe(int fd, const struct iovec *from, int count);
/* False, with EAGAIN: this write to an eventfd without O_NONBLOCK would block now. */
bool co4__fits_eventfd(const struct co4__descriptor *d, const struct iovec *from, int count);

#endif
