/* address.c - sockets for the addresses that a name has: made, bound, listening. */
#define _GNU_SOURCE /* struct addrinfo, EAI_NODATA and others, whatever -std says */
#include "net/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* ---- errors ---- */

int co4__name_code(int eai)
{
    switch (eai) {
    case 0:
        return CO4_OK;
    case EAI_SYSTEM:
        return co4_code_of_errno(errno);
    case EAI_AGAIN:
        return CO4_EAGAIN;
    case EAI_MEMORY:
        return CO4_ENOMEM;
    case EAI_FAIL:
        return -EIO;
    case EAI_BADFLAGS:
    case EAI_FAMILY:
    case EAI_SOCKTYPE:
    case EAI_SERVICE: /* as co4__is_port() */
        return CO4_EINVAL;
    default: /* EAI_NONAME, and what some systems have: EAI_NODATA, EAI_ADDRFAMILY */
        return -ENOENT;
    }
}

/* Errors of the machine itself say little if another attempt has reached the network. */
static bool is_local(int code)
{
    return code == -EAFNOSUPPORT || code == -EPROTONOSUPPORT || code == -EADDRNOTAVAIL ||
           code == -ENETUNREACH || code == -EHOSTUNREACH || code == CO4_OK;
}

int co4__telling_code(int earlier, int later)
{
    return is_local(later) && !is_local(earlier) ? earlier : later;
}

/* ---- arguments ---- */

bool co4__is_port(const char *port)
{
    /* getaddrinfo() takes larger numbers for others: 70000 is 4464. */
    size_t digits = port ? strspn(port, "0123456789") : 0;
    bool is_number = digits > 0 && port[digits] == '\0';
    return port && *port && (!is_number || (digits <= 9 && atol(port) <= 65535));
}

bool co4__are_flags(int flags, int allowed)
{
    return flags >= 0 && (flags & 0xff & ~allowed) == 0;
}

int co4__backlog(int flags)
{
    return flags >> 8 ? flags >> 8 : SOMAXCONN;
}

/* ---- cleanups ---- */

void co4__addresses_free(struct addrinfo **addresses)
{
    if (*addresses)
        freeaddrinfo(*addresses);
}

void co4__net_close(const int *fd)
{
    if (*fd >= 0)
        co4_close(*fd);
}

int co4__net_keep(int *fd)
{
    int kept = *fd;
    *fd = -1;
    return kept;
}

/* ---- sockets ---- */

static int set(int fd, int level, int option, int value)
{
    return co4_setsockopt(fd, level, option, &value, sizeof value);
}

void co4__set_nodelay(int fd, int family)
{
    if (family == AF_INET || family == AF_INET6)
        set(fd, IPPROTO_TCP, TCP_NODELAY, 1); /* fails only for a peer that has gone */
}

int co4__socket_for(const struct addrinfo *address)
{
    int fd = co4_socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC,
                        address->ai_protocol);
    if (fd >= 0 && address->ai_socktype == SOCK_STREAM)
        co4__set_nodelay(fd, address->ai_family);
    return fd;
}

static bool reuse_port(int fd)
{
#ifdef SO_REUSEPORT
    return set(fd, SOL_SOCKET, SO_REUSEPORT, 1) == 0;
#else
    (void)fd;
    errno = ENOPROTOOPT;
    return false;
#endif
}

/* Returns a socket or a code. `both`: an IPv6 socket takes IPv4 as well. */
static int bound_to(const struct addrinfo *address, bool both, int flags)
{
    bool is_stream = address->ai_socktype == SOCK_STREAM;
    int fd = co4__socket_for(address);
    if (fd < 0)
        return co4_code_of_errno(errno);
    if ((address->ai_family != AF_INET6 || set(fd, IPPROTO_IPV6, IPV6_V6ONLY, !both) == 0) &&
        (!is_stream || set(fd, SOL_SOCKET, SO_REUSEADDR, 1) == 0) &&
        (!(flags & CO4_LISTEN_REUSEPORT) || reuse_port(fd)) &&
        co4_bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
        (!is_stream || co4_listen(fd, co4__backlog(flags)) == 0))
        return fd;
    int code = co4_code_of_errno(errno);
    co4_close(fd);
    return code;
}

int co4__bound_socket(const struct addrinfo *addresses, bool any_host, int flags)
{
    int code = CO4_OK;
    for (int first = any_host; first >= 0; first--)
        for (const struct addrinfo *a = addresses; a; a = a->ai_next) {
            if (any_host && first != (a->ai_family == AF_INET6))
                continue; /* IPv6 first */
            int fd = bound_to(a, any_host, flags);
            if (fd >= 0)
                return fd;
            code = co4__telling_code(code, fd);
            if (any_host && !is_local(fd))
                return fd; /* the port is in use: not for one family alone */
        }
    return code != CO4_OK ? code : -EADDRNOTAVAIL;
}

int co4_socket_port(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_storage room;
    } address;
    socklen_t length = sizeof address;
    if (co4_getsockname(fd, &address.any, &length) != 0)
        return co4_code_of_errno(errno);
    if (address.any.sa_family == AF_INET)
        return ntohs(address.v4.sin_port);
    if (address.any.sa_family == AF_INET6)
        return ntohs(address.v6.sin6_port);
    return -EAFNOSUPPORT;
}
