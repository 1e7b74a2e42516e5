/* simulated.h - descriptors of the simulated network: what the calls do with them.
 *
 * The functions return what the calls of POSIX return: -1 with `errno`, EAGAIN if they would wait.
 * `d` is a descriptor of kind CO4__VIRTUAL. Only a program that calls functions of co4/test.h or
 * co4/test_network.h has them, and no other has such descriptors. */
#ifndef CO4_SIMULATED_H
#define CO4_SIMULATED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "io/descriptor.h"
#include "platform/thread.h"

/* Returns whether this thread is in test mode: what it makes is simulated. */
static inline bool co4__simulated_here(void)
{
    return CO4__UNLIKELY(co4__local()->simulate.state != NULL);
}

/* Defined with the functions: what refers to it has them. False: the system has no sockets. */
extern const bool co4__has_simulated_network;
/* Returns whether they are there. Else it says so, and `errno` is ENOSYS. */
bool co4__simulated_can(void);

/* Returns whether test mode has sockets of this kind. */
CO4__IF_LINKED bool co4__simulated_has(int domain, int type);
CO4__IF_LINKED int co4__simulated_socket(int domain, int type, int protocol);
CO4__IF_LINKED int co4__simulated_pair(int domain, int type, int protocol, int fds[2],
                                       bool is_pipe);

/* `m` NULL: a read of no bytes, which takes nothing. */
CO4__IF_LINKED ssize_t co4__simulated_receive(const struct co4__descriptor *d, struct msghdr *m,
                                              int flags);
CO4__IF_LINKED ssize_t co4__simulated_send(const struct co4__descriptor *d, const struct msghdr *m,
                                           int flags);
CO4__IF_LINKED bool co4__simulated_is_stream(const struct co4__descriptor *d);
/* Returns whether no byte of a stream is there that a read has left. */
CO4__IF_LINKED bool co4__simulated_is_drained(const struct co4__descriptor *d);
CO4__IF_LINKED int co4__simulated_accept(const struct co4__descriptor *d, struct sockaddr *address,
                                         socklen_t *length);
CO4__IF_LINKED int co4__simulated_connect(const struct co4__descriptor *d,
                                          const struct sockaddr *address, socklen_t length);
CO4__IF_LINKED int co4__simulated_shutdown(const struct co4__descriptor *d, int how);
CO4__IF_LINKED int co4__simulated_bind(const struct co4__descriptor *d,
                                       const struct sockaddr *address, socklen_t length);
CO4__IF_LINKED int co4__simulated_listen(const struct co4__descriptor *d, int backlog);
CO4__IF_LINKED int co4__simulated_getsockname(const struct co4__descriptor *d,
                                              struct sockaddr *address, socklen_t *length);
CO4__IF_LINKED int co4__simulated_getpeername(const struct co4__descriptor *d,
                                              struct sockaddr *address, socklen_t *length);
CO4__IF_LINKED int co4__simulated_getsockopt(const struct co4__descriptor *d, int level, int option,
                                             void *value, socklen_t *length);
CO4__IF_LINKED int co4__simulated_setsockopt(const struct co4__descriptor *d, int level, int option,
                                             const void *value, socklen_t length);
/* Blocks the thread, which meanwhile runs steps of the simulation, until a call of this direction
 * would not wait. Returns a code: CO4_OK, CO4_ETIMEDOUT, CO4_EDEADLK. */
CO4__IF_LINKED int co4__simulated_wait(struct co4__descriptor *d, int direction, int64_t deadline);

#endif
