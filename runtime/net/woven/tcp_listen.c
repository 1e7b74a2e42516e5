/* tcp_listen.c - listens at a port of this host. */
#define _GNU_SOURCE /* struct addrinfo, whatever -std says */
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "net/address.h"

pausable int co4_tcp_listen_until(const char *host, const char *port, int flags, int64_t deadline)
{
    __attribute__((cleanup(co4__addresses_free))) struct addrinfo *addresses = NULL;
    if (!co4__is_port(port) || !co4__are_flags(flags, CO4_LISTEN_REUSEPORT))
        return CO4_EINVAL;
    const struct addrinfo hints = { .ai_flags = AI_PASSIVE,
                                    .ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM };
    int code = co4_resolve_until(host, port, &hints, &addresses, deadline);
    return code != CO4_OK ? code : co4__bound_socket(addresses, !host, flags);
}

pausable int co4_tcp_listen(const char *host, const char *port, int flags)
{
    return co4_tcp_listen_until(host, port, flags, CO4_NEVER);
}
