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
    struct co4__wait_queue
        wait_queue; /* its lock guards all below, but for the size of elements, which is constant */
    struct co4__messages ring;
    uint32_t capacity;
    bool closed;
    bool accounted;                           /* an account stands behind it: report.c. Constant */
    uint8_t slow;                             /* CO4__SLOW…; not 0: not for the fast path */
    struct co4__mailbox_extension *extension; /* NULL: none of it was ever used */
};

enum {
    CO4__SLOW = 1,       /* closed, or `more` is there, or many waited in vain; for good */
    CO4__SLOW_MOVES = 2, /* messages of the ring are to move, or have just moved: messages.c */
    CO4__HELD_GET =
        4, /* the oldest message is held back for a listener that has been told: look.h */
    CO4__HELD_PUT = 8,    /* so are the places */
    CO4__SLOW_MIXED = 16, /* `place` may hold both kinds of waiters, for there was no memory */
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

/* What few mailboxes have: mailbox_urgent.c. */
struct co4__mailbox_extension {
    co4_mailbox *mailbox; /* constant */
    struct co4__messages
        urgent;        /* the urgent messages but the oldest, which is that of the mailbox's ring */
    bool urgent_first; /* the oldest of that ring is urgent */
    bool urgent_moves; /* messages of `urgent` are to move, or have just moved */
    /* mailbox_lists.c; the mailbox's own lock guards them. Those that wait for what those in
     * `place` do not wait for; those that wait to put an urgent message, and how many of them do
     * not look, each with room in `urgent`; those that refuse what is there; those that wait for a
     * number of messages. */
    struct co4__second_queue others;
    struct co4__wait_queue urgent_waiters, aside[3], counters;
    uint32_t urgent_waiting;
    /* A message was taken out at `gap`, and those before it are moving up. The gap counts as a
     * message until it has come to the head, where it never stays. One at a time; `gaps`: how many
     * there were, which wraps. */
    struct co4__messages *gap_in; /* NULL: there is none */
    uint32_t gap, gaps;
    uint32_t owed;     /* places that gaps have left, not yet offered to senders */
    uint32_t notified; /* listeners that are to look, where nothing is held back for them */
    struct co4__looker *lookers;
    /* Those to be called when something happens. `notifier` stands for the calls among the tasks
     * that are to be woken. */
    co4_mailbox_watch *watches;
    co4_listener notifier;
    bool pending; /* it is in such a list, or its thread is calling */
    co4_mailbox_watch *calling;
    const struct co4__local *caller; /* whose thread that is; only compared */
};

/* Under the lock: messages in it. */
static inline uint32_t co4__mailbox_count(const co4_mailbox *mb)
{
    return mb->ring.count + (mb->extension ? mb->extension->urgent.count : 0);
}

/* How listeners wait in the lists of `more`: to put an urgent message; for a number of messages. */
enum { CO4__WAIT_URGENT = CO4__WAIT_WRITE, CO4__WAIT_COUNT = CO4__WAIT_READ };
/* One in the mailbox's own list that does not wait: it marks how far it has looked. */
enum { CO4__WAIT_MARK = CO4__WAIT_SELECT };

/* A walk looks for one kind of waiter in a list, and has met one that waits for `what` instead: are
 * all behind it of that kind, too? */
static inline bool co4__mailbox_none_behind(const co4_mailbox *mb, unsigned what)
{
    return (what == CO4__WAIT_RECEIVE || what == CO4__WAIT_SEND) && !(mb->slow & CO4__SLOW_MIXED);
}

static inline void co4__mailbox_wake(co4_task *t)
{
    for (co4_task *next; t; t = next) {
        next = t->next;
        co4__task_wake(t);
    }
}

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
