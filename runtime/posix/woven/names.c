/* names.c - getaddrinfo() for programs without marks: pausable C, and once more plain. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inside.h"
#include "net/resolver.h"

#include "co4/posix.h"
#include "co4/time.h"

CO4__INSIDE pausable int co4_posix_getaddrinfo(const char *host, const char *service,
                                               const struct addrinfo *hints,
                                               struct addrinfo **result)
{
    return co4__getaddrinfo(host, service, hints, result, CO4_NEVER);
}
