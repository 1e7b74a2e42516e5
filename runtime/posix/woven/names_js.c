/* names_js.c - names of hosts, which a page asks its proxy for: pausable C, and once more plain. */
#ifdef __EMSCRIPTEN__
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/inside.h"
#include "posix/files.h"

#include "co4/posix.h"

#ifdef CO4_PLAIN
#undef CO4__SETTLED
#define CO4__SETTLED(n, call) (n) = (call)
#endif

/* Of a call that is forgotten. */
#define NO_ANSWER (-4095)

CO4__INSIDE pausable int co4_posix_getaddrinfo(const char *host, const char *service,
                                               const struct addrinfo *hints,
                                               struct addrinfo **found)
{
    int n;
    CO4__SETTLED(n, getaddrinfo(host, service, hints, found));
    return n == NO_ANSWER ? EAI_SYSTEM : n;
}

static int h_error_of(int code)
{
    return code == EAI_NONAME ? HOST_NOT_FOUND : code == EAI_AGAIN ? TRY_AGAIN : NO_RECOVERY;
}

/* As of the C library, the result is the program's until the next call. */
static struct hostent *host_of(const struct addrinfo *list)
{
    static struct in_addr hosts[16];
    static char *pointers[17], *aliases[1], name[256];
    static struct hostent host;
    size_t n = 0;
    memcpy(name, list->ai_canonname, strnlen(list->ai_canonname, sizeof name - 1) + 1);
    name[sizeof name - 1] = '\0';
    for (; list && n < 16; list = list->ai_next, n++) {
        hosts[n] = ((const struct sockaddr_in *)(const void *)list->ai_addr)->sin_addr;
        pointers[n] = (char *)&hosts[n];
    }
    pointers[n] = NULL;
    host = (struct hostent){ .h_name = name,
                             .h_aliases = aliases,
                             .h_addrtype = AF_INET,
                             .h_length = sizeof *hosts,
                             .h_addr_list = pointers };
    return &host;
}

CO4__INSIDE pausable struct hostent *co4_posix_gethostbyname(const char *name)
{
    const struct addrinfo hints = { .ai_family = AF_INET,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_flags = AI_CANONNAME };
    struct addrinfo *found;
    int code = co4_posix_getaddrinfo(name, NULL, &hints, &found);
    if (code != 0) {
        h_errno = h_error_of(code);
        return NULL;
    }
    struct hostent *host = host_of(found);
    freeaddrinfo(found);
    return host;
}
#endif
