/* mailbox.h - types and helpers that the files of mailboxes share. */
#ifndef CO4_MAILBOX_INTERNAL_H
#define CO4_MAILBOX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "sync/look.h"
#include "sync/messages.h"

struct co4_mailbox {
    co4_source source; /* the source of its messages; constant */
    /* By enum co4__side. The lock of the first guards all fields below, except the size of
     * elements, which is constant. */
    struct co4__wait_queue queues[2];
    struct co4__messages ring;
    uint32_t capacity;
    bool closed;
    /* an account is behind it in memory (report.c); constant */
    bool accounted;
    /* CO4__SLOW…; if it is not 0, the fast path is closed */
    uint8_t slow;
    struct co4__mailbox_extension *extension; /* NULL until it is first needed */
};

/* The two kinds of waiters of a mailbox. */
enum co4__side { CO4__RECEIVERS, CO4__SENDERS };

enum {
    /* Set for good: the mailbox is closed, has an extension, or a walk has passed many waiters. */
    CO4__SLOW = 1,
    /* Messages of the ring have to move, or have just moved (messages.c). */
    CO4__SLOW_MOVES = 2,
    /* The oldest message is held back for a notified listener (look.h). */
    CO4__HELD_RECEIVE = 4,
    CO4__HELD_SEND = 8, /* the free places are held back */
    CO4__HELD = CO4__HELD_RECEIVE | CO4__HELD_SEND
};

/* A thread that looks at a message releases the lock meanwhile. Its looker, on its stack, tracks
 * the position of that message through all changes. A mailbox has one looker for each such
 * thread. */
struct co4__looker {
    struct co4__messages *in; /* the ring, and the position in it */
    uint32_t at;
    bool gone; /* the message has been removed: the next one is there */
    struct co4__looker *next;
};

/* State that few mailboxes need (mailbox_urgent.c). */
struct co4__mailbox_extension {
    co4_mailbox *mailbox; /* constant */
    /* All urgent messages except the oldest, which is in the mailbox's ring. */
    struct co4__messages urgent;
    bool urgent_first; /* the oldest message of the mailbox's ring is urgent */
    bool urgent_moves; /* messages of `urgent` have to move, or have just moved */
    /* Further wait queues (mailbox_lists.c); the mailbox's own lock guards them. `urgent_waiters`:
     * senders of urgent messages. `urgent_waiting` counts those that do not look; each has room in
     * `urgent`. `aside`: listeners that have refused. `counters`: listeners that wait for a number
     * of messages. */
    struct co4__wait_queue urgent_waiters, aside[3], counters;
    uint32_t urgent_waiting;
    /* A message was removed at `gap`, and the messages before it are moving up. The gap counts as a
     * message until it reaches the head, where it is dropped at once. There is at most one gap.
     * `gaps` counts them, and wraps. */
    struct co4__messages *gap_in; /* NULL if there is no gap */
    uint32_t gap, gaps;
    uint32_t owed; /* places that gaps have left and that no sender has been offered yet */
    /* Notified listeners that have not looked yet and for which nothing is held back. */
    uint32_t notified;
    struct co4__looker *lookers;
    /* The subscriptions. `notifier` represents the calls in a list of tasks to be woken. */
    co4_mailbox_watch *watches;
    co4_listener notifier;
    bool pending; /* `notifier` is in such a list, or its thread is calling */
    co4_mailbox_watch *calling;
    const struct co4__local *caller; /* the thread that is calling; only compared */
};

/* Called under the lock. Returns the number of messages. */
static inline uint32_t co4__mailbox_count(const co4_mailbox *mb)
{
    return mb->ring.count + (mb->extension ? mb->extension->urgent.count : 0);
}

/* How listeners wait in queues of the extension: to send an urgent message; for a number of
 * messages. */
enum { CO4__WAIT_URGENT = CO4__WAIT_WRITE, CO4__WAIT_COUNT = CO4__WAIT_READ };
/* A node in a wait queue that is not a waiter: it marks how far its thread has looked. */
enum { CO4__WAIT_MARK = CO4__WAIT_SELECT };

/* The queue for waiters of this kind: CO4__WAIT_RECEIVE, CO4__WAIT_SEND. */
static inline struct co4__wait_queue *co4__mailbox_queue(co4_mailbox *mb, unsigned kind)
{
    return &mb->queues[kind == CO4__WAIT_RECEIVE ? CO4__RECEIVERS : CO4__SENDERS];
}

static inline co4_mailbox *co4__mailbox_of_source(const co4_source *source)
{
    return (co4_mailbox *)(void *)((char *)(uintptr_t)source - offsetof(co4_mailbox, source));
}

/* Called without the lock, by a thread that polls: receives the oldest message. CO4_EEMPTY,
 * CO4_ECLOSED. `out` has room for a message. */
int co4__mailbox_take(co4_mailbox *mb, void *out);

/* The number of runtimes that have `report`. A mailbox that is made while it is not 0 has an
 * account, and is reported when a runtime ends. */
extern CO4__OWN atomic_uint co4__accounts;

struct co4__account { /* behind the mailbox, in the same memory block */
    struct co4__account *next, **link;
    co4_mailbox *mailbox;
};

/* Functions of debug/; modules.c fills the table. */
struct co4__mailbox_hooks {
    void (*is_made)(struct co4__account *a, co4_mailbox *mb);
    void (*is_destroyed)(struct co4__account *a);
};

extern const struct co4__mailbox_hooks co4__mailbox_hooks;

#endif
