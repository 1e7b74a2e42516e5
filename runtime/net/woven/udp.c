/* udp.c - sockets for datagrams, bound or connected by name. */
#define _GNU_SOURCE /* struct addrinfo, whatever -std says */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "io/attempt.h"
#include "net/address.h"

pausable int co4_udp_bind_until(const char *host, const char *port, int flags, int64_t deadline)
{
    __attribute__((cleanup(co4__addresses_free))) struct addrinfo *addresses = NULL;
    struct addrinfo hints = { .ai_flags = AI_PASSIVE,
                              .ai_family = AF_UNSPEC,
                              .ai_socktype = SOCK_DGRAM };
    if (!co4__is_port(port) || !co4__are_flags(flags, CO4_LISTEN_REUSEPORT) || flags >> 8)
        return CO4_EINVAL;
    int code = co4_resolve_until(host, port, &hints, &addresses, deadline);
    return code != CO4_OK ? code : co4__bound_socket(addresses, !host, flags);
}

pausable int co4_udp_bind(const char *host, const char *port, int flags)
{
    return co4_udp_bind_until(host, port, flags, CO4_NEVER);
}

pausable int co4_udp_connect_until(const char *host, const char *port, int64_t deadline)
{
    __attribute__((cleanup(co4__addresses_free))) struct addrinfo *addresses = NULL;
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM };
    if (!co4__is_port(port))
        return CO4_EINVAL;
    int code = co4_resolve_until(host, port, &hints, &addresses, deadline);
    if (code != CO4_OK)
        return code;
    for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
        int fd = co4__connect_to(a, deadline); /* does not wait: nothing is sent */
        if (fd >= 0 || fd == CO4_ECANCELED)
            return fd;
        code = co4__telling_code(code, fd);
    }
    return code;
}

pausable int co4_udp_connect(const char *host, const char *port)
{
    return co4_udp_connect_until(host, port, CO4_NEVER);
}
