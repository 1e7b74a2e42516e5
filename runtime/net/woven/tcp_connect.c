/* tcp_connect.c - connects to a host by name.
 *
 * A host may have addresses that do not answer. So attempts to its addresses overlap (RFC 8305):
 * the next one starts when one has failed, or DELAY after the last start. All pending attempts are
 * descriptors of one task, which waits for the first that is ready. A cleanup closes those that
 * have not won, however the task ends.
 *
 * Rejected: a task for each attempt (in a plain build they would come one after the other, and each
 * needs frames). */
#define _GNU_SOURCE /* struct addrinfo, whatever -std says */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "io/attempt.h"
#include "net/address.h"
#include "net/attempts.h"

#define DELAY (250 * CO4_MS)

pausable int co4__connect_to(const struct addrinfo *address, int64_t deadline)
{
    __attribute__((cleanup(co4__net_close))) int fd = co4__socket_for(address);
    if (fd < 0 || co4_connect_until(fd, address->ai_addr, address->ai_addrlen, deadline) != 0)
        return co4__wait_code();
    return co4__net_keep(&fd);
}

/* Begins the next attempt. Returns its descriptor if it connects at once, else a code:
 * CO4_ECANCELED if the task is cancelled. *ended: the attempt has failed, so the next one may
 * start. */
static pausable int begin_next(struct co4__attempts *a, bool *ended)
{
    *ended = true;
    if (!co4__attempts_open(a))
        return a->code;
    const struct addrinfo *address = a->addresses[a->next - 1];
    if (co4_connect_until(a->fds[a->pending - 1], address->ai_addr, address->ai_addrlen,
                          co4_now()) == 0)
        return co4__attempts_win(a, a->pending - 1);
    int code = co4_code_of_errno(errno);
    *ended = code != CO4_ETIMEDOUT;
    if (*ended && code != CO4_ECANCELED)
        co4__attempts_fail(a, a->pending - 1, code);
    return code;
}

/* Waits until an attempt has ended, or the next may start. Returns the descriptor that has
 * connected, or a code: CO4_ETIMEDOUT if the caller has to go on. */
static pausable int wait_for_one(struct co4__attempts *a, int64_t until, bool *ended)
{
    int i = co4_select_until(a->cases, co4__attempts_cases(a), CO4_SELECT_IN_ORDER, until);
    *ended = false;
    if (i < 0 && i > CO4_ENDED(0))
        return i;
    if (i < 0)
        i = CO4_ENDED(i);
    int outcome = co4__attempts_outcome(a, i);
    if (outcome > 0)
        return co4__attempts_win(a, i);
    *ended = outcome < 0;
    if (*ended)
        co4__attempts_fail(a, i, outcome);
    return CO4_ETIMEDOUT;
}

static pausable int connect_first(const struct addrinfo *addresses, int64_t deadline)
{
    __attribute__((cleanup(co4__attempts_free))) struct co4__attempts *a = co4__attempts_create(
        addresses);
    int64_t next_at = 0;
    bool ended;
    if (!a)
        return CO4_ENOMEM;
    for (;;) {
        int fd;
        int64_t now = co4_now();
        if (now >= deadline)
            return CO4_ETIMEDOUT;
        if (a->next < a->count && (a->pending == 0 || now >= next_at)) {
            fd = begin_next(a, &ended);
            next_at = co4_now() + DELAY;
        } else if (a->pending == 0) {
            return a->code;
        } else {
            bool more = a->next < a->count && next_at < deadline;
            fd = wait_for_one(a, more ? next_at : deadline, &ended);
            if (fd < 0 && fd != CO4_ETIMEDOUT)
                return fd;
        }
        if (fd >= 0 || fd == CO4_ECANCELED)
            return fd;
        if (ended)
            next_at = 0;
    }
}

pausable int co4_tcp_connect_until(const char *host, const char *port, int64_t deadline)
{
    __attribute__((cleanup(co4__addresses_free))) struct addrinfo *addresses = NULL;
    if (!co4__is_port(port))
        return CO4_EINVAL;
    const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    int code = co4_resolve_until(host, port, &hints, &addresses, deadline);
    if (code != CO4_OK)
        return code;
    return addresses->ai_next ? connect_first(addresses, deadline)
                              : co4__connect_to(addresses, deadline);
}

pausable int co4_tcp_connect(const char *host, const char *port)
{
    return co4_tcp_connect_until(host, port, CO4_NEVER);
}
