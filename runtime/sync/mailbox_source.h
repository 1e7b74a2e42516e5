/* mailbox_source.h - both ends of a mailbox as sources. */
#ifndef CO4_MAILBOX_SOURCE_INTERNAL_H
#define CO4_MAILBOX_SOURCE_INTERNAL_H

#include "sync/mailbox.h"

/* Without the lock: puts, or waits until it can, also when there is no memory but a message. For
 * listeners that want nothing else. */
void co4__mailbox_add_patient(co4_sending *putting, co4_listener *l);

extern const co4_source_ops co4__mailbox_ops, co4__mailbox_urgent_ops;

#endif
