/* sim_ports.c - which addresses of the simulated network are in use, by the rules of Linux.
 *
 * A port is that of sockets that are bound to it, of connections that were accepted at it, and for
 * a minute of a connection that this end has closed first (TIME_WAIT): so a server without
 * SO_REUSEADDR cannot begin again at once. Two sockets may have one port if both have SO_REUSEADDR,
 * and none listens, or if both have SO_REUSEPORT. */
#define _GNU_SOURCE /* SO_REUSEPORT, whatever -std says */
#include <errno.h>
#include <string.h>

#include "io/sim_address.h"

#define FIRST_PORT 49152u
#define PORTS      (65536u - FIRST_PORT)

/* Whether both would get what is sent to one of them. */
static bool collide(const struct co4__sim_socket *s, const struct co4__net_address *a,
                    const struct co4__sim_socket *other)
{
    const struct co4__net_address *b = &other->local;
    int one = co4__family_of(a), two = co4__family_of(b);
    if (one == AF_UNIX || two == AF_UNIX) /* a file that is there is in the way by itself */
        return !co4__address_is_path(a) && co4__address_is(a, b);
    if (two == AF_UNSPEC || co4__port_of(a) != co4__port_of(b))
        return false;
    if (one == two)
        return co4__is_same_host(a, b) || co4__is_any_host(a) || co4__is_any_host(b);
    return one == AF_INET6 ? co4__is_any_host(a) && !co4__has_only_6(s)
                           : co4__is_any_host(b) && !co4__has_only_6(other);
}

static bool have_both(const struct co4__sim_socket *a, const struct co4__sim_socket *b, int option)
{
    return co4__network_number(a, SOL_SOCKET, option) != 0 &&
           co4__network_number(b, SOL_SOCKET, option) != 0;
}

static bool may_share(const struct co4__sim_socket *a, const struct co4__sim_socket *b)
{
    bool listens = a->state == CO4__NET_LISTENING || b->state == CO4__NET_LISTENING;
#ifdef SO_REUSEPORT
    if (have_both(a, b, SO_REUSEPORT))
        return true;
#endif
    return a->domain != AF_UNIX && !listens && have_both(a, b, SO_REUSEADDR);
}

static bool is_in_way(const struct co4__sim_socket *s, const struct co4__net_address *a,
                      const struct co4__sim_socket *other)
{
    return other != s && other->type == s->type && collide(s, a, other) && !may_share(s, other);
}

static bool is_free(const struct co4__network *n, const struct co4__sim_socket *s,
                    const struct co4__net_address *a)
{
    const struct co4__sim_socket *other = n->common->hosts[s->host].bound;
    for (; other; other = other->next_bound)
        if (is_in_way(s, a, other))
            return false;
    return true;
}

/* Returns whether no connection has the port. */
static bool is_left(const struct co4__network *n, const struct co4__sim_socket *s,
                    const struct co4__net_address *a)
{
    const struct co4__net_host *h = &n->common->hosts[s->host];
    const struct co4__sim_socket *other;
    if (s->domain == AF_UNIX || s->type != SOCK_STREAM)
        return true;
    for (other = h->open; other; other = other->next_open)
        if (other->state == CO4__NET_JOINED && !other->broken && is_in_way(s, a, other))
            return false;
    for (other = h->past; other; other = other->next_past)
        if (other->past_until > co4__network_now(n) && is_in_way(s, a, other))
            return false;
    return true;
}

/* Gives it a port that no socket has. False: there is none. */
static bool choose_port(struct co4__network *n, const struct co4__sim_socket *s,
                        struct co4__net_address *a)
{
    for (unsigned i = 0; i < PORTS; i++) {
        co4__set_port(a, FIRST_PORT + n->port++ % PORTS);
        if (is_free(n, s, a))
            return true;
    }
    return false;
}

/* ---- binding ---- */

int co4__address_bind(struct co4__network *n, struct co4__sim_socket *s,
                      const struct co4__net_address *a)
{
    struct co4__net_address address = *a;
    struct co4__net_host *host = &n->common->hosts[s->host];
    bool chooses = s->domain != AF_UNIX && co4__port_of(a) == 0;
    if (s->bound || s->local.bytes > 0 || !co4__address_suits(s, a))
        return EINVAL;
    bool is_own = co4__address_host(n, s->host, a) == (int)s->host;
    if (!is_own && (s->type != SOCK_DGRAM || !co4__address_is_broadcast(n, a)))
        return EADDRNOTAVAIL;
    if (chooses ? !choose_port(n, s, &address) : !is_free(n, s, a) || !is_left(n, s, a))
        return EADDRINUSE;
    int failed = co4__address_is_path(a) ? co4__name_make(n, s, a, co4__network_now(n)) : 0;
    if (failed)
        return failed;
    s->local = address;
    s->has_port = !chooses;
    s->has_host = s->domain != AF_UNIX && !co4__is_any_host(a);
    s->bound = true;
    s->next_bound = host->bound;
    host->bound = s;
    return 0;
}

int co4__address_listen(struct co4__network *n, const struct co4__sim_socket *s)
{
    const struct co4__sim_socket *other = n->common->hosts[s->host].bound;
    for (; other; other = other->next_bound)
        if (other->state == CO4__NET_LISTENING && is_in_way(s, &s->local, other))
            return EADDRINUSE;
    return 0;
}

void co4__address_assign(struct co4__network *n, struct co4__sim_socket *s,
                         const struct co4__net_address *to)
{
    struct co4__net_address host;
    if (s->domain == AF_UNIX)
        return;
    if (s->local.bytes == 0) {
        co4__address_own(&host, &n->common->hosts[s->host], s->domain, to);
        co4__address_bind(n, s, &host);
        s->has_host = false;
    } else if (to) {
        co4__address_from(&host, n, s, to);
        s->local = host;
    }
}

/* A socket for datagrams is no longer connected: it has what bind() gave it. */
void co4__address_leave(struct co4__network *n, struct co4__sim_socket *s)
{
    unsigned port = s->local.bytes > 0 ? ntohs(co4__port_of(&s->local)) : 0;
    if (s->domain == AF_UNIX || s->has_host)
        return;
    if (!s->has_port) {
        co4__address_unbind(n, s);
        s->local.bytes = 0;
    } else if (s->local.bytes > 0) {
        co4__address_own(&s->local, &n->common->hosts[s->host], s->domain, NULL);
        co4__set_port(&s->local, port);
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
