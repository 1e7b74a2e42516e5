/* inbox.c - waiting at an inbox: each wait is that for a source. */
#include <co4.h>

static int sent(int err)
{
    return err == CO4_EEMPTY ? CO4_EFULL : err; /* CO4_NOW */
}

pausable int(co4_inbox_send_until)(co4_inbox *inbox, const void *msg, size_t size, int64_t deadline)
{
    co4_inbox_wait_at at;
    return sent(co4_await_until((co4_inbox_sending)(&at, inbox, msg, size), NULL, deadline));
}

pausable int(co4_inbox_send)(co4_inbox *inbox, const void *msg, size_t size)
{
    return (co4_inbox_send_until)(inbox, msg, size, CO4_NEVER);
}

pausable int(co4_inbox_send_urgent_until)(co4_inbox *inbox, const void *msg, size_t size,
                                          int64_t deadline)
{
    co4_inbox_wait_at at;
    return sent(co4_await_until((co4_inbox_sending_urgent)(&at, inbox, msg, size), NULL, deadline));
}

pausable int(co4_inbox_send_urgent)(co4_inbox *inbox, const void *msg, size_t size)
{
    return (co4_inbox_send_urgent_until)(inbox, msg, size, CO4_NEVER);
}

pausable int(co4_inbox_receive_until)(co4_inbox *inbox, void *out, size_t size, int64_t deadline)
{
    return (co4_await_until)(out ? co4_inbox_source(inbox) : NULL, out, size, deadline);
}

pausable int(co4_inbox_receive)(co4_inbox *inbox, void *out, size_t size)
{
    return (co4_inbox_receive_until)(inbox, out, size, CO4_NEVER);
}

pausable int co4_inbox_wait_until(co4_inbox *inbox, size_t n, int64_t deadline)
{
    co4_inbox_wait_at at;
    return co4_await_until(co4_inbox_holding(&at, inbox, n), NULL, deadline);
}

pausable int co4_inbox_wait(co4_inbox *inbox, size_t n)
{
    return co4_inbox_wait_until(inbox, n, CO4_NEVER);
}
