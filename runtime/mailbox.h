/* mailbox.h - what mailbox.c and mailbox_source.c share. */
#ifndef CO4_MAILBOX_INTERNAL_H
#define CO4_MAILBOX_INTERNAL_H

#include "internal.h"

struct co4_mailbox {
    co4_source source; /* of its messages; constant */
    /* Its lock guards all below but elem_size and capacity, which are constant. */
    struct co4__place place;
    uint32_t elem_size, capacity;
    uint32_t room;        /* elements that `ring` has space for */
    uint32_t head, count; /* oldest message; how many */
    bool closed;
    bool
        refused; /* receivers may wait although there are messages: they do not want the oldest (filters) */
    unsigned char *ring;
};

/* All under the lock. The tasks that are returned, linked by `next`, are to be woken once the lock is gone; NULL: none. */

/* Into the ring, past nobody; there is a place. CO4_OK, CO4_ENOMEM. */
int co4__mailbox_push(co4_mailbox *mb, const void *msg);
/* Another message is the oldest, or there is none: offers it to who waits for one, its place to who waits for that, and so on. `first`
 * (or NULL) is woken as well. */
co4_task *co4__mailbox_offer(co4_mailbox *mb, co4_task *first);
/* Memory for one more. CO4_OK, CO4_ENOMEM. */
int co4__mailbox_make_room(co4_mailbox *mb);
/* The oldest message; there is one. */
const void *co4__mailbox_oldest(co4_mailbox *mb);
/* It has been copied: takes it out, and a waiting sender's in. */
co4_task *co4__mailbox_pop(co4_mailbox *mb);

static inline void co4__mailbox_wake(co4_task *t)
{
    for (co4_task *next; t; t = next) {
        next = t->next;
        co4__task_wake(t);
    }
}

/* Without the lock: puts, or waits until it can, also when there is no memory but a message. For listeners that want nothing else. */
void co4__mailbox_add_patient(co4_putting *putting, co4_listener *l);

extern const co4_source_ops co4__mailbox_ops;

#endif
