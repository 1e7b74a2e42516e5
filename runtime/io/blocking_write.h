/* blocking_write.h - writes that raise no signal, where the system has no flag for that. */
#ifndef CO4_BLOCKING_WRITE_H
#define CO4_BLOCKING_WRITE_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Like writev(), without SIGPIPE. `nowait`: with RWF_NOWAIT, where the system has it. */
ssize_t co4__write_guarded(int fd, const struct iovec *from, int count, bool nowait);
/* Like sendfile(), which has no MSG_NOSIGNAL. */
ssize_t co4__sendfile_guarded(int out, int in, off_t *offset, size_t bytes);

#endif
