/* mailbox_lists.h - the lists in which tasks and listeners wait at a mailbox. */
#ifndef CO4_MAILBOX_LISTS_INTERNAL_H
#define CO4_MAILBOX_LISTS_INTERNAL_H

#include <stdbool.h>

#include "sync/mailbox.h"

/* Under the lock. Where those of this kind (CO4__WAIT_RECEIVE, CO4__WAIT_SEND) stand,
 * and where the next one is to: a list with no other kind. Where those stand that have refused what
 * is there; `more` is there. */
struct co4__wait_queue *co4__mailbox_list(co4_mailbox *mb, unsigned kind);
struct co4__wait_queue *co4__mailbox_aside(co4_mailbox *mb, unsigned kind);
/* Another message is the oldest, or there is none; a place has come free: they are to be asked
 * again. `more` is there. */
void co4__mailbox_ask_of_message(co4_mailbox *mb);
void co4__mailbox_ask_of_room(co4_mailbox *mb);
/* A listener, or a mark, leaves the list that it stands in. */
void co4__mailbox_node_leaves(co4_mailbox *mb, co4_task *node);
/* The same without the lock, if it stands in one still. */
void co4__mailbox_node_drop(co4_mailbox *mb, co4_listener *l);
/* One of this kind is to be listed. True: look again, for the lock was let go, so that there is a
 * list for each kind. */
bool co4__mailbox_parts(co4_mailbox *mb, unsigned kind);
/* Does a sender wait that has not been told of a place, or a receiver although there are messages?
 * If so, a thread that rests is to serve it. */
bool co4__mailbox_sender_late(const co4_mailbox *mb);
bool co4__mailbox_receiver_late(const co4_mailbox *mb);
/* Under the lock, which is let go for moments: does nobody wait? */
bool co4__mailbox_clear(co4_mailbox *mb);

#endif
