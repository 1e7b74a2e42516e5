/* mailbox.h - what mailbox.c and mailbox_source.c share. */
#ifndef CO4_MAILBOX_INTERNAL_H
#define CO4_MAILBOX_INTERNAL_H

#include "look.h"
#include "messages.h"

struct co4_mailbox {
    co4_source source; /* of its messages; constant */
    struct co4__place
        place; /* its lock guards all below, but for the size of elements, which is constant */
    struct co4__messages ring;
    uint32_t capacity;
    bool closed;
    /* receivers may wait although there are messages: they do not want the oldest (filters) */
    bool refused;
    bool accounted;                 /* an account stands behind it: insight.c. Constant */
    uint8_t odd;                    /* CO4__ODD…; not 0: not for the fast path */
    struct co4__mailbox_more *more; /* NULL: none of it was ever used */
};

enum {
    CO4__ODD = 1, /* closed, or `more` is there, or a listener that looks has waited; for good */
    CO4__ODD_MOVES = 2, /* messages of the ring are to move, or have just moved: messages.c */
    CO4__HELD_GET =
        4, /* the oldest message is held back for a listener that has been told: look.h */
    CO4__HELD_PUT = 8, /* so are the places */
    CO4__HELD = CO4__HELD_GET | CO4__HELD_PUT
};

/* A thread that looks at a message with the lock let go, on its stack: whatever happens to the
 * messages meanwhile, this says where that one stands. There are as many as threads look at one
 * mailbox at a time. */
struct co4__looker {
    struct co4__messages *in; /* which ring; where in it */
    uint32_t at;
    bool gone; /* the message has been taken out: the next one stands there */
    struct co4__looker *next;
};

/* What few mailboxes have: mailbox_more.c. */
struct co4__mailbox_more {
    co4_mailbox *mailbox; /* constant */
    struct co4__messages
        urgent;        /* the urgent messages but the oldest, which is that of the mailbox's ring */
    bool urgent_first; /* the oldest of that ring is urgent */
    bool urgent_moves; /* messages of `urgent` are to move, or have just moved */
    /* Those that wait to put an urgent message, how many, each with room in `urgent`; those that
     * wait for a number of messages. The mailbox's own lock guards both. */
    struct co4__place urgent_waiters, counters;
    uint32_t urgent_waiting;
    /* A message was taken out at `gap`, and those before it are moving up. The gap counts as a
     * message until it has come to the head, where it never stays. One at a time; `gaps`: how many
     * there were, which wraps. */
    struct co4__messages *gap_in; /* NULL: there is none */
    uint32_t gap, gaps;
    uint32_t owed; /* places that gaps have left, not yet offered to senders */
    struct co4__looker *lookers;
    /* Those to be called when something happens. `teller` stands for the calls among the tasks that
     * are to be woken. */
    co4_mailbox_watch *watches;
    co4_listener teller;
    bool due; /* it stands in such a list, or its thread is calling */
    co4_mailbox_watch *calling;
    const struct co4__local *caller; /* whose thread that is; only compared */
};

/* Under the lock: messages in it. */
static inline uint32_t co4__mailbox_count(const co4_mailbox *mb)
{
    return mb->ring.count + (mb->more ? mb->more->urgent.count : 0);
}

/* How listeners wait in the lists of `more`: to put an urgent message; for a number of messages. */
enum { CO4__WAIT_URGENT = CO4__WAIT_WRITE, CO4__WAIT_COUNT = CO4__WAIT_READ };
/* One in the mailbox's own list that does not wait: it marks how far it has looked. */
enum { CO4__WAIT_MARK = CO4__WAIT_SELECT };

/* All under the lock. The tasks that are returned, linked by `next`, are to be woken once the lock
 * is gone; NULL: none. */

/* Into the ring, without a look at the waiters; there is a place, and memory for it. */
void co4__mailbox_push(co4_mailbox *mb, const void *msg);
/* Is there memory for one more? */
bool co4__mailbox_has_room(const co4_mailbox *mb);
/* Another message is the oldest, or there is none: offers it to who waits for one, its place to who
 * waits for that, and so on. `first` (or NULL) is woken as well. */
co4_task *co4__mailbox_offer(co4_mailbox *mb, co4_task *first);
/* When there is none: gets memory for one more, and lets the lock go meanwhile. CO4_OK: look again;
 * CO4_ENOMEM. */
int co4__mailbox_make_room(co4_mailbox *mb);
/* The same of an urgent message that comes into the mailbox, or waits for that; `more` is there. */
bool co4__mailbox_has_urgent_room(const co4_mailbox *mb);
int co4__mailbox_make_urgent_room(co4_mailbox *mb);
/* Its listener, which waits to put an urgent message, leaves the list. */
static inline void co4__mailbox_urgent_leaves(co4_mailbox *mb, co4_task *node)
{
    mb->more->urgent_waiting--;
    co4__node_remove(&mb->more->urgent_waiters, node);
}
/* The oldest message; there is one. */
const void *co4__mailbox_oldest(co4_mailbox *mb);
/* It has been copied: takes it out, and a waiting sender's in. May let the lock go, at its end. */
co4_task *co4__mailbox_pop(co4_mailbox *mb);
/* Behind the urgent ones; as push. `more` is there. */
void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg);
/* One attempt: CO4_OK, CO4_EEMPTY, CO4_ECLOSED. */
int co4__mailbox_get_now(co4_mailbox *mb, void *out, co4_task **wake);
/* The i-th oldest; there are so many. */
void *co4__mailbox_at(co4_mailbox *mb, uint32_t i);
/* The looker begins at the i-th oldest message, or behind all; `more` is there. */
void co4__mailbox_look_begins(co4_mailbox *mb, struct co4__looker *l, uint32_t i);
/* From there on it looks at the i-th oldest. Which one that is now. */
void co4__mailbox_look_at(co4_mailbox *mb, struct co4__looker *l, uint32_t i);
uint32_t co4__mailbox_looks_at(const co4_mailbox *mb, const struct co4__looker *l);
void co4__mailbox_look_ends(co4_mailbox *mb, const struct co4__looker *l);
/* Takes it out, as pop does, or leaves a gap, where there was none; `more` is there. */
co4_task *co4__mailbox_remove(co4_mailbox *mb, uint32_t i);
/* Moves the gap some way towards the head, or closes it; there is one. */
co4_task *co4__mailbox_close_gap(co4_mailbox *mb);
/* A waiting sender's message into the ring, where there is a place. NULL: none waits, or it has
 * been told, and is in `told` then. */
co4_task *co4__mailbox_let_in(co4_mailbox *mb, struct co4__list *told);
/* Places have come free: lets in all who can be. Without the lock. */
void co4__mailbox_let_all_in(co4_mailbox *mb, bool was_full);
/* Memory of *m, one of its rings, for `room` messages, if that is more, or less, than it has and
 * enough for those that it must have room for; lets the lock go meanwhile. Some messages may still
 * have to move. CO4_OK, also when another was first: look again. CO4_ENOMEM. */
int co4__mailbox_resize(co4_mailbox *mb, struct co4__messages *m, uint32_t room, bool larger);
void co4__mailbox_move_all(co4_mailbox *mb, struct co4__messages *m);

/* What several operations have to wake, in their order. Each list is walked once, when it is
 * added. */
struct co4__mailbox_wakes {
    co4_task *first, **end;
};

static inline void co4__mailbox_wakes_add(struct co4__mailbox_wakes *w, co4_task *list)
{
    *w->end = list;
    while (*w->end)
        w->end = &(*w->end)->next;
}

/* For two short lists. */
static inline co4_task *co4__mailbox_chain(co4_task *first, co4_task *rest)
{
    struct co4__mailbox_wakes w = { NULL, &w.first };
    co4__mailbox_wakes_add(&w, first);
    *w.end = rest;
    return w.first;
}

/* mailbox_more.c. A message has come into the ring, and is there still; something else has happened
 * (CO4_MAILBOX_…): `woken`, and whoever else is to be told. */
co4_task *co4__mailbox_came(co4_mailbox *mb, co4_task *woken);
co4_task *co4__mailbox_tell(co4_mailbox *mb, int events, co4_task *woken);
/* CO4_OK: `more` is there; CO4_ENOMEM. Takes the lock. */
int co4__mailbox_need_more(co4_mailbox *mb);
/* What co4_mailbox_putting_urgent() and co4_mailbox_holding() do, with a code. */
int co4__mailbox_urgent(co4_putting *putting, co4_mailbox *mb, const void *msg);
int co4__mailbox_hold(co4_holding *holding, co4_mailbox *mb, size_t n);

static inline void co4__mailbox_wake(co4_task *t)
{
    for (co4_task *next; t; t = next) {
        next = t->next;
        co4__task_wake(t);
    }
}

/* Without the lock: puts, or waits until it can, also when there is no memory but a message. For
 * listeners that want nothing else. */
void co4__mailbox_add_patient(co4_putting *putting, co4_listener *l);

/* What ends the holds of a mailbox: mailbox_source.c. */
void co4__mailbox_get_held(co4_listener *l);
void co4__mailbox_put_held(co4_listener *l);

extern const co4_source_ops co4__mailbox_ops, co4__mailbox_urgent_ops;

#endif
