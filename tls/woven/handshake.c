/* handshake.c - TLS: the calls that wait. Pausable C, and once more plain. */
#include <errno.h>
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
static pausable co4_conn *shake_hands(co4_tls_config *config, bool server, int fd, const char *host,
                                      int64_t deadline)
{
    int wants;
    __attribute__((cleanup(destroy))) struct co4__tls *t = NULL;
    t = co4__tls_begin(config, server, fd, host);
    if (!t)
        return NULL;
    while ((wants = co4__tls_try_handshake(t)) < -1) {
        int direction = wants == CO4_WANTS_READ ? POLLIN : POLLOUT;
        if (co4_fd_wait_until(t->fd, direction, deadline) != 0) {
            wants = co4__tls_fails(CO4_TLS_SYSTEM, errno, NULL);
            break;
        }
        /* A peer that always has another byte does not stop the deadline. */
        if (deadline != CO4_NEVER && co4_now() >= deadline) {
            wants = co4__tls_fails(CO4_TLS_SYSTEM, ETIMEDOUT, NULL);
            break;
        }
    }
    co4_conn *c = wants == 0 ? co4__tls_finish(t) : NULL;
    if (c)
        t = NULL;
    return c;
}

pausable co4_conn *co4_tls_connect_until(co4_tls_config *config, int fd, const char *host,
                                         int64_t deadline)
{
    return shake_hands(config, false, fd, host, deadline);
}

pausable co4_conn *co4_tls_accept_until(co4_tls_config *config, int fd, int64_t deadline)
{
    return shake_hands(config, true, fd, NULL, deadline);
}

pausable co4_conn *co4_tls_connect(co4_tls_config *config, int fd, const char *host)
{
    return co4_tls_connect_until(config, fd, host, CO4_NEVER);
}

pausable co4_conn *co4_tls_accept(co4_tls_config *config, int fd)
{
    return co4_tls_accept_until(config, fd, CO4_NEVER);
}
