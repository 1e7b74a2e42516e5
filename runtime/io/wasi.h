/* wasi.h - on WASI: calls that its C library lacks, for attempt.c.
 *
 * A socket is one that the host has opened, or that accept() gives. There are no addresses and no
 * control data: a call that has some fails with ENOTSUP. */
#ifndef CO4_IO_WASI_H
#define CO4_IO_WASI_H

#include <sys/socket.h>
#include <sys/types.h>

ssize_t co4__wasi_recvfrom(int fd, void *to, size_t bytes, int flags,
                           const struct sockaddr *address);
ssize_t co4__wasi_sendto(int fd, const void *from, size_t bytes, int flags,
                         const struct sockaddr *address);
/* One buffer only. */
ssize_t co4__wasi_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t co4__wasi_sendmsg(int fd, const struct msghdr *message, int flags);

#define recvfrom(fd, to, bytes, flags, address, length)                                            \
    co4__wasi_recvfrom((fd), (to), (bytes), (flags), (length) ? (address) : NULL)
#define sendto(fd, from, bytes, flags, address, length)                                            \
    co4__wasi_sendto((fd), (from), (bytes), (flags), (length) > 0 ? (address) : NULL)
#define recvmsg co4__wasi_recvmsg
#define sendmsg co4__wasi_sendmsg

#endif
