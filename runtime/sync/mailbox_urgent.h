/* mailbox_urgent.h - urgent messages and numbers of messages, for the layers above. */
#ifndef CO4_MAILBOX_URGENT_INTERNAL_H
#define CO4_MAILBOX_URGENT_INTERNAL_H

#include <stddef.h>

#include "sync/mailbox.h"

/* Like co4_mailbox_sending_urgent() and co4_mailbox_holding(), but return a code. */
int co4__mailbox_urgent(co4_sending *sending, co4_mailbox *mb, const void *msg, size_t size);
int co4__mailbox_hold(co4_holding *holding, co4_mailbox *mb, size_t n);
/* Receives the messages that are there into the array `out`, behind the first *got, up to `max`. */
void co4__mailbox_receive_rest(co4_mailbox *mb, void *out, size_t max, size_t *got);

#endif
