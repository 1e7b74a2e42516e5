/* mailbox.h - what mailbox.c and mailbox_source.c share. */
#ifndef CO4_MAILBOX_INTERNAL_H
#define CO4_MAILBOX_INTERNAL_H

#include "internal.h"

struct co4_mailbox {
    co4_source source; /* of its messages; constant */
    /* Its lock guards all below but elem_size, which is constant. */
    struct co4__place place;
    uint32_t elem_size, capacity;
    uint32_t room;        /* elements that `ring` has space for */
    uint32_t head, count; /* oldest message; how many */
    bool closed;
    bool
        refused; /* receivers may wait although there are messages: they do not want the oldest (filters) */
    bool accounted; /* an account stands behind it: insight.c. Constant */
    bool odd;       /* closed, or `more` is there: not for the fast path */
    unsigned char *ring;
    struct co4__mailbox_more *more; /* NULL: none of it was ever used */
};

/* What few mailboxes have: mailbox_more.c. */
struct co4__mailbox_more {
    co4_mailbox *mailbox; /* constant */
    uint32_t urgent;      /* so many of the oldest messages are urgent ones */
    uint32_t gone;        /* messages taken out since this is there; wraps */
    bool urgent_waits;    /* some of those that wait to put are */
    bool counts;          /* somebody waits for a number of messages */
    /* Those to be called when something happens. `teller` stands for the calls among the tasks that are to be woken. */
    co4_mailbox_watch *watches;
    co4_listener teller;
    bool due; /* it stands in such a list, or its thread is calling */
    co4_mailbox_watch *calling;
    const struct co4__local *caller; /* whose thread that is; only compared */
};

/* How listeners wait that tasks never do: to put an urgent message; for a number of messages. */
enum { CO4__WAIT_URGENT = CO4__WAIT_WRITE, CO4__WAIT_COUNT = CO4__WAIT_READ };

/* All under the lock. The tasks that are returned, linked by `next`, are to be woken once the lock is gone; NULL: none. */

/* Into the ring, past nobody; there is a place, and memory for it. */
void co4__mailbox_push(co4_mailbox *mb, const void *msg);
/* Is there memory for one more? */
bool co4__mailbox_has_room(const co4_mailbox *mb);
/* Another message is the oldest, or there is none: offers it to who waits for one, its place to who waits for that, and so on. `first`
 * (or NULL) is woken as well. */
co4_task *co4__mailbox_offer(co4_mailbox *mb, co4_task *first);
/* When there is none: gets memory for one more, and lets the lock go meanwhile. CO4_OK: look again; CO4_ENOMEM. */
int co4__mailbox_make_room(co4_mailbox *mb);
/* The oldest message; there is one. */
const void *co4__mailbox_oldest(co4_mailbox *mb);
/* It has been copied: takes it out, and a waiting sender's in. */
co4_task *co4__mailbox_pop(co4_mailbox *mb);
/* Behind the urgent ones; as push. `more` is there. */
void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg);
/* One attempt: CO4_OK, CO4_EEMPTY, CO4_ECLOSED. */
int co4__mailbox_get_now(co4_mailbox *mb, void *out, co4_task **wake);
/* The i-th oldest; there are so many. */
void *co4__mailbox_at(co4_mailbox *mb, uint32_t i);
/* Takes it out, as pop does. */
co4_task *co4__mailbox_remove(co4_mailbox *mb, uint32_t i);
/* A waiting sender's message into the ring, where there is a place. NULL: nobody waits. */
co4_task *co4__mailbox_let_in(co4_mailbox *mb);
/* Memory for `room` messages, if that is more, or less, than it has and enough for those that are there; lets the lock go
 * meanwhile. CO4_OK, CO4_ENOMEM. */
int co4__mailbox_resize(co4_mailbox *mb, uint32_t room, bool larger);

/* What several operations have to wake, in their order. Each list is walked once, when it is added. */
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

/* mailbox_more.c. A message has come into the ring, and is there still; something else has happened (CO4_MAILBOX_…): `woken`, and whoever
 * else is to be told. */
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

/* Without the lock: puts, or waits until it can, also when there is no memory but a message. For listeners that want nothing else. */
void co4__mailbox_add_patient(co4_putting *putting, co4_listener *l);

extern const co4_source_ops co4__mailbox_ops, co4__mailbox_urgent_ops;

#endif
