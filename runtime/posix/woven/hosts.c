/* hosts.c - the older calls for names of hosts, and getnameinfo(), for programs without marks:
 * pausable C, and once more plain. A thread of the pool asks, whose h_errno the caller gets. */
#define _GNU_SOURCE
#include <netdb.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/inside.h"

#include "co4/blocking.h"
#include "co4/posix.h"

/* ---- on a thread of the pool ---- */

static struct hostent *by_name(const char *name, int family, int *why)
{
    struct hostent *found = family == 0 ? gethostbyname(name) : gethostbyname2(name, family);
    *why = h_errno;
    return found;
}

static struct hostent *by_address(const void *address, socklen_t length, int family, int *why)
{
    struct hostent *found = gethostbyaddr(address, length, family);
    *why = h_errno;
    return found;
}

/* ---- the calls ---- */

CO4__INSIDE pausable struct hostent *co4_posix_gethostbyname(const char *name)
{
    int why = 0;
    struct hostent *found = co4_blocking(by_name(name, 0, &why));
    h_errno = why;
    return found;
}

CO4__INSIDE pausable struct hostent *co4_posix_gethostbyname2(const char *name, int family)
{
    int why = 0;
    struct hostent *found = co4_blocking(by_name(name, family, &why));
    h_errno = why;
    return found;
}

CO4__INSIDE pausable struct hostent *co4_posix_gethostbyaddr(const void *address, socklen_t length,
                                                             int family)
{
    int why = 0;
    struct hostent *found = co4_blocking(by_address(address, length, family, &why));
    h_errno = why;
    return found;
}

CO4__INSIDE pausable int co4_posix_gethostbyname_r(const char *name, struct hostent *place,
                                                   char *room, size_t bytes, struct hostent **found,
                                                   int *why)
{
    return co4_blocking(gethostbyname_r(name, place, room, bytes, found, why));
}

CO4__INSIDE pausable int co4_posix_gethostbyname2_r(const char *name, int family,
                                                    struct hostent *place, char *room, size_t bytes,
                                                    struct hostent **found, int *why)
{
    return co4_blocking(gethostbyname2_r(name, family, place, room, bytes, found, why));
}

CO4__INSIDE pausable int co4_posix_gethostbyaddr_r(const void *address, socklen_t length,
                                                   int family, struct hostent *place, char *room,
                                                   size_t bytes, struct hostent **found, int *why)
{
    return co4_blocking(gethostbyaddr_r(address, length, family, place, room, bytes, found, why));
}

CO4__INSIDE pausable int co4_posix_getnameinfo(const struct sockaddr *address, socklen_t length,
                                               char *host, socklen_t host_bytes, char *service,
                                               socklen_t service_bytes, int flags)
{
    if ((!host || (flags & NI_NUMERICHOST)) && (!service || (flags & NI_NUMERICSERV)))
        return getnameinfo(address, length, host, host_bytes, service, service_bytes, flags);
    return co4_blocking(
        getnameinfo(address, length, host, host_bytes, service, service_bytes, flags));
}
