/* allow.c - see proxy.h: rules, and the addresses that they allow.
 *
 * The decision is always about an address, never about its text: 0x7f.1, ::ffff:127.0.0.1 and a
 * name of a hostile server are the same address after the lookup, and the address that was checked
 * is the one that is connected to.
 *
 * Rejected: to compare the text of the request with the rule. A program looks up a name and
 * connects to its address, and a name may have another address a moment later. */
#include <arpa/inet.h>
#include <co4/net.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proxy.h"

enum { PATIENCE_SECONDS = 10 };

/* ---- addresses ---- */

static struct address address_of(const struct sockaddr *a, unsigned *port)
{
    static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    struct address made = { { 0 }, 0 };
    *port = 0;
    if (a->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)a;
        memcpy(made.bytes, mapped, sizeof mapped);
        memcpy(made.bytes + sizeof mapped, &in->sin_addr, 4);
        *port = ntohs(in->sin_port);
    } else if (a->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)a;
        memcpy(made.bytes, &in6->sin6_addr, 16);
        made.scope = IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr) ? in6->sin6_scope_id : 0;
        *port = ntohs(in6->sin6_port);
    }
    return made;
}

static bool are_equal(const struct address *a, const struct address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0 && a->scope == b->scope;
}

static bool knows(const struct rule *r, const struct address *address)
{
    for (unsigned i = 0; i < r->learnt && i < KNOWN; i++)
        if (are_equal(&r->known[i], address))
            return true;
    return false;
}

static void learn(struct rule *r, const struct addrinfo *found)
{
    unsigned port;
    for (; found; found = found->ai_next) {
        struct address address = address_of(found->ai_addr, &port);
        if (!knows(r, &address))
            r->known[r->learnt++ % KNOWN] = address;
    }
}

/* ---- rules ---- */

/* "5432", "5000-5099" or "*". */
static bool read_ports(struct rule *r, const char *text)
{
    char *end;
    if (strcmp(text, "*") == 0) {
        r->first = 1;
        r->last = 65535;
        return true;
    }
    if (text[strspn(text, "0123456789-")] != '\0' || text[0] == '-')
        return false;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (*end == '-' && end[1] != '\0')
        last = strtoul(end + 1, &end, 10);
    r->first = (unsigned)first;
    r->last = (unsigned)last;
    return *end == '\0' && first >= 1 && first <= last && last <= 65535;
}

/* A numeric host is its address, in whatever form it is written. */
static void read_number(struct rule *r)
{
    const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found;
    r->is_numeric = getaddrinfo(r->host, NULL, &hints, &found) == 0;
    if (!r->is_numeric)
        return;
    learn(r, found);
    freeaddrinfo(found);
}

static const char *read_address(struct rule *r, const char *text)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !read_ports(r, colon + 1))
        return "HOST:PORT, HOST:FIRST-LAST, *:PORT or unix:PATH is wanted";
    size_t size = (size_t)(colon - text);
    if (size == 1 && text[0] == '*')
        return NULL;
    bool is_bracketed = text[0] == '[' && colon[-1] == ']';
    if (!is_bracketed && memchr(text, ':', size))
        return "an IPv6 address stands in brackets: [::1]:PORT";
    r->host = is_bracketed ? strndup(text + 1, size - 2) : strndup(text, size);
    if (!r->host)
        return "out of memory";
    read_number(r);
    return NULL;
}

static const char *read_rule(struct rule *r, const char *text)
{
    r->is_path = strncmp(text, "unix:", 5) == 0;
    if (!r->is_path)
        return read_address(r, text);
    if (text[5] != '/')
        return "the path of a Unix socket begins with /";
    r->host = strdup(text + 5);
    return r->host ? NULL : "out of memory";
}

const char *rules_add(struct rules *rules, const char *text)
{
    struct rule *all = realloc(rules->all, (rules->count + 1) * sizeof *all);
    if (!all)
        return "out of memory";
    rules->all = all;
    all[rules->count] = (struct rule){ .host = NULL };
    const char *wrong = read_rule(&all[rules->count], text);
    if (!wrong)
        rules->count++;
    return wrong;
}

void rules_free(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free(rules->all[i].host);
    free(rules->all);
}

/* ---- questions ---- */

static bool has_name(const struct rule *r, const char *host)
{
    return r->host && !r->is_path && strcasecmp(r->host, host) == 0;
}

bool rules_name(const struct rules *rules, const char *host)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!rules->all[i].host || has_name(&rules->all[i], host))
            return true;
    return false;
}

bool rules_path(const struct rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->all[i].is_path && strcmp(rules->all[i].host, path) == 0)
            return true;
    return false;
}

pausable int rules_look_up(const struct rules *rules, const char *host, const char *port,
                           int family, struct addrinfo **found)
{
    const struct addrinfo hints = { .ai_family = family,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_CANONNAME };
    int err = co4_resolve_until(host, port, &hints, found, co4_after(PATIENCE_SECONDS * CO4_SEC));
    for (size_t i = 0; err == CO4_OK && i < rules->count; i++)
        if (has_name(&rules->all[i], host))
            learn(&rules->all[i], *found);
    return err;
}

/* A rule with a name allows the addresses that the name has, and those that it has had. */
static pausable bool allows(const struct rules *rules, const struct rule *r,
                            const struct address *address)
{
    struct addrinfo *found = NULL;
    if (!r->host || knows(r, address))
        return true;
    if (r->is_numeric || rules_look_up(rules, r->host, NULL, AF_UNSPEC, &found) != CO4_OK)
        return false;
    freeaddrinfo(found);
    return knows(r, address);
}

pausable bool rules_address(const struct rules *rules, const struct sockaddr *address)
{
    unsigned port;
    const struct address wanted = address_of(address, &port);
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *r = &rules->all[i];
        if (!r->is_path && port >= r->first && port <= r->last && allows(rules, r, &wanted))
            return true;
    }
    return false;
}
