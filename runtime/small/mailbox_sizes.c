/* mailbox_sizes.c - sends and receives with the sizes that woven code has built in. Programs that
 * are compiled for size call the others, so few link these. */
#include "base/public.h"

int co4_abi_send_4(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return co4_abi_send(co4, mb, msg, 4);
}

int co4_abi_send_8(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return co4_abi_send(co4, mb, msg, 8);
}

int co4_abi_receive_4(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return co4_abi_receive(co4, mb, out, 4);
}

int co4_abi_receive_8(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return co4_abi_receive(co4, mb, out, 8);
}
