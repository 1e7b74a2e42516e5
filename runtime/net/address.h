/* address.h - sockets for the addresses that a name has. Only co4__connect_to() pauses. */
#ifndef CO4_ADDRESS_H
#define CO4_ADDRESS_H

#include <netdb.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "net/public.h"

/* Returns the code of co4 for a code of getaddrinfo(); that of `errno` for EAI_SYSTEM. */
int co4__name_code(int eai);

/* Returns the code to report of two attempts: the later one, unless only the earlier one has
 * reached the network. 0: there was none. */
int co4__telling_code(int earlier, int later);

/* A socket for this address, with close-on-exec, and for TCP with TCP_NODELAY. -1 with `errno`. */
int co4__socket_for(const struct addrinfo *address);
void co4__set_nodelay(int fd, int family);
/* Makes a socket and connects it to this address (woven/tcp_connect.c). Returns it, or a code. */
CO4__OWN pausable int co4__connect_to(const struct addrinfo *address, int64_t deadline);

/* Binds a socket to the first address that can be bound. `any_host`: for both families, if
 * possible. `flags`: those of co4_tcp_listen(). A stream socket listens afterwards. Returns the
 * socket, or a code. */
int co4__bound_socket(const struct addrinfo *addresses, bool any_host, int flags);

/* Checks of the arguments of public functions, and the backlog that `flags` ask for. */
bool co4__is_port(const char *port);
bool co4__are_flags(int flags, int allowed);
int co4__backlog(int flags);

/* Cleanups: one frees the list unless it is NULL, the other closes the descriptor unless it is
 * negative. */
void co4__addresses_free(struct addrinfo **addresses);
void co4__net_close(const int *fd);
/* Takes the descriptor out of the variable that a cleanup would close. */
int co4__net_keep(int *fd);

#endif
