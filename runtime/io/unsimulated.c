/* unsimulated.c - systems without sockets: test mode has no network, and so no table of calls. */
#include "base/public.h"
#include "io/ops.h"

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

const struct co4__io_ops *const co4__simulated_io = NULL;
