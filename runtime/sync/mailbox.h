/* mailbox.h - what the files of mailboxes share. */
#ifndef CO4_MAILBOX_INTERNAL_H
#define CO4_MAILBOX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "sync/look.h"
#include "sync/messages.h"

struct co4_mailbox {
    co4_source source; /* of its messages; constant */
    struct co4__place
        place; /* its lock guards all below, but for the size of elements, which is constant */
    struct co4__messages ring;
    uint32_t capacity;
    bool closed;
    bool accounted;                 /* an account stands behind it: report.c. Constant */
    uint8_t odd;                    /* CO4__ODD…; not 0: not for the fast path */
    struct co4__mailbox_more *more; /* NULL: none of it was ever used */
};

enum {
    CO4__ODD = 1,       /* closed, or `more` is there, or many waited in vain; for good */
    CO4__ODD_MOVES = 2, /* messages of the ring are to move, or have just moved: messages.c */
    CO4__HELD_GET =
        4, /* the oldest message is held back for a listener that has been told: look.h */
    CO4__HELD_PUT = 8,   /* so are the places */
    CO4__ODD_MIXED = 16, /* `place` may hold both kinds of waiters, for there was no memory */
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
    /* mailbox_lists.c; the mailbox's own lock guards them. Those that wait for what those in
     * `place` do not wait for; those that wait to put an urgent message, and how many of them do
     * not look, each with room in `urgent`; those that refuse what is there; those that wait for a
     * number of messages. */
    struct co4__second_place others;
    struct co4__place urgent_waiters, aside[3], counters;
    uint32_t urgent_waiting;
    /* A message was taken out at `gap`, and those before it are moving up. The gap counts as a
     * message until it has come to the head, where it never stays. One at a time; `gaps`: how many
     * there were, which wraps. */
    struct co4__messages *gap_in; /* NULL: there is none */
    uint32_t gap, gaps;
    uint32_t owed; /* places that gaps have left, not yet offered to senders */
    uint32_t told; /* listeners that are to look, where nothing is held back for them */
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

/* A walk looks for one kind of waiter in a list, and has met one that waits for `what` instead: are
 * all behind it of that kind, too? */
static inline bool co4__mailbox_none_behind(const co4_mailbox *mb, unsigned what)
{
    return (what == CO4__WAIT_GET || what == CO4__WAIT_PUT) && !(mb->odd & CO4__ODD_MIXED);
}

/* All under the lock. The tasks that are added to `woken` are to be woken once the lock is gone. */

/* Into the ring, without a look at the waiters; there is a place, and memory for it. */
void co4__mailbox_push(co4_mailbox *mb, const void *msg);
/* There is a place, and no memory for a message. */
bool co4__mailbox_lacks_room(const co4_mailbox *mb);
/* Another message is the oldest, or there is none: offers it to who waits for one, its place to who
 * waits for that, and so on. May let the lock go. */
void co4__mailbox_offer(co4_mailbox *mb, struct co4__list *woken);
/* When there is none: gets memory for one more, and lets the lock go meanwhile. CO4_OK: look again;
 * CO4_ENOMEM. */
int co4__mailbox_make_room(co4_mailbox *mb);
/* The same of an urgent message that comes into the mailbox, or waits for that; `more` is there. */
bool co4__mailbox_has_urgent_room(const co4_mailbox *mb);
int co4__mailbox_make_urgent_room(co4_mailbox *mb);
/* The oldest message; there is one. */
const void *co4__mailbox_oldest(co4_mailbox *mb);
/* It has been copied: takes it out, and a waiting sender's in. May let the lock go behind that. */
void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken);
/* One attempt: CO4_OK, CO4_EEMPTY, CO4_ECLOSED. Likewise. */
int co4__mailbox_get_now(co4_mailbox *mb, void *out, struct co4__list *woken);
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
/* Takes it out, as pop does, or leaves a gap, where there was none; `more` is there. */
void co4__mailbox_remove(co4_mailbox *mb, uint32_t i, struct co4__list *woken);
/* Moves the gap some way towards the head, or closes it; there is one. */
void co4__mailbox_close_gap(co4_mailbox *mb, struct co4__list *woken);
/* A waiting sender's message into the ring, where there is a place. False: none waits, or those
 * that do have been told, or there is no memory: then they wait on, and the next get makes a place.
 * May let the lock go before. */
bool co4__mailbox_let_in(co4_mailbox *mb, struct co4__list *woken);
/* The last look before a message is put, and before a get finds nothing: waiters that a resting
 * thread has still to serve come first, and memory is had. True: the lock may have been let go, so
 * look again at everything. False: it was not; or there is a place and no memory for it. */
bool co4__mailbox_readies_put(co4_mailbox *mb, struct co4__list *woken);
bool co4__mailbox_readies_get(co4_mailbox *mb, struct co4__list *woken);
/* Places have come free: lets in all senders that can be. Gives the lock up. */
void co4__mailbox_let_all_in(co4_mailbox *mb, bool was_full);
/* Memory of *m, one of its rings, for `room` messages, if that is more, or less, than it has and
 * enough for those that it must have room for; lets the lock go meanwhile. Some messages may still
 * have to move. CO4_OK, also when another was first: look again. CO4_ENOMEM. */
int co4__mailbox_resize(co4_mailbox *mb, struct co4__messages *m, uint32_t room, bool larger);
void co4__mailbox_move_all(co4_mailbox *mb, struct co4__messages *m);

/* mailbox_lists.c; under the lock. Where those of this kind (CO4__WAIT_GET, CO4__WAIT_PUT) stand,
 * and where the next one is to: a list with no other kind. Where those stand that have refused what
 * is there; `more` is there. */
struct co4__place *co4__mailbox_list(co4_mailbox *mb, unsigned kind);
struct co4__place *co4__mailbox_aside(co4_mailbox *mb, unsigned kind);
/* Another message is the oldest, or there is none; a place has come free: they are to be asked
 * again. `more` is there. */
void co4__mailbox_ask_of_message(co4_mailbox *mb);
void co4__mailbox_ask_of_place(co4_mailbox *mb);
/* A listener, or a mark, leaves the list that it stands in. */
void co4__mailbox_node_leaves(co4_mailbox *mb, co4_task *node);
/* The same without the lock, if it stands in one still. */
void co4__mailbox_node_drop(co4_mailbox *mb, co4_listener *l);
/* One of this kind is to be listed. True: look again, for the lock was let go, so that there is a
 * list for each kind. */
bool co4__mailbox_parts(co4_mailbox *mb, unsigned kind);
/* Does a sender wait that has not been told of a place, or a receiver although there are messages?
 * If so, a thread that rests is to serve it. */
bool co4__mailbox_sender_late(const co4_mailbox *mb);
bool co4__mailbox_receiver_late(const co4_mailbox *mb);
/* Under the lock, which is let go for moments: does nobody wait? */
bool co4__mailbox_clear(co4_mailbox *mb);

/* mailbox_more.c. A message has come into the ring, and is there still; something else has happened
 * (CO4_MAILBOX_…): those that are to be told. */
void co4__mailbox_came(co4_mailbox *mb, struct co4__list *woken);
void co4__mailbox_tell(co4_mailbox *mb, int events, struct co4__list *woken);
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

/* What ends the holds of a mailbox, and counts off one that was told: mailbox_source.c. */
void co4__mailbox_get_held(co4_listener *l);
void co4__mailbox_put_held(co4_listener *l);
void co4__mailbox_was_told(co4_listener *l);

extern const co4_source_ops co4__mailbox_ops, co4__mailbox_urgent_ops;

/* Mailboxes that are reported when a runtime goes: those made while some runtime has `report`. So
 * many have. */
extern CO4__OWN atomic_uint co4__accounts;

struct co4__account { /* behind the mailbox, in its memory */
    struct co4__account *next, **link;
    co4_mailbox *mailbox;
};

/* For debug/; modules.c fills the table. */
struct co4__mailbox_hooks {
    void (*is_made)(struct co4__account *a, co4_mailbox *mb);
    void (*is_destroyed)(struct co4__account *a);
};

extern const struct co4__mailbox_hooks co4__mailbox_hooks;

#endif
