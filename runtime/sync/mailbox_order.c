/* mailbox_order.c - the order of messages.
 *
 * Invariants, under the mailbox's lock: the oldest urgent message is the oldest of the ring
 * (`urgent_first`). The other urgent messages are in a ring of their own, in the extension. Each
 * comes to the head of the mailbox's ring when the one before it has gone. That ring has room for
 * all messages. So a waiting sender finds a place there as soon as a message of any kind has gone.
 *
 * Gaps: a message that is removed from the middle leaves a gap, which moves to the head a few
 * places at a time. A looker has the position of the message that a thread looks at, through all
 * changes. Each function here that changes the order updates all lookers. */
#include "sync/mailbox_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/wait.h"
#include "sync/mailbox.h"
#include "sync/mailbox_lists.h"
#include "sync/mailbox_memory.h"
#include "sync/messages.h"

/* A message has been put before those of the ring. `urgent`: it was the oldest of the urgent
 * ring. */
static CO4__NOINLINE void tell_lookers_of_front(co4_mailbox *mb, bool urgent)
{
    struct co4__mailbox_extension *x = mb->extension;
    for (struct co4__looker *l = x->lookers; l; l = l->next) {
        if (l->in == &mb->ring)
            l->at++;
        else if (urgent && l->at == 0)
            l->in = &mb->ring;
        else if (urgent)
            l->at--;
    }
}

/* There is a place, and memory for it; the extension exists. */
void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (x->urgent_first) {
        co4__messages_push(&x->urgent, msg);
    } else {
        co4__messages_push_front(&mb->ring, msg);
        co4__mailbox_ask_of_message(mb);
        tell_lookers_of_front(mb, false);
        x->urgent_first = true;
        x->gap += x->gap_in == &mb->ring;
    }
}

/* The oldest of *m has gone. The oldest urgent message, if there is one, follows the oldest of the
 * mailbox's ring. The second of that ring follows the last urgent one. */
static CO4__NOINLINE void tell_lookers(co4_mailbox *mb, const struct co4__messages *m)
{
    struct co4__messages *urgent = &mb->extension->urgent;
    for (struct co4__looker *l = mb->extension->lookers; l; l = l->next) {
        if (l->in != m)
            continue;
        bool oldest = l->at == 0;
        l->gone = l->gone || oldest;
        l->at -= !oldest;
        if (m == &mb->ring && oldest && urgent->count > 0) {
            l->in = urgent;
        } else if (m == urgent && l->at == m->count) {
            l->in = &mb->ring;
            l->at = 1;
        }
    }
}

/* Drops the oldest of *m, or a gap that has reached the head. */
static void drop_from(co4_mailbox *mb, struct co4__messages *m)
{
    co4__messages_drop(m);
    co4__mailbox_move_some(mb, m);
    tell_lookers(mb, m);
}

/* Called after a drop: drops a gap that was next to the oldest as well. */
static void close_gap_at_head(co4_mailbox *mb, struct co4__messages *m)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (x->gap_in != m || --x->gap > 0)
        return;
    drop_from(mb, m);
    x->gap_in = NULL;
    x->owed++;
}

/* The message at the head was removed: the next urgent one moves there. */
void co4__mailbox_oldest_gone(co4_mailbox *mb)
{
    struct co4__mailbox_extension *x = mb->extension;
    co4__mailbox_move_some(mb, &mb->ring);
    if (!x)
        return;
    co4__mailbox_ask_of_message(mb);
    co4__mailbox_ask_of_room(mb);
    tell_lookers(mb, &mb->ring);
    close_gap_at_head(mb, &mb->ring);
    if (x->urgent_first && x->urgent.count > 0) {
        tell_lookers_of_front(mb, true);
        co4__messages_push_front(&mb->ring, co4__messages_slot(&x->urgent, 0));
        x->gap += x->gap_in == &mb->ring;
        co4__messages_drop(&x->urgent);
        co4__mailbox_move_some(mb, &x->urgent);
        close_gap_at_head(mb, &x->urgent);
    } else {
        x->urgent_first = false;
    }
}

/* Returns the ring that the i-th oldest is in, and sets *i to its position there. */
static struct co4__messages *find(co4_mailbox *mb, uint32_t *i)
{
    struct co4__mailbox_extension *x = mb->extension;
    if (*i == 0 || !x || !x->urgent_first)
        return &mb->ring;
    if (*i <= x->urgent.count) {
        --*i;
        return &x->urgent;
    }
    *i -= x->urgent.count;
    return &mb->ring;
}

void *co4__mailbox_at(co4_mailbox *mb, uint32_t i)
{
    struct co4__messages *m = find(mb, &i);
    return co4__messages_at(m, co4__mailbox_moves(mb, m), i);
}

/* ---- threads that look, under the lock ---- */

void co4__mailbox_look_at(co4_mailbox *mb, struct co4__looker *l, uint32_t i)
{
    l->in = find(mb, &i);
    l->at = i;
    l->gone = false;
}

void co4__mailbox_look_begins(co4_mailbox *mb, struct co4__looker *l, uint32_t i)
{
    co4__mailbox_look_at(mb, l, i);
    l->next = mb->extension->lookers;
    mb->extension->lookers = l;
}

void co4__mailbox_look_ends(co4_mailbox *mb, const struct co4__looker *l)
{
    struct co4__looker **at = &mb->extension->lookers;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
}

uint32_t co4__mailbox_looks_at(const co4_mailbox *mb, const struct co4__looker *l)
{
    if (l->in != &mb->ring)
        return l->at + 1;
    return l->at == 0 ? 0 : l->at + mb->extension->urgent.count;
}

/* ---- one from the middle ---- */

/* The message before the gap has moved into it. */
static void tell_lookers_of_move(const struct co4__mailbox_extension *x)
{
    for (struct co4__looker *l = x->lookers; l; l = l->next)
        l->at += l->in == x->gap_in && l->at + 1 == x->gap;
}

bool co4__mailbox_move_gap(co4_mailbox *mb)
{
    struct co4__mailbox_extension *x = mb->extension;
    struct co4__messages *m = x->gap_in;
    for (int n = 0; x->gap > 0 && n < CO4__BATCH; n++, x->gap--) {
        memcpy(co4__messages_at(m, co4__mailbox_moves(mb, m), x->gap),
               co4__messages_at(m, co4__mailbox_moves(mb, m), x->gap - 1), m->elem_size);
        tell_lookers_of_move(x);
    }
    if (x->gap > 0)
        return false;
    drop_from(mb, m);
    x->gap_in = NULL;
    return true;
}

void co4__mailbox_begin_gap(co4_mailbox *mb, uint32_t i)
{
    struct co4__mailbox_extension *x = mb->extension;
    x->gap_in = find(mb, &i);
    x->gap = i;
    x->gaps++;
    for (struct co4__looker *l = x->lookers; l; l = l->next)
        if (l->in == x->gap_in && l->at == i) {
            l->gone = true;
            l->at++;
        }
}
