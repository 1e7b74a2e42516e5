/* mailbox.c - a receive of several messages. */
#include "sync/mailbox.h"

#include "sync/source.h"

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
