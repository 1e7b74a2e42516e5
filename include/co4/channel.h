/* co4/channel.h - values handed from task to task.
 *
 * A channel is a mailbox (mailbox.h) under the names that its users expect, and with two more
 * capacities:
 *
 *     co4_channel_create(size, 0)               rendezvous: a send ends when it has been received
 *     co4_channel_create(size, n)               buffered
 *     co4_channel_create(size, CO4_UNBOUNDED)   a send never waits, and may be CO4_ENOMEM
 *
 * Every function of mailbox.h takes a channel as well. After co4_channel_close() a send is
 * CO4_ECLOSED, a receive takes what is left, and is CO4_ECLOSED then: a code, never a crash.
 * */
#ifndef CO4_CHANNEL_H
#define CO4_CHANNEL_H

#include "mailbox.h"
#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef co4_mailbox co4_channel;

#define CO4_UNBOUNDED SIZE_MAX

/* As co4_mailbox_create() and co4_mailbox_make(), with these capacities. */
CO4_MUST_USE co4_channel *co4_channel_create(size_t elem_size, size_t capacity);
int co4_channel_make(co4_channel **channel, size_t elem_size, size_t capacity);

/* As their counterparts in mailbox.h; what does not wait cannot meet anybody in a rendezvous
 * channel but who waits already. */
#define co4_channel_destroy          co4_mailbox_destroy
#define co4_channel_close            co4_mailbox_close
#define co4_channel_is_closed        co4_mailbox_is_closed
#define co4_channel_send             co4_mailbox_put
#define co4_channel_try_send         co4_mailbox_try_put
#define co4_channel_send_until       co4_mailbox_put_until
#define co4_channel_send_block       co4_mailbox_put_block
#define co4_channel_send_block_until co4_mailbox_put_block_until
#define co4_channel_recv             co4_mailbox_get
#define co4_channel_try_recv         co4_mailbox_try_get
#define co4_channel_recv_until       co4_mailbox_get_until
#define co4_channel_recv_block       co4_mailbox_get_block
#define co4_channel_recv_block_until co4_mailbox_get_block_until
#define co4_channel_source           co4_mailbox_source
#define co4_channel_sending          co4_mailbox_putting
typedef co4_putting co4_sending;

#ifdef __cplusplus
}
#endif

#endif
