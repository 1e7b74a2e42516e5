/* handshake.c - TLS: the calls that wait. Pausable C, and once more plain. */
#include <poll.h>
#include <stdint.h>

#include "tls.h"

#include "co4/io.h"
#include "co4/time.h"

static void destroy(struct co4__tls **t)
{
    if (*t)
        co4__tls_destroy(*t);
}

/* Begins a connection, and shakes hands. A cleanup: the task may end for lack of memory. */
static pausable int shake_hands(co4_conn **c, co4_tls_config *config, bool server, int fd,
                                const char *host, int64_t deadline)
{
    __attribute__((cleanup(destroy))) struct co4__tls *t = NULL;
    if (!c)
        return co4__tls_fails(CO4_EINVAL, NULL);
    *c = NULL;
    int n = co4__tls_begin(&t, config, server, fd, host);
    if (n != CO4_OK)
        return n;
    while ((n = co4__tls_try_handshake(t)) == CO4_WANTS_READ || n == CO4_WANTS_WRITE) {
        int err = co4_fd_wait_until(t->fd, n == CO4_WANTS_READ ? POLLIN : POLLOUT, deadline);
        /* A peer that always has another byte does not stop the deadline. */
        if (err == CO4_OK && deadline != CO4_NEVER && co4_now() >= deadline)
            err = CO4_ETIMEDOUT;
        if (err != CO4_OK)
            return co4__tls_fails(err, NULL);
    }
    if (n == CO4_OK)
        n = co4__tls_finish(c, t);
    if (n == CO4_OK)
        t = NULL;
    return n;
}

pausable int co4_tls_connect_until(co4_conn **c, co4_tls_config *config, int fd, const char *host,
                                   int64_t deadline)
{
    return shake_hands(c, config, false, fd, host, deadline);
}

pausable int co4_tls_accept_until(co4_conn **c, co4_tls_config *config, int fd, int64_t deadline)
{
    return shake_hands(c, config, true, fd, NULL, deadline);
}

pausable int co4_tls_connect(co4_conn **c, co4_tls_config *config, int fd, const char *host)
{
    return co4_tls_connect_until(c, config, fd, host, CO4_NEVER);
}

pausable int co4_tls_accept(co4_conn **c, co4_tls_config *config, int fd)
{
    return co4_tls_accept_until(c, config, fd, CO4_NEVER);
}
