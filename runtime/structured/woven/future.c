/* future.c - waiting for futures. */
#include "structured/future.h"

#include "sync/source.h"

pausable int(co4_future_await_until)(co4_future *future, void *out, size_t size, int64_t deadline)
{
#ifdef CO4_PLAIN /* a thread that blocks */
    if (deadline != CO4_NOW)
        co4__future_report_undriven(future);
#endif
    return (co4_await_until)(co4_future_source(future), out, size, deadline);
}

pausable int(co4_future_await)(co4_future *future, void *out, size_t size)
{
    return (co4_future_await_until)(future, out, size, CO4_NEVER);
}
