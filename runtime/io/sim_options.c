/* sim_options.c - options of sockets of the simulated network.
 *
 * An option that means nothing here is kept, and read as it was set. A connection that is accepted
 * has those of its listener. */
#define _GNU_SOURCE /* TCP_USER_TIMEOUT and others */
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

#include "io/network.h"
#include "platform/clock.h"

#ifdef TCP_KEEPIDLE
enum { KEEPIDLE = TCP_KEEPIDLE, KEEPINTVL = TCP_KEEPINTVL, KEEPCNT = TCP_KEEPCNT };
#else
enum { KEEPIDLE = -1, KEEPINTVL = -2, KEEPCNT = -3 };
#endif
#ifdef TCP_USER_TIMEOUT
enum { USER_TIMEOUT = TCP_USER_TIMEOUT };
#else
enum { USER_TIMEOUT = -4 };
#endif

/* ---- what Linux has of an option that was never set, and which values it takes ---- */

static const struct known {
    int level, name, usual, least, most;
} knowns[] = {
    { IPPROTO_TCP, KEEPIDLE, 7200, 1, 32767 },
    { IPPROTO_TCP, KEEPINTVL, 75, 1, 32767 },
    { IPPROTO_TCP, KEEPCNT, 9, 1, 127 },
    { IPPROTO_TCP, USER_TIMEOUT, 0, 0, INT_MAX },
};

/* NULL: any number is taken, and it is 0 at first. */
static const struct known *find_known(int level, int name)
{
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++)
        if (knowns[i].level == level && knowns[i].name == name)
            return &knowns[i];
    return NULL;
}

int co4__network_number(const struct co4__sim_socket *s, int level, int name)
{
    const struct co4__net_option *o = co4__network_option(s, level, name);
    const struct known *k = o ? NULL : find_known(level, name);
    int number = k ? k->usual : 0;
    if (o)
        memcpy(&number, o->value, sizeof number);
    return number;
}

struct co4__keepalive co4__network_keepalive(const struct co4__sim_socket *s)
{
    return (struct co4__keepalive){
        .on = co4__network_number(s, SOL_SOCKET, SO_KEEPALIVE) != 0,
        .idle = co4__network_number(s, IPPROTO_TCP, KEEPIDLE) * CO4_SEC,
        .interval = co4__network_number(s, IPPROTO_TCP, KEEPINTVL) * CO4_SEC,
        .probes = (unsigned)co4__network_number(s, IPPROTO_TCP, KEEPCNT),
        .user = co4__network_number(s, IPPROTO_TCP, USER_TIMEOUT) * CO4_MS,
    };
}

/* ---- all options ---- */

static int protocol_of(const struct co4__sim_socket *s)
{
    if (s->protocol != 0 || s->domain == AF_UNIX)
        return s->protocol;
    return s->type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
}

/* False: the option is one that was set, or none. */
static bool is_state(struct co4__sim_socket *s, int name, int *value)
{
    switch (name) {
    case SO_ERROR:
        *value = co4__network_take_error(s);
        return true;
    case SO_TYPE:
        *value = s->type;
        return true;
#ifdef SO_DOMAIN
    case SO_DOMAIN:
        *value = s->domain;
        return true;
#endif
#ifdef SO_PROTOCOL
    case SO_PROTOCOL:
        *value = protocol_of(s);
        return true;
#endif
    case SO_ACCEPTCONN:
        *value = s->state == CO4__NET_LISTENING;
        return true;
    case SO_RCVBUF:
    case SO_SNDBUF:
        *value = s->capacity < INT_MAX ? (int)s->capacity : INT_MAX;
        return true;
    default:
        return false;
    }
}

static bool has_options(const struct co4__sim_socket *s, int level)
{
    if (level == SOL_SOCKET)
        return true;
    if (s->domain == AF_UNIX)
        return false;
    return level == IPPROTO_IP || (level == IPPROTO_IPV6 && s->domain == AF_INET6) ||
           level == (s->type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP);
}

int co4__network_get_option(struct co4__sim_socket *s, int level, int name, void *value,
                            socklen_t *length)
{
    int number = 0;
    if (!value || !length)
        return EFAULT;
    if (!has_options(s, level))
        return ENOPROTOOPT;
    const struct co4__net_option *o = co4__network_option(s, level, name);
    const struct timeval never = { 0, 0 };
    const struct linger off = { 0, 0 };
    const void *from = &number;
    socklen_t bytes = sizeof number;
    if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) {
        from = &never;
        bytes = sizeof never;
    } else if (level == SOL_SOCKET && name == SO_LINGER) {
        from = &off;
        bytes = sizeof off;
    }
    if (level == SOL_SOCKET && is_state(s, name, &number)) {
        from = &number;
    } else if (o) {
        from = o->value;
        bytes = o->bytes;
    } else {
        number = co4__network_number(s, level, name);
    }
    if (bytes > *length)
        bytes = *length;
    memcpy(value, from, bytes);
    *length = bytes;
    return 0;
}

/* NULL: there is no room. */
static struct co4__net_option *add_option(struct co4__sim_socket *s, int level, int name)
{
    struct co4__net_option *o = co4__network_option(s, level, name);
    if (!o && s->noptions < CO4__NET_OPTIONS) {
        o = &s->options[s->noptions++];
        o->level = level;
        o->name = name;
    }
    return o;
}

int co4__network_set_option(struct co4__sim_socket *s, int level, int name, const void *value,
                            socklen_t length)
{
    const struct known *k = find_known(level, name);
    struct co4__net_option *o;
    int number;
    if (!value)
        return EFAULT;
    if (!has_options(s, level))
        return ENOPROTOOPT;
    if (length < sizeof number || length > sizeof o->value)
        return EINVAL;
    memcpy(&number, value, sizeof number);
    if (k && (number < k->least || number > k->most))
        return EINVAL;
    if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY && s->local.bytes > 0)
        return EINVAL;
    if (level == SOL_SOCKET && name == SO_SNDBUF) {
        s->capacity = number < CO4__PIPE_ATOMIC ? CO4__PIPE_ATOMIC : (size_t)number;
        return 0;
    }
    if (!(o = add_option(s, level, name)))
        return ENOBUFS;
    o->bytes = length;
    memcpy(o->value, value, length);
    return 0;
}

void co4__network_inherit(struct co4__sim_socket *s, const struct co4__sim_socket *listener)
{
    memcpy(s->options, listener->options, sizeof s->options);
    s->noptions = listener->noptions;
    s->capacity = listener->capacity;
}
