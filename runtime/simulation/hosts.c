/* hosts.c - names of hosts of a program of --auto=test: a table, as a server of names may answer
 * differently each time.
 *
 * It has localhost, and what CO4_TEST_HOSTS says: "NAME=ADDRESS,…". Numeric addresses are what they
 * always are; another name is none. */
#define _GNU_SOURCE
#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "posix/decides.h"
#include "posix/wraps.h"

CO4__WRAPS(getaddrinfo, (const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result));

enum { ADDRESS = 64 };

/* Copies the address of a name that the environment has. */
static bool find_in(const char *table, const char *host, char address[ADDRESS])
{
    size_t bytes = strlen(host);
    for (const char *at = table, *next; at; at = next) {
        next = strchr(at, ',');
        next = next ? next + 1 : NULL;
        if (strncasecmp(at, host, bytes) != 0 || at[bytes] != '=')
            continue;
        size_t length = strcspn(at + bytes + 1, ",");
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
    if (strcasecmp(host, "localhost") != 0)
        return find_in(getenv("CO4_TEST_HOSTS"), host, address);
    snprintf(address, ADDRESS, "%s", family == AF_INET6 ? "::1" : "127.0.0.1");
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
        !find_address(host, numeric.ai_family, address))
        return err;
    return __real_getaddrinfo(address, service, &numeric, result);
}
