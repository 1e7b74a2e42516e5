/* sim_address.h - what an address of the simulated network is: addresses.c.
 *
 * A socket of IPv6 that has not only IPv6 may have addresses of IPv4. They are kept as such; its
 * calls take and give them as ::ffff:a.b.c.d. */
#ifndef CO4_SIM_ADDRESS_H
#define CO4_SIM_ADDRESS_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "io/network.h"

static inline const struct sockaddr_in *co4__in4(const struct co4__net_address *a)
{
    return (const struct sockaddr_in *)(const void *)&a->storage;
}

static inline const struct sockaddr_in6 *co4__in6(const struct co4__net_address *a)
{
    return (const struct sockaddr_in6 *)(const void *)&a->storage;
}

static inline int co4__family_of(const struct co4__net_address *a)
{
    return a->bytes > 0 ? a->storage.ss_family : AF_UNSPEC;
}

static inline bool co4__is_same_host(const struct co4__net_address *a,
                                     const struct co4__net_address *b)
{
    if (co4__family_of(a) != co4__family_of(b))
        return false;
    if (co4__family_of(a) == AF_INET)
        return co4__in4(a)->sin_addr.s_addr == co4__in4(b)->sin_addr.s_addr;
    return co4__family_of(a) == AF_INET6 &&
           memcmp(&co4__in6(a)->sin6_addr, &co4__in6(b)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

static inline in_port_t co4__port_of(const struct co4__net_address *a)
{
    return co4__family_of(a) == AF_INET ? co4__in4(a)->sin_port : co4__in6(a)->sin6_port;
}

static inline void co4__set_port(struct co4__net_address *a, unsigned port)
{
    if (co4__family_of(a) == AF_INET)
        ((struct sockaddr_in *)(void *)&a->storage)->sin_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in6 *)(void *)&a->storage)->sin6_port = htons((uint16_t)port);
}

static inline bool co4__is_any_host(const struct co4__net_address *a)
{
    static const struct in6_addr any = { 0 };
    if (co4__family_of(a) == AF_INET)
        return co4__in4(a)->sin_addr.s_addr == htonl(INADDR_ANY);
    return co4__family_of(a) == AF_INET6 && memcmp(&co4__in6(a)->sin6_addr, &any, sizeof any) == 0;
}

static inline bool co4__is_loopback(const struct co4__net_address *a)
{
    static const struct in6_addr loopback = { .s6_addr = { [15] = 1 } };
    if (co4__family_of(a) == AF_INET)
        return ntohl(co4__in4(a)->sin_addr.s_addr) >> 24 == 127;
    return co4__family_of(a) == AF_INET6 &&
           memcmp(&co4__in6(a)->sin6_addr, &loopback, sizeof loopback) == 0;
}

/* A socket of IPv6 alone. */
static inline bool co4__has_only_6(const struct co4__sim_socket *s)
{
    return co4__network_number(s, IPPROTO_IPV6, IPV6_V6ONLY) != 0;
}

#endif
