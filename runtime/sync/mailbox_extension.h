/* mailbox_extension.h - the state that few mailboxes need, and the calls of subscribers. */
#ifndef CO4_MAILBOX_EXTENSION_INTERNAL_H
#define CO4_MAILBOX_EXTENSION_INTERNAL_H

#include "sync/mailbox.h"

/* came: a message has come into the ring, and is still there. tell: other events have happened
 * (CO4_MAILBOX_…). Both notify the listeners and subscribers of these events. */
void co4__mailbox_came(co4_mailbox *mb, struct co4__list *woken);
void co4__mailbox_tell(co4_mailbox *mb, int events, struct co4__list *woken);
/* CO4_OK: the extension exists; CO4_ENOMEM. Takes the lock. */
int co4__mailbox_need_extension(co4_mailbox *mb);

/* Returns the mailbox to which the listener was added last. */
static inline co4_mailbox *co4__mailbox_of(co4_listener *l)
{
    return co4__waiter_of(l)->result.wait.where;
}

/* Counts off a notified listener. Takes the lock. */
void co4__mailbox_notified(co4_listener *l);

#endif
