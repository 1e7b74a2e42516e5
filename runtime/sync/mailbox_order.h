/* mailbox_order.h - the order of messages. */
#ifndef CO4_MAILBOX_ORDER_INTERNAL_H
#define CO4_MAILBOX_ORDER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/mailbox.h"

/* All under the mailbox's lock. */

/* Behind the urgent ones; as push. `more` is there. */
void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg);
/* The i-th oldest; there are so many. */
void *co4__mailbox_at(co4_mailbox *mb, uint32_t i);
/* The looker begins at the i-th oldest message, or behind all; `more` is there. */
void co4__mailbox_look_begins(co4_mailbox *mb, struct co4__looker *l, uint32_t i);
/* From there on it looks at the i-th oldest. Which one that is now. */
void co4__mailbox_look_at(co4_mailbox *mb, struct co4__looker *l, uint32_t i);
uint32_t co4__mailbox_looks_at(const co4_mailbox *mb, const struct co4__looker *l);
void co4__mailbox_look_ends(co4_mailbox *mb, const struct co4__looker *l);
/* A message was taken from the head: the next urgent one comes there. */
void co4__mailbox_oldest_gone(co4_mailbox *mb);
/* The i-th oldest, not the oldest, is taken out and leaves a gap; there was none. */
void co4__mailbox_begin_gap(co4_mailbox *mb, uint32_t i);
/* Moves the gap some way towards the head. True: it has closed. */
bool co4__mailbox_move_gap(co4_mailbox *mb);

#endif
