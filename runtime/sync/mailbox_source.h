/* mailbox_source.h - both ends of a mailbox as sources. */
#ifndef CO4_MAILBOX_SOURCE_INTERNAL_H
#define CO4_MAILBOX_SOURCE_INTERNAL_H

#include "sync/mailbox.h"

/* Called without the lock. Sends, or queues the listener until it can; it also waits when an
 * allocation fails and there is a message. Only for listeners that wait for nothing else. */
void co4__mailbox_add_patient(co4_sending *sending, co4_listener *l);

extern const co4_source_ops co4__mailbox_ops, co4__mailbox_urgent_ops;

#endif
