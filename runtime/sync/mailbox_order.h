/* mailbox_order.h - the order of messages. */
#ifndef CO4_MAILBOX_ORDER_INTERNAL_H
#define CO4_MAILBOX_ORDER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/mailbox.h"

/* All functions are called under the mailbox's lock. */

/* Like push, but behind the urgent messages only. The extension exists. */
void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg);
/* Returns the i-th oldest message, which exists. */
void *co4__mailbox_at(co4_mailbox *mb, uint32_t i);
/* The looker begins at the i-th oldest message, or behind all. The extension exists. */
void co4__mailbox_look_begins(co4_mailbox *mb, struct co4__looker *l, uint32_t i);
/* look_at: the looker moves to the i-th oldest. looks_at: returns which one it looks at now. */
void co4__mailbox_look_at(co4_mailbox *mb, struct co4__looker *l, uint32_t i);
uint32_t co4__mailbox_looks_at(const co4_mailbox *mb, const struct co4__looker *l);
void co4__mailbox_look_ends(co4_mailbox *mb, const struct co4__looker *l);
/* The message at the head was removed: the next urgent one moves there. */
void co4__mailbox_oldest_gone(co4_mailbox *mb);
/* Removes the i-th oldest, which is not the oldest, and leaves a gap; there was none. */
void co4__mailbox_begin_gap(co4_mailbox *mb, uint32_t i);
/* Moves the gap some way towards the head. True: it has closed. */
bool co4__mailbox_move_gap(co4_mailbox *mb);

#endif
