/* mailbox_lists.h - the wait queues of a mailbox. */
#ifndef CO4_MAILBOX_LISTS_INTERNAL_H
#define CO4_MAILBOX_LISTS_INTERNAL_H

#include <stdbool.h>

#include "sync/mailbox.h"

/* Called under the lock. Returns the queue for listeners that have refused; the extension
 * exists. */
struct co4__wait_queue *co4__mailbox_aside(co4_mailbox *mb, unsigned kind);
/* Requeue the listeners that have refused, so that they are asked again. of_message: another
 * message is the oldest, or there is none. of_room: a place has become free. The extension
 * exists. */
void co4__mailbox_ask_of_message(co4_mailbox *mb);
void co4__mailbox_ask_of_room(co4_mailbox *mb);
/* Removes a listener, or a mark, from its queue. */
void co4__mailbox_node_leaves(co4_mailbox *mb, struct co4__waiter *w);
/* The same without the lock, and only if it is still queued. */
void co4__mailbox_node_drop(co4_mailbox *mb, co4_listener *l);
/* Return whether a sender waits that has not been notified of a free place, or a receiver although
 * there are messages. A thread that has yielded the lock will serve it. */
bool co4__mailbox_sender_late(const co4_mailbox *mb);
bool co4__mailbox_receiver_late(const co4_mailbox *mb);
/* Called under the lock, which it releases for moments. Returns whether there are no waiters. */
bool co4__mailbox_clear(co4_mailbox *mb);

#endif
