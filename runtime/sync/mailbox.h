/* mailbox.h - a mailbox, and what its files share. */
#ifndef CO4_MAILBOX_INTERNAL_H
#define CO4_MAILBOX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "core/wait.h"
#include "sync/messages.h"
#include "sync/source.h"

/* The two kinds of waiters of a mailbox. */
enum co4__side { CO4__RECEIVERS, CO4__SENDERS };

struct co4_mailbox {
    co4_source source; /* the source of its messages; constant */
    /* By enum co4__side. The lock of the first guards all fields below, except the constant ones:
     * capacity and the size of elements. */
    struct co4__wait_queue queues[2];
    struct co4__messages ring;
    uint32_t capacity;
    bool closed;
    /* an account is behind it in memory (report.c); constant */
    bool accounted;
    uint8_t slow; /* CO4__SLOW, CO4__MESSAGES_MOVE; if it is not 0, the fast path is closed */
    /* Since a listener that looks has come: the messages that were taken out; wraps. */
    uint32_t taken;
    /* By side, such listeners that were notified, and have not looked yet. Each may take a message,
     * or a place, so other waiters get what is beyond that. */
    uint32_t notified[2];
};

enum { CO4__SLOW = 1 }; /* for good: it is closed, or a listener that looks has come */

static inline unsigned co4__kind_of_side(enum co4__side side)
{
    return side == CO4__RECEIVERS ? CO4__WAIT_RECEIVE : CO4__WAIT_SEND;
}

static inline co4_mailbox *co4__mailbox_of_source(const co4_source *source)
{
    return (co4_mailbox *)(void *)((char *)(uintptr_t)source - offsetof(co4_mailbox, source));
}

/* Called without the lock, by a thread that polls: receives the oldest message. CO4_EEMPTY,
 * CO4_ECLOSED. `out` has room for a message. */
int co4__mailbox_take(co4_mailbox *mb, void *out);
/* Receives the messages that are there into the array `out`, behind the first *got, up to `max`. */
void co4__mailbox_receive_rest(co4_mailbox *mb, void *out, size_t max, size_t *got);

/* ---- the slow path ---- */

/* All functions below are called under the lock, which each may release for a moment. The caller
 * wakes the waiters of `woken` after it has released the lock. */

/* Serves waiters until none can be: receivers get messages, senders places. */
void co4__mailbox_settle(co4_mailbox *mb, struct co4__list *woken);
/* Settles. Returns whether a send finds a place, with memory for the message: CO4_OK; CO4_EFULL;
 * CO4_ECLOSED; CO4_ENOMEM. */
int co4__mailbox_ready_to_send(co4_mailbox *mb, struct co4__list *woken);
/* A message is there: removes the oldest, and settles. */
void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken);
/* Notifies a queued listener that looks. False: it wants nothing any more. */
bool co4__mailbox_notify(co4_mailbox *mb, enum co4__side side, struct co4__waiter *w,
                         struct co4__list *woken);

/* Called without the lock. Sends, or queues the listener until it can; it also waits when an
 * allocation fails and there is a message. Only for listeners that wait for nothing else. */
void co4__mailbox_add_patient(co4_sending *sending, co4_listener *l);

/* mailbox_source.c */
extern const co4_source_ops co4__mailbox_ops;

/* ---- accounts ---- */

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
