/* unsimulated.c - systems without sockets: test mode has no network. No descriptor is of the kind
 * CO4__VIRTUAL, so the calls on them are never made. */
#include "io/simulated.h"

#include <errno.h>

#include "base/public.h"

int co4_test_network(const co4_test_network_options *options)
{
    (void)options;
    return CO4_ESTATE;
}

int co4_test_network_partition(const char *a, const char *b, int on)
{
    (void)a, (void)b, (void)on;
    return CO4_ESTATE;
}

int co4_test_network_result_of(co4_test_network_result *out)
{
    (void)out;
    return CO4_ESTATE;
}

static int not_here(void)
{
    errno = ENOSYS;
    return -1;
}

ssize_t co4__simulated_receive(const struct co4__descriptor *d, struct msghdr *m, int flags)
{
    (void)d, (void)m, (void)flags;
    return not_here();
}

ssize_t co4__simulated_send(const struct co4__descriptor *d, const struct msghdr *m, int flags)
{
    (void)d, (void)m, (void)flags;
    return not_here();
}

bool co4__simulated_is_drained(const struct co4__descriptor *d)
{
    (void)d;
    return false;
}

bool co4__simulated_is_stream(const struct co4__descriptor *d)
{
    (void)d;
    return false;
}

int co4__simulated_accept(const struct co4__descriptor *d, struct sockaddr *address,
                          socklen_t *length)
{
    (void)d, (void)address, (void)length;
    return not_here();
}

int co4__simulated_shutdown(const struct co4__descriptor *d, int how)
{
    (void)d, (void)how;
    return not_here();
}

int co4__simulated_getsockopt(const struct co4__descriptor *d, int level, int option, void *value,
                              socklen_t *length)
{
    (void)d, (void)level, (void)option, (void)value, (void)length;
    return not_here();
}

int co4__simulated_wait(struct co4__descriptor *d, int direction, int64_t deadline)
{
    (void)d, (void)direction, (void)deadline;
    return CO4_ESTATE;
}
