/* mailbox_memory.h - the memory of a mailbox's rings. */
#ifndef CO4_MAILBOX_MEMORY_INTERNAL_H
#define CO4_MAILBOX_MEMORY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/mailbox.h"
#include "sync/messages.h"

/* All under the mailbox's lock. */

/* There is a place, and no memory for a message. */
static inline bool co4__mailbox_lacks_room(const co4_mailbox *mb)
{
    uint32_t count = co4__mailbox_count(mb);
    return count < mb->capacity && count >= mb->ring.room;
}

/* When there is none: gets memory for one more, and lets the lock go meanwhile. True: look again.
 * False: there is no memory. The same of an urgent message that comes into the mailbox, or waits
 * for that; `more` is there. */
bool co4__mailbox_make_room(co4_mailbox *mb);
bool co4__mailbox_has_urgent_room(const co4_mailbox *mb);
bool co4__mailbox_make_urgent_room(co4_mailbox *mb);
/* Memory of *m, one of its rings, for `room` messages, if that is more, or less, than it has and
 * enough for those that it must have room for; lets the lock go meanwhile. Some messages may still
 * have to move. CO4_OK, also when another was first: look again. CO4_ENOMEM. */
int co4__mailbox_resize(co4_mailbox *mb, struct co4__messages *m, uint32_t room, bool larger);
void co4__mailbox_move_all(co4_mailbox *mb, struct co4__messages *m);
/* Are messages of *m still to move, or have they just moved? */
bool co4__mailbox_moves(const co4_mailbox *mb, const struct co4__messages *m);
/* The messages of *m that have not moved into the new memory are fewer then. True: there are none
 * any more. */
bool co4__mailbox_move_some(co4_mailbox *mb, struct co4__messages *m);
/* The same for both rings, for an operation that may let the lock go. True: it has. */
bool co4__mailbox_moved_on(co4_mailbox *mb);

#endif
