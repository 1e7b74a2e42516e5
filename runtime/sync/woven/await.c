/* await.c - a wait for one source is a select with one case. */
#include "sync/source.h"

pausable int(co4_await_until)(co4_source *source, void *out, size_t size, int64_t deadline)
{
    co4_case one = { .source = source, .out = out, .size = size };
    int result = co4_select_until(&one, 1, CO4_SELECT_IN_ORDER, deadline);
    return co4__code_of_one(&one, result);
}

pausable int(co4_await)(co4_source *source, void *out, size_t size)
{
    return (co4_await_until)(source, out, size, CO4_NEVER);
}
