/* broadcast.c - waiting to send to all, and for what was sent. */
#include <co4.h>

pausable int co4_broadcast_send_until(co4_broadcast *broadcast, const void *msg, int64_t deadline)
{
    co4_broadcasting sending;
    return co4_await_until(co4_broadcast_sending(&sending, broadcast, msg), NULL, deadline);
}

pausable int co4_broadcast_send(co4_broadcast *broadcast, const void *msg)
{
    return co4_broadcast_send_until(broadcast, msg, CO4_NEVER);
}

pausable int co4_subscriber_receive_until(co4_subscriber *subscriber, void *out, int64_t deadline)
{
    return co4_await_until(co4_subscriber_source(subscriber), out, deadline);
}

pausable int co4_subscriber_receive(co4_subscriber *subscriber, void *out)
{
    return co4_subscriber_receive_until(subscriber, out, CO4_NEVER);
}
