/* mailbox.c - the uncommon waits at a mailbox. */
#include "sync/mailbox.h"

#include "sync/mailbox_urgent.h"
#include "sync/source.h"

pausable int(co4_mailbox_send_urgent_until)(co4_mailbox *mb, const void *msg, size_t size,
                                            int64_t deadline)
{
    co4_sending sending;
    int err = co4__mailbox_urgent(&sending, mb, msg, size);
    if (err != CO4_OK)
        return co4__spent(err);
    err = co4_await_until(&sending.source, NULL, deadline);
    return err == CO4_EEMPTY ? CO4_EFULL : err;
}

pausable int(co4_mailbox_send_urgent)(co4_mailbox *mb, const void *msg, size_t size)
{
    return (co4_mailbox_send_urgent_until)(mb, msg, size, CO4_NEVER);
}

pausable int co4_mailbox_wait_until(co4_mailbox *mb, size_t n, int64_t deadline)
{
    co4_holding holding;
    int err = co4__mailbox_hold(&holding, mb, n);
    return err == CO4_OK ? co4_await_until(&holding.source, NULL, deadline) : co4__spent(err);
}

pausable int co4_mailbox_wait(co4_mailbox *mb, size_t n)
{
    return co4_mailbox_wait_until(mb, n, CO4_NEVER);
}

/* Waits for the first message as a common receive, then takes the messages that are there. */
pausable int(co4_mailbox_receive_many_until)(co4_mailbox *mb, void *out, size_t size, size_t max,
                                             size_t *got, int64_t deadline)
{
    if (!mb || !out || size != mb->ring.elem_size || max == 0 || !got)
        return co4__spent(CO4_EINVAL);
    *got = 0;
    int err = (co4_mailbox_receive_until)(mb, out, size, deadline);
    if (err != CO4_OK)
        return err;
    *got = 1;
    co4__mailbox_receive_rest(mb, out, max, got);
    return CO4_OK;
}

pausable int(co4_mailbox_receive_many)(co4_mailbox *mb, void *out, size_t size, size_t max,
                                       size_t *got)
{
    return (co4_mailbox_receive_many_until)(mb, out, size, max, got, CO4_NEVER);
}
