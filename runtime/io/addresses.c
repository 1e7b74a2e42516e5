/* addresses.c - the addresses of the simulated network: which socket has one, and which hosts a
 * partition separates. */
#define _GNU_SOURCE /* SO_REUSEPORT, whatever -std says */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "io/network.h"

#define FIRST_PORT 49152u
#define PORTS      (65536u - FIRST_PORT)

static const struct sockaddr_in *in4(const struct co4__net_address *a)
{
    return (const struct sockaddr_in *)(const void *)&a->storage;
}

static const struct sockaddr_in6 *in6(const struct co4__net_address *a)
{
    return (const struct sockaddr_in6 *)(const void *)&a->storage;
}

static int family_of(const struct co4__net_address *a)
{
    return a->bytes > 0 ? a->storage.ss_family : AF_UNSPEC;
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
    memcpy(to, &a->storage, *bytes < a->bytes ? *bytes : a->bytes);
    *bytes = a->bytes;
}

static bool is_same_host(const struct co4__net_address *a, const struct co4__net_address *b)
{
    if (family_of(a) != family_of(b))
        return false;
    if (family_of(a) == AF_INET)
        return in4(a)->sin_addr.s_addr == in4(b)->sin_addr.s_addr;
    return family_of(a) == AF_INET6 &&
           memcmp(&in6(a)->sin6_addr, &in6(b)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

static in_port_t port_of(const struct co4__net_address *a)
{
    return family_of(a) == AF_INET ? in4(a)->sin_port : in6(a)->sin6_port;
}

static void set_port(struct co4__net_address *a, unsigned port)
{
    if (family_of(a) == AF_INET)
        ((struct sockaddr_in *)(void *)&a->storage)->sin_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in6 *)(void *)&a->storage)->sin6_port = htons((uint16_t)port);
}

static bool is_any_host(const struct co4__net_address *a)
{
    static const struct in6_addr any = { 0 };
    if (family_of(a) == AF_INET)
        return in4(a)->sin_addr.s_addr == htonl(INADDR_ANY);
    return family_of(a) == AF_INET6 && memcmp(&in6(a)->sin6_addr, &any, sizeof any) == 0;
}

static bool is_loopback(const struct co4__net_address *a)
{
    static const struct in6_addr loopback = { .s6_addr = { [15] = 1 } };
    if (family_of(a) == AF_INET)
        return ntohl(in4(a)->sin_addr.s_addr) >> 24 == 127;
    return family_of(a) == AF_INET6 && memcmp(&in6(a)->sin6_addr, &loopback, sizeof loopback) == 0;
}

bool co4__address_is(const struct co4__net_address *a, const struct co4__net_address *b)
{
    if (family_of(a) == AF_INET || family_of(a) == AF_INET6)
        return is_same_host(a, b) && port_of(a) == port_of(b);
    return a->bytes == b->bytes && memcmp(&a->storage, &b->storage, a->bytes) == 0;
}

/* Whether both would get what is sent to one of them. */
static bool collide(const struct co4__net_address *a, const struct co4__net_address *b)
{
    if (family_of(a) != family_of(b) || family_of(a) == AF_UNIX)
        return co4__address_is(a, b);
    return port_of(a) == port_of(b) && (is_same_host(a, b) || is_any_host(a) || is_any_host(b));
}

static bool is_option_set(const struct co4__sim_socket *s, int name)
{
    const struct co4__net_option *o = co4__network_option(s, SOL_SOCKET, name);
    int value = 0;
    if (o)
        memcpy(&value, o->value, sizeof value);
    return value != 0;
}

static bool may_share(const struct co4__sim_socket *a, const struct co4__sim_socket *b)
{
#ifdef SO_REUSEPORT
    return is_option_set(a, SO_REUSEPORT) && is_option_set(b, SO_REUSEPORT);
#else
    return (void)a, (void)b, false;
#endif
}

static bool is_free(const struct co4__network *n, const struct co4__sim_socket *s,
                    const struct co4__net_address *a)
{
    const struct co4__sim_socket *other = n->common->hosts[s->host].bound;
    for (; other; other = other->next_bound)
        if (other != s && other->domain == s->domain && other->type == s->type &&
            collide(&other->local, a) && !may_share(other, s))
            return false;
    return true;
}

/* Gives it a port that no socket has. False: there is none. */
static bool choose_port(struct co4__network *n, const struct co4__sim_socket *s,
                        struct co4__net_address *a)
{
    for (unsigned i = 0; i < PORTS; i++) {
        set_port(a, FIRST_PORT + n->port++ % PORTS);
        if (is_free(n, s, a))
            return true;
    }
    return false;
}

int co4__address_host(const struct co4__network *n, unsigned from, const struct co4__net_address *a)
{
    if (n->common->nhosts == 1 || family_of(a) == AF_UNIX || is_any_host(a) || is_loopback(a))
        return (int)from;
    for (unsigned i = 0; i < n->common->nhosts; i++)
        for (unsigned k = 0; k < n->common->hosts[i].naddresses; k++)
            if (is_same_host(&n->common->hosts[i].addresses[k], a))
                return (int)i;
    return -1;
}

int co4__address_bind(struct co4__network *n, struct co4__sim_socket *s,
                      const struct co4__net_address *a)
{
    struct co4__net_address address = *a;
    struct co4__net_host *host = &n->common->hosts[s->host];
    if (s->bound || s->local.bytes > 0)
        return EINVAL;
    if (co4__address_host(n, s->host, a) != (int)s->host)
        return EADDRNOTAVAIL;
    if (s->domain != AF_UNIX && port_of(a) == 0) {
        if (!choose_port(n, s, &address))
            return EADDRINUSE;
    } else if (!is_free(n, s, a)) {
        return EADDRINUSE;
    }
    s->local = address;
    s->bound = true;
    s->next_bound = host->bound;
    host->bound = s;
    return 0;
}

/* The address of a machine's in this domain; NULL: it has none. */
static const struct co4__net_address *address_of(const struct co4__net_host *h, int domain)
{
    for (unsigned i = 0; i < h->naddresses; i++)
        if (family_of(&h->addresses[i]) == domain)
            return &h->addresses[i];
    return NULL;
}

static void own_host(struct co4__net_address *out, const struct co4__net_host *h, int domain,
                     const struct co4__net_address *to)
{
    const struct co4__net_address *own = to ? address_of(h, domain) : NULL;
    memset(out, 0, sizeof *out);
    if (to && is_loopback(to)) {
        *out = *to;
    } else if (own) {
        *out = *own;
    } else if (domain == AF_INET) {
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
    set_port(out, 0);
}

void co4__address_assign(struct co4__network *n, struct co4__sim_socket *s,
                         const struct co4__net_address *to)
{
    struct co4__net_address host;
    if (s->domain == AF_UNIX)
        return;
    if (s->local.bytes == 0) {
        own_host(&host, &n->common->hosts[s->host], s->domain, to);
        co4__address_bind(n, s, &host);
    } else if (to && is_any_host(&s->local)) {
        unsigned port = ntohs(port_of(&s->local));
        own_host(&s->local, &n->common->hosts[s->host], s->domain, to);
        set_port(&s->local, port);
    }
}

void co4__address_unbind(struct co4__network *n, struct co4__sim_socket *s)
{
    for (struct co4__sim_socket **at = &n->common->hosts[s->host].bound; *at;
         at = &(*at)->next_bound)
        if (*at == s) {
            *at = s->next_bound;
            break;
        }
    s->bound = false;
}

struct co4__sim_socket *co4__address_find(struct co4__network *n,
                                          const struct co4__sim_socket *from,
                                          const struct co4__net_address *to)
{
    struct co4__sim_socket *found = NULL;
    unsigned sharing = 0;
    bool exact = false;
    int host = co4__address_host(n, from->host, to);
    struct co4__sim_socket *s = host < 0 ? NULL : n->common->hosts[host].bound;
    for (; s; s = s->next_bound) {
        bool is = co4__address_is(&s->local, to);
        if (s->domain != from->domain || s->type != from->type ||
            (s->type != SOCK_DGRAM && s->state != CO4__NET_LISTENING) ||
            (is ? false
                : exact || s->domain == AF_UNIX || !is_any_host(&s->local) ||
                      port_of(&s->local) != port_of(to)))
            continue;
        if (is && !exact)
            sharing = 0;
        exact = is;
        if (co4__network_below(n, ++sharing) == 0)
            found = s;
    }
    return found;
}

/* ---- partitions ---- */

static bool is_side(const struct co4__net_address *side, const struct co4__net_address *host)
{
    return side->bytes == 0 || is_same_host(side, host);
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

bool co4__network_is_cut_from(const struct co4__network *n, const struct co4__sim_socket *s,
                              const struct co4__net_address *from,
                              const struct co4__net_address *to)
{
    const struct co4__net_host *hosts = n->common->hosts;
    int host = co4__address_host(n, s->host, to);
    return host < 0 || is_way_cut(hosts, s->host, (unsigned)host) ||
           (n->common->cuts && is_parted(n, from, to));
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
