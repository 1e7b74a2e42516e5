/* addresses.c - the addresses of the simulated network: which socket has one, and which hosts a
 * partition separates. */
#define _GNU_SOURCE /* whatever -std says */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "io/sim_address.h"

/* "::ffff:a.b.c.d" is an address of IPv4. */
static void unmap(struct co4__net_address *a)
{
    struct sockaddr_in6 six = *co4__in6(a);
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)&a->storage;
    if (!IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
        return;
    memset(a, 0, sizeof *a);
    four->sin_family = AF_INET;
    four->sin_port = six.sin6_port;
    memcpy(&four->sin_addr, &six.sin6_addr.s6_addr[12], sizeof four->sin_addr);
    a->bytes = sizeof *four;
}

static struct co4__net_address mapped(const struct co4__net_address *a)
{
    struct co4__net_address out = { .bytes = sizeof(struct sockaddr_in6) };
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)&out.storage;
    six->sin6_family = AF_INET6;
    six->sin6_port = co4__in4(a)->sin_port;
    memset(&six->sin6_addr.s6_addr[10], 0xff, 2);
    memcpy(&six->sin6_addr.s6_addr[12], &co4__in4(a)->sin_addr, 4);
    return out;
}

/* False: it is none of this domain. */
bool co4__address_take(struct co4__net_address *out, const struct sockaddr *from, socklen_t bytes,
                       int domain)
{
    size_t least = domain == AF_INET    ? sizeof(struct sockaddr_in)
                   : domain == AF_INET6 ? sizeof(struct sockaddr_in6)
                                        : offsetof(struct sockaddr_un, sun_path) + 1;
    if (!from || bytes < least || bytes > sizeof out->storage || from->sa_family != domain)
        return false;
    memset(out, 0, sizeof *out);
    memcpy(&out->storage, from, bytes);
    out->bytes = domain == AF_UNIX ? bytes : (socklen_t)least;
    if (domain == AF_INET6)
        unmap(out);
    return true;
}

void co4__address_put(const struct co4__net_address *a, int domain, struct sockaddr *to,
                      socklen_t *bytes)
{
    struct co4__net_address none = { .bytes = sizeof(sa_family_t) };
    if (!to || !bytes)
        return;
    if (a->bytes == 0) {
        none.storage.ss_family = (sa_family_t)domain;
        if (domain != AF_UNIX)
            none.bytes = domain == AF_INET ? sizeof(struct sockaddr_in)
                                           : sizeof(struct sockaddr_in6);
        a = &none;
    }
    if (domain == AF_INET6 && co4__family_of(a) == AF_INET) {
        none = mapped(a);
        a = &none;
    }
    memcpy(to, &a->storage, *bytes < a->bytes ? *bytes : a->bytes);
    *bytes = a->bytes;
}

bool co4__address_is(const struct co4__net_address *a, const struct co4__net_address *b)
{
    if (co4__family_of(a) == AF_INET || co4__family_of(a) == AF_INET6)
        return co4__is_same_host(a, b) && co4__port_of(a) == co4__port_of(b);
    return a->bytes == b->bytes && memcmp(&a->storage, &b->storage, a->bytes) == 0;
}

int co4__address_host(const struct co4__network *n, unsigned from, const struct co4__net_address *a)
{
    if (n->common->nhosts == 1 || co4__family_of(a) == AF_UNIX || co4__is_any_host(a) ||
        co4__is_loopback(a))
        return (int)from;
    for (unsigned i = 0; i < n->common->nhosts; i++)
        for (unsigned k = 0; k < n->common->hosts[i].naddresses; k++)
            if (co4__is_same_host(&n->common->hosts[i].addresses[k], a))
                return (int)i;
    return -1;
}

/* The address of a machine's in this domain; NULL: it has none. */
static const struct co4__net_address *address_of(const struct co4__net_host *h, int domain)
{
    for (unsigned i = 0; i < h->naddresses; i++)
        if (co4__family_of(&h->addresses[i]) == domain)
            return &h->addresses[i];
    return NULL;
}

void co4__address_own(struct co4__net_address *out, const struct co4__net_host *h, int domain,
                      const struct co4__net_address *to)
{
    int family = to ? co4__family_of(to) : domain;
    const struct co4__net_address *own = to ? address_of(h, family) : NULL;
    memset(out, 0, sizeof *out);
    if (to && co4__is_loopback(to)) {
        *out = *to;
    } else if (own) {
        *out = *own;
    } else if (family == AF_INET) {
        struct sockaddr_in *a = (struct sockaddr_in *)(void *)&out->storage;
        a->sin_family = AF_INET;
        inet_pton(AF_INET, to ? "192.0.2.1" : "0.0.0.0", &a->sin_addr);
        out->bytes = sizeof *a;
    } else {
        struct sockaddr_in6 *a = (struct sockaddr_in6 *)(void *)&out->storage;
        a->sin6_family = AF_INET6;
        inet_pton(AF_INET6, to ? "2001:db8::1" : "::", &a->sin6_addr);
        out->bytes = sizeof *a;
    }
    co4__set_port(out, 0);
}

void co4__address_from(struct co4__net_address *out, const struct co4__network *n,
                       const struct co4__sim_socket *s, const struct co4__net_address *to)
{
    *out = s->local;
    if (to && s->domain != AF_UNIX && co4__is_any_host(&s->local)) {
        co4__address_own(out, &n->common->hosts[s->host], s->domain, to);
        co4__set_port(out, ntohs(co4__port_of(&s->local)));
    }
}

void co4__address_loop(struct co4__net_address *a)
{
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)&a->storage;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)&a->storage;
    if (!co4__is_any_host(a))
        return;
    if (co4__family_of(a) == AF_INET)
        four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        six->sin6_addr.s6_addr[15] = 1;
}

bool co4__address_suits(const struct co4__sim_socket *s, const struct co4__net_address *a)
{
    int family = co4__family_of(a);
    bool has_other = s->local.bytes > 0 && !co4__is_any_host(&s->local) &&
                     co4__family_of(&s->local) != family;
    return s->domain == AF_UNIX || family == s->domain ? !has_other
                                                       : !has_other && !co4__has_only_6(s);
}

/* Whether a socket gets what is sent to this address, though it has another one. */
static bool has_any(const struct co4__sim_socket *s, const struct co4__net_address *to)
{
    int family = co4__family_of(&s->local);
    return s->domain != AF_UNIX && co4__is_any_host(&s->local) &&
           co4__port_of(&s->local) == co4__port_of(to) &&
           (family == co4__family_of(to) || (family == AF_INET6 && !co4__has_only_6(s)));
}

/* ---- several machines at once ---- */

static in_addr_t number_of(const struct co4__net_address *a)
{
    return co4__family_of(a) == AF_INET ? ntohl(co4__in4(a)->sin_addr.s_addr) : 0;
}

/* On one machine, which has all addresses, 255.255.255.255 is the only one of all machines. */
bool co4__address_is_broadcast(const struct co4__network *n, const struct co4__net_address *a)
{
    in_addr_t number = number_of(a);
    if (number == INADDR_BROADCAST || n->common->nhosts == 1 || (number & 255) != 255)
        return number == INADDR_BROADCAST;
    if (co4__address_host(n, n->host, a) >= 0)
        return false;
    for (unsigned i = 0; i < n->common->nhosts; i++)
        if (co4__address_hears(n, i, a))
            return true;
    return false;
}

bool co4__address_hears(const struct co4__network *n, unsigned host,
                        const struct co4__net_address *a)
{
    const struct co4__net_address *own = address_of(&n->common->hosts[host], AF_INET);
    in_addr_t number = number_of(a);
    return n->common->nhosts == 1 ||
           (own && (number == INADDR_BROADCAST || number_of(own) >> 8 == number >> 8));
}

static bool is_multicast(const struct co4__net_address *a)
{
    return co4__family_of(a) == AF_INET6 ? IN6_IS_ADDR_MULTICAST(&co4__in6(a)->sin6_addr)
                                         : IN_MULTICAST(number_of(a));
}

int co4__address_refuses(const struct co4__network *n, const struct co4__sim_socket *s,
                         const struct co4__net_address *to)
{
    if (s->domain == AF_UNIX)
        return 0;
    if (!co4__address_suits(s, to) || is_multicast(to))
        return ENETUNREACH;
    if (!co4__address_is_broadcast(n, to))
        return 0;
    if (s->type == SOCK_STREAM)
        return ENETUNREACH;
    return co4__network_number(s, SOL_SOCKET, SO_BROADCAST) != 0 ? 0 : EACCES;
}

/* ---- receivers ---- */

bool co4__address_gets(const struct co4__sim_socket *s, const struct co4__net_address *to)
{
    return s->type == SOCK_DGRAM && s->domain != AF_UNIX &&
           (co4__address_is(&s->local, to) || has_any(s, to));
}

static bool is_shared(const struct co4__sim_socket *s)
{
#ifdef SO_REUSEPORT
    return co4__network_number(s, SOL_SOCKET, SO_REUSEPORT) != 0;
#else
    return (void)s, false;
#endif
}

/* Of several with SO_REUSEPORT one by chance; else the newest one. */
struct co4__sim_socket *co4__address_find(struct co4__network *n,
                                          const struct co4__sim_socket *from,
                                          const struct co4__net_address *to)
{
    struct co4__sim_socket *found = NULL;
    unsigned sharing = 0;
    bool exact = false, is_unix = from->domain == AF_UNIX;
    int host = co4__address_host(n, from->host, to);
    struct co4__sim_socket *s = host < 0 ? NULL : n->common->hosts[host].bound;
    bool by_file = co4__address_is_path(to);
    uint64_t file = by_file && !to->file ? co4__name_number(n, from->host, to) : to->file;
    for (; s && (!by_file || file); s = s->next_bound) {
        if (s->type != from->type || (s->domain == AF_UNIX) != is_unix ||
            (s->type != SOCK_DGRAM && s->state != CO4__NET_LISTENING))
            continue;
        bool is = by_file ? s->file == file : co4__address_is(&s->local, to);
        if (!is && (exact || !has_any(s, to)))
            continue;
        if (is && !exact)
            sharing = 0;
        exact = is;
        if (sharing > 0 && !is_shared(s))
            continue;
        if (co4__network_below(n, ++sharing) == 0)
            found = s;
    }
    return found;
}

/* ---- partitions ---- */

static bool is_side(const struct co4__net_address *side, const struct co4__net_address *host)
{
    return side->bytes == 0 || co4__is_same_host(side, host);
}

static bool is_parted(const struct co4__network *n, const struct co4__net_address *a,
                      const struct co4__net_address *b)
{
    for (const struct co4__cut *c = n->common->cuts; c; c = c->next)
        if ((is_side(&c->a, a) && is_side(&c->b, b)) || (is_side(&c->a, b) && is_side(&c->b, a)))
            return true;
    return false;
}

static bool is_way_cut(const struct co4__net_host *hosts, unsigned a, unsigned b)
{
    return hosts[a].down || hosts[b].down || (hosts[a].cut >> b & 1) != 0;
}

bool co4__network_is_cut(const struct co4__network *n, const struct co4__sim_socket *s)
{
    const struct co4__net_host *hosts = n->common->hosts;
    return s->peer && !co4__network_is_local(s) &&
           (is_way_cut(hosts, s->host, s->peer->host) ||
            (n->common->cuts && is_parted(n, &s->local, &s->peer->local)));
}

bool co4__network_is_cut_to(const struct co4__network *n, const struct co4__sim_socket *s,
                            unsigned host, const struct co4__net_address *from,
                            const struct co4__net_address *to)
{
    return is_way_cut(n->common->hosts, s->host, host) ||
           (n->common->cuts && is_parted(n, from, to));
}

bool co4__network_is_cut_from(const struct co4__network *n, const struct co4__sim_socket *s,
                              const struct co4__net_address *from,
                              const struct co4__net_address *to)
{
    int host = co4__address_host(n, s->host, to);
    return host < 0 || co4__network_is_cut_to(n, s, (unsigned)host, from, to);
}

bool co4__address_parse(const char *text, struct co4__net_address *out)
{
    struct sockaddr_in *a = (struct sockaddr_in *)(void *)&out->storage;
    struct sockaddr_in6 *b = (struct sockaddr_in6 *)(void *)&out->storage;
    memset(out, 0, sizeof *out);
    if (!text)
        return true;
    if (inet_pton(AF_INET, text, &a->sin_addr) == 1) {
        a->sin_family = AF_INET;
        out->bytes = sizeof *a;
        return true;
    }
    if (inet_pton(AF_INET6, text, &b->sin6_addr) != 1)
        return false;
    b->sin6_family = AF_INET6;
    out->bytes = sizeof *b;
    return true;
}
