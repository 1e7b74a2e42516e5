/* ops.h - what descriptors do: a struct of functions, and two tables of them.
 *
 * system.c has the calls of the system, simulated.c those of the simulated network in test mode. A
 * descriptor keeps the table that has made it. The functions return what the calls of POSIX return:
 * -1 with `errno`, EAGAIN if they would wait; or CO4__BLOCKS (attempt.h). */
#ifndef CO4_IO_OPS_H
#define CO4_IO_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/compiler.h"
#include "io/descriptor.h"

struct co4__io_ops {
    bool of_system; /* recv() and send() may be called instead, for sockets */

    /* These make descriptors, and attach them. NULL: the system has none of the kind. */
    int (*socket)(int domain, int type, int protocol);
    int (*pair)(int domain, int type, int protocol, int fds[2]);
    int (*pipe)(int fds[2], int flags);

    /* A read or a write of no bytes never waits. */
    ssize_t (*read)(struct co4__descriptor *d, const struct iovec *to, int count);
    ssize_t (*write)(struct co4__descriptor *d, const struct iovec *from, int count);
    ssize_t (*receive)(struct co4__descriptor *d, struct msghdr *m, int flags);
    ssize_t (*send)(struct co4__descriptor *d, const struct msghdr *m, int flags);
    /* For what sendfile() does not know, or would block at: co4__io_copy_file(). */
    ssize_t (*send_file)(struct co4__descriptor *d, int in, off_t *offset, size_t bytes);
    /* as_is: what is accepted is not attached, and its mode is what `flags` says. */
    int (*accept)(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length, int flags,
                  bool as_is);
    int (*connect)(struct co4__descriptor *d, const struct sockaddr *address, socklen_t length);
    /* How a connect has ended, when poll() reports its end. */
    int (*connected)(struct co4__descriptor *d, const struct sockaddr *address, socklen_t length);

    int (*shutdown)(struct co4__descriptor *d, int how);
    int (*bind)(struct co4__descriptor *d, const struct sockaddr *address, socklen_t length);
    int (*listen)(struct co4__descriptor *d, int backlog);
    int (*getsockname)(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length);
    int (*getpeername)(struct co4__descriptor *d, struct sockaddr *address, socklen_t *length);
    int (*getsockopt)(struct co4__descriptor *d, int level, int option, void *value,
                      socklen_t *length);
    int (*setsockopt)(struct co4__descriptor *d, int level, int option, const void *value,
                      socklen_t length);

    /* Returns the events of poll() that are there. */
    short (*poll)(struct co4__descriptor *d, short events);
    /* A task is about to wait: events will come. Returns 0 or an error number, EPERM if none ever
     * come, as its calls never wait. */
    int (*watch)(struct co4__descriptor *d, uint32_t generation);
    /* Blocks the thread until a call of this direction would not wait. Returns a code: CO4_OK,
     * CO4_ETIMEDOUT, CO4_ENOMEM, CO4_EDEADLK. */
    int (*wait)(struct co4__descriptor *d, int direction, int64_t deadline);
    /* The number belongs to another file, or is about to be closed. NULL: no one has to know. */
    void (*abandon)(struct co4__descriptor *d, uint32_t generation);
};

/* Reads a part of the file, and writes it. */
CO4__PRIVATE ssize_t co4__io_copy_file(struct co4__descriptor *d, int in, off_t *offset,
                                       size_t bytes);

extern CO4__PRIVATE const struct co4__io_ops co4__system_io;
/* NULL: the system has no sockets. */
extern const struct co4__io_ops *const co4__simulated_io;

#endif
