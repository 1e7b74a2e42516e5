/* wasi.h - on WASI: calls that its C library lacks, or that hosts have to be spared.
 *
 * A socket is one that the host has opened, or that accept() gives. There are no addresses and no
 * control data: a call that has some fails with ENOTSUP. Standard input and output are no sockets
 * (ENOTSOCK): Node crashes if they are used as such. */
#ifndef CO4_IO_WASI_H
#define CO4_IO_WASI_H

#include <sys/socket.h>
#include <sys/types.h>

int co4__wasi_shutdown(int fd, int how);
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
#define shutdown(fd, how) co4__wasi_shutdown((fd), (how))
#define recvmsg           co4__wasi_recvmsg
#define sendmsg           co4__wasi_sendmsg

#endif
