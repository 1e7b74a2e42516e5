/* future_collector.c - waiting for the next future. */
#include "sync/source.h"

pausable int co4_collector_next_until(co4_collector *collector, co4_future **future,
                                      int64_t deadline)
{
    return future ? co4_await_until(co4_collector_source(collector), future, deadline)
                  : co4__spent(CO4_EINVAL);
}

pausable int co4_collector_next(co4_collector *collector, co4_future **future)
{
    return co4_collector_next_until(collector, future, CO4_NEVER);
}
