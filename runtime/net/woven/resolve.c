/* resolve.c - the wait for the answer to a lookup of a name. */
#define _GNU_SOURCE /* struct addrinfo, whatever -std says */
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"
#include "net/address.h"
#include "net/resolver.h"
#include "sync/begin.h"

/* How often the task looks whether a fork has lost the lookup. The timer also keeps its co4_run
 * from ending. */
#define LOOK CO4_SEC

/* Returns a code of getaddrinfo() for one of co4. */
static int eai_of(int code)
{
    if (code == CO4_ENOMEM)
        return EAI_MEMORY;
    co4__io_fails(code);
    return EAI_SYSTEM;
}

pausable int co4__getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                              struct addrinfo **result, int64_t deadline)
{
    int code, err = CO4__BEGIN();
    if (!result)
        return eai_of(CO4_EINVAL);
    *result = NULL;
    if (err != CO4_OK)
        return eai_of(err);
    if (!host && !service)
        return EAI_NONAME;
    if (co4__lookup_at_once(host, service, hints, result, &code))
        return code;
    if (co4_now() >= deadline)
        return eai_of(CO4_ETIMEDOUT);
    __attribute__((cleanup(co4__lookup_end))) struct co4__lookup *lookup = co4__lookup_begin(
        host, service, hints);
    if (!lookup)
        return EAI_MEMORY;
    for (;;) {
        int64_t look_at = co4_now() + LOOK, until = look_at < deadline ? look_at : deadline;
        err = co4_future_await_until(co4__lookup_future(lookup), NULL, until);
        if (err == CO4_OK || (err == CO4_ETIMEDOUT && co4__lookup_is_over(lookup)))
            return co4__lookup_take(lookup, result);
        if (err != CO4_ETIMEDOUT || co4_now() >= deadline)
            return eai_of(err);
    }
}

pausable int co4_resolve_until(const char *host, const char *service, const struct addrinfo *hints,
                               struct addrinfo **result, int64_t deadline)
{
    return co4__name_code(co4__getaddrinfo(host, service, hints, result, deadline));
}

pausable int co4_resolve(const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result)
{
    return co4_resolve_until(host, service, hints, result, CO4_NEVER);
}
