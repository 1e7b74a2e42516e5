/* future.c - waiting for futures. */
#include "sync/source.h"

pausable int(co4_future_await_until)(co4_future *future, void *out, size_t size, int64_t deadline)
{
    return (co4_await_until)(co4_future_source(future), out, size, deadline);
}

pausable int(co4_future_await)(co4_future *future, void *out, size_t size)
{
    return (co4_await)(co4_future_source(future), out, size);
}
