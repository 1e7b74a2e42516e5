/* broadcast.c - waiting to send to all subscribers, and to receive. */
#include <co4.h>

pausable int(co4_broadcast_send_until)(co4_broadcast *broadcast, const void *msg, size_t size,
                                       int64_t deadline)
{
    co4_broadcasting sending;
    int err = co4_await_until((co4_broadcast_sending)(&sending, broadcast, msg, size), NULL,
                              deadline);
    return err == CO4_EEMPTY ? CO4_EFULL : err;
}

pausable int(co4_broadcast_send)(co4_broadcast *broadcast, const void *msg, size_t size)
{
    return (co4_broadcast_send_until)(broadcast, msg, size, CO4_NEVER);
}

pausable int(co4_subscriber_receive_until)(co4_subscriber *subscriber, void *out, size_t size,
                                           int64_t deadline)
{
    return (co4_await_until)(co4_subscriber_source(subscriber), out, size, deadline);
}

pausable int(co4_subscriber_receive)(co4_subscriber *subscriber, void *out, size_t size)
{
    return (co4_subscriber_receive_until)(subscriber, out, size, CO4_NEVER);
}
