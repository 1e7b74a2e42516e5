/* accept.c - accepts the next connection of a server, also when descriptors are short. */
#define _GNU_SOURCE /* SOCK_CLOEXEC, whatever -std says */
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "io/attempt.h"
#include "net/address.h"
#include "net/shortage.h"

/* Returns a descriptor or a code. */
static pausable int accept_one(int listener, int64_t deadline)
{
    struct sockaddr peer = { .sa_family = AF_UNSPEC }; /* only its family matters */
    socklen_t length = sizeof peer;
    int fd;
    do {
        fd = co4_accept4_until(listener, &peer, &length, SOCK_CLOEXEC, deadline);
        fd = fd >= 0 ? fd : co4__wait_code();
    } while (co4__is_lost_connection(fd));
    if (fd >= 0)
        co4__set_nodelay(fd, peer.sa_family);
    return fd;
}

/* The accept has just failed, and would fail again. */
static pausable int accept_short(int listener, int64_t deadline)
{
    __attribute__((
        cleanup(co4__shortage_end))) struct co4__shortage shortage = { .listener = NULL };
    if (!co4__shortage_begin(&shortage, listener))
        return CO4_ECLOSED;
    for (;;) {
        co4__shortage_look(&shortage);
        int fd = accept_one(listener, deadline);
        if (!co4__is_shortage(fd))
            return fd;
        int64_t until = co4__shortage_cases(&shortage, deadline);
        int result = co4_select_until(shortage.cases, 2, CO4_SELECT_IN_ORDER, until);
        int code = co4__shortage_waited(&shortage, result, deadline);
        if (code != CO4_OK)
            return code;
    }
}

pausable int co4_accept_next_until(int listener, int64_t deadline)
{
    int fd = accept_one(listener, deadline);
    return co4__is_shortage(fd) ? accept_short(listener, deadline) : fd;
}

pausable int co4_accept_next(int listener)
{
    return co4_accept_next_until(listener, CO4_NEVER);
}
