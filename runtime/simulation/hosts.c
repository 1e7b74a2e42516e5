/* hosts.c - names of hosts of a program of --auto=test: a table, as a server of names may answer
 * differently each time.
 *
 * It has localhost, the name of the machine, and what CO4_TEST_HOSTS says: "NAME=ADDRESS,…".
 * Numeric addresses are what they always are; another name is none. The name of an address is the
 * first one that has it. Names of services are those of the system's table, a file. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "posix/decides.h"
#include "posix/wraps.h"
#include "simulation/machine.h"

CO4__WRAPS(getaddrinfo, (const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result));

enum { ADDRESS = 64 };

/* Copies the first address of a name that the environment has, of this family or any. */
static bool find_in(const char *table, const char *host, int family, char address[ADDRESS])
{
    size_t bytes = strlen(host);
    for (const char *at = table, *next; at; at = next) {
        next = strchr(at, ',');
        next = next ? next + 1 : NULL;
        if (strncasecmp(at, host, bytes) != 0 || at[bytes] != '=')
            continue;
        size_t length = strcspn(at + bytes + 1, ",");
        bool is_six = memchr(at + bytes + 1, ':', length) != NULL;
        if (family != AF_UNSPEC && is_six != (family == AF_INET6))
            continue;
        if (length >= ADDRESS)
            return false;
        memcpy(address, at + bytes + 1, length);
        address[length] = '\0';
        return true;
    }
    return false;
}

static bool find_address(const char *host, int family, char address[ADDRESS])
{
    if (find_in(getenv("CO4_TEST_HOSTS"), host, family, address))
        return true;
    if (strcasecmp(host, "localhost") != 0 && strcasecmp(host, co4__machine_name()) != 0)
        return false;
    snprintf(address, ADDRESS, "%s", family == AF_INET6 ? "::1" : "127.0.0.1");
    return true;
}

/* A host that has IPv4 alone may be asked for as one of IPv6. */
static bool find_mapped(const char *host, const struct addrinfo *hints, char address[ADDRESS])
{
    char four[ADDRESS];
    if (hints->ai_family != AF_INET6 || !(hints->ai_flags & AI_V4MAPPED) ||
        !find_address(host, AF_INET, four))
        return false;
    snprintf(address, ADDRESS, "::ffff:%.*s", INET_ADDRSTRLEN, four);
    return true;
}

/* Threads that ask for others come here, too: so it is the process that is asked. */
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **result)
{
    char address[ADDRESS];
    struct addrinfo numeric = { 0 };
    if (!co4__posix_decides || !host)
        return __real_getaddrinfo(host, service, hints, result);
    if (hints)
        numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    int err = __real_getaddrinfo(host, service, &numeric, result);
    if (err != EAI_NONAME || (hints && (hints->ai_flags & AI_NUMERICHOST)) ||
        (!find_address(host, numeric.ai_family, address) && !find_mapped(host, &numeric, address)))
        return err;
    return __real_getaddrinfo(address, service, &numeric, result);
}

/* ---- the older calls ---- */

/* An address, as bytes. */
struct numeric {
    int family;
    socklen_t bytes;
    unsigned char at[sizeof(struct in6_addr)];
};

static bool read_address(int family, const char *text, struct numeric *n)
{
    n->family = family;
    n->bytes = family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
    return inet_pton(family, text, n->at) == 1;
}

static bool find_numeric(const char *host, int family, struct numeric *n)
{
    char address[ADDRESS];
    return read_address(family, host, n) ||
           (find_address(host, family, address) && read_address(family, address, n));
}

/* The first name in the table that has this address. */
static bool find_name(const struct numeric *n, char name[NI_MAXHOST])
{
    struct numeric other;
    char address[ADDRESS];
    if (find_numeric("localhost", n->family, &other) && memcmp(other.at, n->at, n->bytes) == 0) {
        memcpy(name, "localhost", sizeof "localhost");
        return true;
    }
    for (const char *at = getenv("CO4_TEST_HOSTS"); at && *at; at += *at == ',') {
        size_t bytes = strcspn(at, "=,");
        if (bytes < NI_MAXHOST && at[bytes] == '=') {
            memcpy(name, at, bytes);
            name[bytes] = '\0';
            if (find_in(at, name, n->family, address) && read_address(n->family, address, &other) &&
                memcmp(other.at, n->at, n->bytes) == 0)
                return true;
        }
        at += strcspn(at, ",");
    }
    return false;
}

/* What a hostent points to. */
struct host_room {
    char *names[1], *addresses[2], address[16], name[];
};

/* Returns 0, or ERANGE: there is too little room. */
static int put_host(const char *name, const struct numeric *n, struct hostent *host, char *room,
                    size_t bytes)
{
    size_t skips = -(uintptr_t)room % sizeof(char *), length = strlen(name) + 1;
    if (bytes < skips + sizeof(struct host_room) + length)
        return ERANGE;
    struct host_room *r = (struct host_room *)(void *)(room + skips);
    memcpy(r->name, name, length);
    memcpy(r->address, n->at, n->bytes);
    r->names[0] = r->addresses[1] = NULL;
    r->addresses[0] = r->address;
    *host = (struct hostent){ r->name, r->names, n->family, (int)n->bytes, r->addresses };
    return 0;
}

#define NAME_R                                                                                     \
    (const char *name, struct hostent *host, char *room, size_t bytes, struct hostent **found,     \
     int *why)
#define NAME2_R                                                                                    \
    (const char *name, int family, struct hostent *host, char *room, size_t bytes,                 \
     struct hostent **found, int *why)
#define ADDRESS_R                                                                                  \
    (const void *address, socklen_t length, int family, struct hostent *host, char *room,          \
     size_t bytes, struct hostent **found, int *why)
CO4__WRAPS(gethostbyname_r, NAME_R);
CO4__WRAPS(gethostbyname2_r, NAME2_R);
CO4__WRAPS(gethostbyaddr_r, ADDRESS_R);

static int by_name(const char *name, int family, struct hostent *host, char *room, size_t bytes,
                   struct hostent **found, int *why)
{
    struct numeric n;
    *found = NULL;
    *why = HOST_NOT_FOUND;
    if (!find_numeric(name, family, &n))
        return 0;
    int err = put_host(name, &n, host, room, bytes);
    *why = err == 0 ? 0 : NETDB_INTERNAL;
    *found = err == 0 ? host : NULL;
    return err;
}

int __wrap_gethostbyname_r NAME_R
{
    return co4__posix_decides ? by_name(name, AF_INET, host, room, bytes, found, why)
                              : __real_gethostbyname_r(name, host, room, bytes, found, why);
}

int __wrap_gethostbyname2_r NAME2_R
{
    if (!co4__posix_decides || (family != AF_INET && family != AF_INET6))
        return __real_gethostbyname2_r(name, family, host, room, bytes, found, why);
    return by_name(name, family, host, room, bytes, found, why);
}

int __wrap_gethostbyaddr_r ADDRESS_R
{
    struct numeric n = { .family = family, .bytes = length };
    char name[NI_MAXHOST];
    if (!co4__posix_decides || (family != AF_INET && family != AF_INET6) ||
        length != (family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr)))
        return __real_gethostbyaddr_r(address, length, family, host, room, bytes, found, why);
    memcpy(n.at, address, length);
    *found = NULL;
    *why = HOST_NOT_FOUND;
    if (!find_name(&n, name))
        return 0;
    int err = put_host(name, &n, host, room, bytes);
    *why = err == 0 ? 0 : NETDB_INTERNAL;
    *found = err == 0 ? host : NULL;
    return err;
}

/* Their results stay until the next call. */
static struct {
    struct hostent host;
    char room[sizeof(struct host_room) + NI_MAXHOST + sizeof(char *)];
} last;

struct hostent *__wrap_gethostbyname2(const char *name, int family);
struct hostent *__real_gethostbyname2(const char *name, int family);
struct hostent *__wrap_gethostbyname2(const char *name, int family)
{
    struct hostent *found;
    int why;
    if (!co4__posix_decides)
        return __real_gethostbyname2(name, family);
    __wrap_gethostbyname2_r(name, family, &last.host, last.room, sizeof last.room, &found, &why);
    h_errno = why;
    return found;
}

struct hostent *__wrap_gethostbyname(const char *name);
struct hostent *__real_gethostbyname(const char *name);
struct hostent *__wrap_gethostbyname(const char *name)
{
    return co4__posix_decides ? __wrap_gethostbyname2(name, AF_INET) : __real_gethostbyname(name);
}

struct hostent *__wrap_gethostbyaddr(const void *address, socklen_t length, int family);
struct hostent *__real_gethostbyaddr(const void *address, socklen_t length, int family);
struct hostent *__wrap_gethostbyaddr(const void *address, socklen_t length, int family)
{
    struct hostent *found;
    int why;
    if (!co4__posix_decides)
        return __real_gethostbyaddr(address, length, family);
    __wrap_gethostbyaddr_r(address, length, family, &last.host, last.room, sizeof last.room, &found,
                           &why);
    h_errno = why;
    return found;
}

/* ---- the name of an address ---- */

#define NAMEINFO                                                                                   \
    (const struct sockaddr *address, socklen_t length, char *host, socklen_t host_bytes,           \
     char *service, socklen_t service_bytes, int flags)
CO4__WRAPS(getnameinfo, NAMEINFO);

/* Returns whether it is an address that may have a name. */
static bool numeric_of(const struct sockaddr *address, socklen_t length, struct numeric *n)
{
    if (!address || length < sizeof(sa_family_t))
        return false;
    n->family = address->sa_family;
    n->bytes = n->family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
    if (n->family == AF_INET && length >= sizeof(struct sockaddr_in))
        memcpy(n->at, &((const struct sockaddr_in *)(const void *)address)->sin_addr, n->bytes);
    else if (n->family == AF_INET6 && length >= sizeof(struct sockaddr_in6))
        memcpy(n->at, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, n->bytes);
    else
        return false;
    return true;
}

int __wrap_getnameinfo NAMEINFO
{
    struct numeric n;
    char name[NI_MAXHOST];
    if (!co4__posix_decides || (flags & NI_NUMERICHOST) || !host || host_bytes == 0 ||
        !numeric_of(address, length, &n))
        return __real_getnameinfo(address, length, host, host_bytes, service, service_bytes, flags);
    if (!find_name(&n, name)) {
        if (flags & NI_NAMEREQD)
            return EAI_NONAME;
        return __real_getnameinfo(address, length, host, host_bytes, service, service_bytes,
                                  flags | NI_NUMERICHOST);
    }
    if (strlen(name) >= host_bytes)
        return EAI_OVERFLOW;
    memcpy(host, name, strlen(name) + 1);
    return service && service_bytes > 0
               ? __real_getnameinfo(address, length, NULL, 0, service, service_bytes,
                                    (flags & ~NI_NAMEREQD) | NI_NUMERICHOST)
               : 0;
}
