/* socket.h - what poll() says of descriptors, and what sockets of the system do otherwise. */
#ifndef CO4_IO_SOCKET_H
#define CO4_IO_SOCKET_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "io/descriptor.h"

/* poll() without waiting, also for descriptors of test mode. */
int co4__poll_now(struct pollfd *fds, nfds_t count);
/* The same for real descriptors alone. A signal interrupts poll() also without a timeout. */
int co4__poll_real(struct pollfd *fds, nfds_t count);
/* poll(), where the system's is right. */
int co4__poll_for(struct pollfd *fds, nfds_t count, int timeout);
/* The system says that there is something to read. The event of that may come later, or never to a
 * thread without a reactor: the next read tries. */
void co4__descriptor_seen_ready(int fd);

/* What follows is false of descriptors of test mode. */

/* A call would block. Returns whether it fails instead: a datagram needs a port of its own, and if
 * none is left, that is EAGAIN, too. */
bool co4__socket_lacks_port(const struct co4__descriptor *d, int direction);
/* A read has given `n`. After its own shutdown() a socket of datagrams gives the end only to a read
 * that may block, and EAGAIN to others. Returns 0 then, else `n`. */
ssize_t co4__socket_at_shutdown(struct co4__descriptor *d, ssize_t n);
/* Returns whether a read with these flags answers EAGAIN instead of a wait. */
bool co4__socket_never_waits(const struct co4__descriptor *d, int flags);
/* Returns whether poll() says that it is ready while a try finds no room: a shared eventfd, where a
 * smaller number has room, and a Unix socket that sends to any address, where the room is that of
 * the receiver. */
bool co4__socket_is_ready_in_vain(const struct co4__descriptor *d, int direction);

#endif
