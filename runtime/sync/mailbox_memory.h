/* mailbox_memory.h - the memory of a mailbox's rings. */
#ifndef CO4_MAILBOX_MEMORY_INTERNAL_H
#define CO4_MAILBOX_MEMORY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/mailbox.h"
#include "sync/messages.h"

/* All functions are called under the mailbox's lock. */

/* Returns whether there is a place, and no memory for a message. */
static inline bool co4__mailbox_lacks_room(const co4_mailbox *mb)
{
    uint32_t count = co4__mailbox_count(mb);
    return count < mb->capacity && count >= mb->ring.room;
}

/* make_room: allocates memory for one more message, if there is none, and releases the lock
 * meanwhile. True: the caller looks again. False: out of memory. The urgent ones do the same for an
 * urgent message that comes into the mailbox, or waits for that; the extension exists. */
bool co4__mailbox_make_room(co4_mailbox *mb);
bool co4__mailbox_has_urgent_room(const co4_mailbox *mb);
bool co4__mailbox_make_urgent_room(co4_mailbox *mb);
/* Allocates memory for `room` messages of *m, one of the rings. Uses it if `room` is more, or less,
 * than now, and enough for the messages. Releases the lock meanwhile. Some messages may still have
 * to move. CO4_OK, also if another thread was first: the caller looks again. CO4_ENOMEM. */
int co4__mailbox_resize(co4_mailbox *mb, struct co4__messages *m, uint32_t room, bool larger);
void co4__mailbox_move_all(co4_mailbox *mb, struct co4__messages *m);
/* Returns whether messages of *m have still to move, or have just moved. */
bool co4__mailbox_moves(const co4_mailbox *mb, const struct co4__messages *m);
/* Moves some of the messages of *m into the new memory. True: now all have moved. */
bool co4__mailbox_move_some(co4_mailbox *mb, struct co4__messages *m);
/* The same for both rings, and frees the old memory; may release the lock. True: it has released
 * it. */
bool co4__mailbox_moved_on(co4_mailbox *mb);

#endif
