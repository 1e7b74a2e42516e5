/* mailbox.c - a bounded ring of messages, and those who wait at either end.
 *
 * Invariants, under `lock`:
 *   - receivers wait only while the ring is empty, senders only while it is full; so `waiters`
 *     holds one kind at a time, first come first served, and perhaps such of either kind as are
 *     claimed already and on their way out (wait.c);
 *   - a mailbox of capacity 0, a rendezvous channel, is always both empty and full: of its two
 *     sides one waits at most, and what comes to the other takes from it or gives to it
 *     directly;
 *   - but a listener that has been told to look has left the list, and while the mailbox holds back
 *     for it what it has been told of (look.h), receivers wait although there are messages, or
 *     senders although there are places; and a filter (combine.c) waits also while the oldest
 *     message is one that it does not want. So where `more` is there, both kinds may wait, in
 *     several lists (mailbox_lists.c), and each new oldest message is offered (co4__mailbox_offer);
 *   - a closed mailbox has no waiters but such receivers;
 *   - of the urgent messages the oldest is the oldest of the ring (`urgent_first`), and the others
 *     stand in a ring of their own (`more`); each comes to the head of the ring when the one before
 *     it has gone. `ring` has room for all messages, so a sender that waits finds a place there as
 *     soon as one of any kind has gone;
 *   - a waiter's buffer is readable (sender) or writable (receiver) as long as it is in the
 *     list: it is a pinned local of a paused activation, or on the stack of a blocked thread.
 *
 * Hand-over. A put that finds a receiver waiting copies the message straight into its buffer; a
 * get that makes room moves the first waiting sender's message into the ring. The woken one has
 * what it came for: it takes no lock and cannot find that another task was faster. Whoever claims a
 * waiter owns its wake, and wakes it after the lock is gone. (tests/model/mailbox.pml.)
 *
 * A select that another source has served stays in the lists until its task goes on, or a walk
 * takes it off. After CO4__AT_ONCE of those, or of others that are served under one hold of the
 * lock, the thread rests: others get the lock, and then it looks at everything again. An operation
 * that finds waiters which a resting thread has still to serve does that first (catch_up), so the
 * invariants hold for each task that is listed (tests/model/rest.pml).
 *
 * The lock is four bytes and held for the copy of one element, or of a few. Nothing under it waits.
 * Memory for the ring is taken and given back without it: a thread that has let it go for that
 * looks at everything again. Order: mailbox, then timers. A thread that is alone (alone.c) does the
 * common cases without it.
 *
 * What few use (mailbox_more.c) hangs on `more`. The fast path knows of it by one byte, `odd`,
 * which it had to read anyway for a put to a closed mailbox.
 *
 * The ring starts empty and doubles up to the capacity, so a mailbox that is used for hand-over
 * never has one, and a million mailboxes do not cost a million rings of 300. The messages in it
 * move a few at a time (messages.c): CO4__ODD_MOVES says that some have still to, or that the
 * memory which they have left is still to be freed. Each put and get moves some then.
 *
 * Rejected: rings from the frame pool (they mix with frames of the same size and leave its lists
 * in disorder: a second skynet ran 1.5 times as long); a lock-free ring (waiting senders and
 * receivers, close and deadlines need one decision over both the messages and the waiters);
 * Kilim's single consumer; NULL for "empty". */
#include "sync/mailbox.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/public.h"
#include "core/caller.h"
#include "core/task.h"
#include "core/timers.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/alone.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/run.h"

#define SMALL_RING 256 /* bytes */

co4_mailbox *co4_mailbox_create(size_t elem_size, size_t capacity)
{
    co4_mailbox *mb;
    co4_mailbox_make(&mb, elem_size, capacity);
    return mb;
}

#define LIMIT ((size_t)1 << 31)

static size_t bytes_of(bool accounted)
{
    return sizeof(co4_mailbox) + (accounted ? sizeof(struct co4__account) : 0);
}

atomic_uint co4__accounts;

static struct co4__account *account_of(co4_mailbox *mb)
{
    return (struct co4__account *)(void *)(mb + 1);
}

int co4_mailbox_make(co4_mailbox **mb, size_t elem_size, size_t capacity)
{
    if (mb)
        *mb = NULL;
    return capacity == 0 ? CO4_EINVAL : co4_channel_make(mb, elem_size, capacity);
}

co4_channel *co4_channel_create(size_t elem_size, size_t capacity)
{
    co4_channel *ch;
    co4_channel_make(&ch, elem_size, capacity);
    return ch;
}

int co4_channel_make(co4_channel **mb, size_t elem_size, size_t capacity)
{
    if (!mb)
        return CO4_EINVAL;
    *mb = NULL;
    if (capacity == CO4_UNBOUNDED)
        capacity = LIMIT - 1;
    if (elem_size == 0 || elem_size >= LIMIT || capacity >= LIMIT)
        return CO4_EINVAL;
    bool accounted = atomic_load_explicit(&co4__accounts, memory_order_relaxed) > 0;
    *mb = co4__pool_take(bytes_of(accounted));
    if (!*mb)
        return CO4_ENOMEM;
    memset(*mb, 0, sizeof **mb);
    (*mb)->accounted = accounted;
    (*mb)->source.ops = &co4__mailbox_ops;
    (*mb)->ring.elem_size = (uint32_t)elem_size;
    (*mb)->capacity = (uint32_t)capacity;
    if (CO4__UNLIKELY(accounted))
        co4__mailbox_hooks.is_made(account_of(*mb), *mb);
    return CO4_OK;
}

int co4_mailbox_destroy(co4_mailbox *mb)
{
    if (!mb)
        return CO4_OK;
    co4__lock_take(&mb->place.lock);
    bool clear = co4__mailbox_clear(mb);
    const struct co4__mailbox_more *x = mb->more;
    clear = clear && !(mb->odd & CO4__HELD) && !(x && (x->watches || x->due || x->told));
    co4__lock_give(&mb->place.lock);
    if (!clear)
        return CO4_EBUSY;
    if (mb->odd & CO4__ODD_MOVES)
        co4__free(co4__messages_old(&mb->ring));
    if (mb->more) {
        if (mb->more->urgent_moves)
            co4__free(co4__messages_old(&mb->more->urgent));
        co4__free(mb->more->urgent.slots);
        co4__pool_drop(mb->more, sizeof *mb->more);
    }
    if (CO4__UNLIKELY(mb->accounted))
        co4__mailbox_hooks.is_destroyed(account_of(mb));
    co4__free(mb->ring.slots);
    co4__pool_drop(mb, bytes_of(mb->accounted));
    return CO4_OK;
}

/* ---- the ring, under the lock ---- */

/* Room for the first message: all of a small mailbox at once, a few elements of a large one. */
static uint32_t first_room(const co4_mailbox *mb)
{
    return (uint64_t)mb->capacity * mb->ring.elem_size <= SMALL_RING ? mb->capacity : 4;
}

static bool moves(const co4_mailbox *mb, const struct co4__messages *m)
{
    return m == &mb->ring ? (mb->odd & CO4__ODD_MOVES) != 0 : mb->more->urgent_moves;
}

static void set_moves(co4_mailbox *mb, const struct co4__messages *m, bool to)
{
    if (m != &mb->ring)
        mb->more->urgent_moves = to;
    else if (to)
        mb->odd |= CO4__ODD_MOVES;
    else
        mb->odd &= (uint8_t)~CO4__ODD_MOVES;
}

/* The messages of *m that have not moved into the new memory are fewer then. True: there are none
 * any more. */
static bool move_some(co4_mailbox *mb, struct co4__messages *m)
{
    return moves(mb, m) && !co4__messages_move(m);
}

/* Once all have moved: frees the memory that they have left, and lets the lock go meanwhile. */
static void free_old(co4_mailbox *mb, struct co4__messages *m)
{
    void *old = co4__messages_old(m);
    set_moves(mb, m, false);
    co4__place_let_go(&mb->place);
    co4__free(old);
    co4__place_take_again(&mb->place);
}

/* As the two above, for an operation that may let the lock go. True: it has. */
static bool moved_on(co4_mailbox *mb)
{
    bool done = move_some(mb, &mb->ring);
    if (done)
        free_old(mb, &mb->ring);
    if (mb->more && move_some(mb, &mb->more->urgent)) {
        free_old(mb, &mb->more->urgent);
        done = true;
    }
    return done;
}

/* All move; others have the lock in between. */
static void move_all(co4_mailbox *mb, struct co4__messages *m)
{
    while (moves(mb, m))
        if (move_some(mb, m))
            free_old(mb, m);
        else
            co4__place_let_others(&mb->place);
}

/* Messages that it must have room for. */
static uint32_t needs(const co4_mailbox *mb, const struct co4__messages *m)
{
    return m == &mb->ring ? co4__mailbox_count(mb) : m->count + mb->more->urgent_waiting;
}

int co4__mailbox_resize(co4_mailbox *mb, struct co4__messages *m, uint32_t room, bool larger)
{
    void *unused;
    move_all(mb, m);
    bool empty = m->room == 0;
    co4__place_let_go(&mb->place);
    void *slots = unused = co4__messages_alloc(m->elem_size, room, empty);
    co4__place_take_again(&mb->place);
    if (slots && empty == (m->room == 0) && !moves(mb, m) && room >= needs(mb, m) &&
        (larger ? room > m->room : room < m->room) &&
        co4__messages_move_to(m, slots, room, &unused)) {
        set_moves(mb, m, true);
        unused = NULL;
    }
    if (unused) {
        co4__place_let_go(&mb->place);
        co4__free(unused);
        co4__place_take_again(&mb->place);
    }
    return slots ? CO4_OK : CO4_ENOMEM;
}

void co4__mailbox_move_all(co4_mailbox *mb, struct co4__messages *m)
{
    move_all(mb, m);
}

/* One step towards `room` messages. True: look again, for the lock was let go meanwhile; or there
 * is room. */
static CO4__NOINLINE bool grow(co4_mailbox *mb, uint32_t room)
{
    if (room > mb->capacity)
        room = mb->capacity;
    return room <= mb->ring.room || co4__mailbox_resize(mb, &mb->ring, room, true) == CO4_OK;
}

/* The ring is full, the mailbox is not. True: look again, for the lock was let go meanwhile. */
static CO4__NOINLINE bool make_room(co4_mailbox *mb)
{
    return grow(mb, mb->ring.room ? 2 * mb->ring.room : first_room(mb));
}

static inline bool lacks_room(const co4_mailbox *mb)
{
    uint32_t count = co4__mailbox_count(mb);
    return count < mb->capacity && count >= mb->ring.room;
}

bool co4__mailbox_lacks_room(const co4_mailbox *mb)
{
    return lacks_room(mb);
}

static inline void *slot(co4_mailbox *mb, uint32_t i)
{
    return co4__messages_slot(&mb->ring, i);
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    if (!mb)
        return CO4_EINVAL;
    bool ok = true;
    co4__lock_take(&mb->place.lock);
    while (ok && mb->ring.room < (count < mb->capacity ? count : mb->capacity))
        ok = grow(mb, count < mb->capacity ? (uint32_t)count : mb->capacity);
    co4__lock_give(&mb->place.lock);
    return ok ? CO4_OK : CO4_ENOMEM;
}

/* ---- waiters, under the lock ---- */

static inline unsigned held_for(unsigned kind)
{
    return kind == CO4__WAIT_GET ? CO4__HELD_GET : CO4__HELD_PUT;
}

/* What a walk has met: listeners that are to look, which go to `woken`; and so many that want
 * nothing any more that others are to have the lock before it is gone on with. */
struct met {
    struct co4__list *woken;
    bool many;
};

/* `msg`: for one that receives. One that is told goes from its list to met->woken. What it is told
 * of is held back for it; but at a rendezvous, where the others go on without it. One that wants
 * nothing any more leaves its list as well. 1: it has been served, and stands there still. */
static CO4__NOINLINE int offer_listener(co4_mailbox *mb, co4_task *t, const void *msg,
                                        struct met *met)
{
    co4_listener *l = co4__listener_of(t);
    unsigned kind = atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
    bool gets = kind == CO4__WAIT_GET;
    const void *value = gets ? msg : NULL;
    int took;
    if (!met || !l->ops->look) {
        took = co4_listener_offer(l, CO4_OK, value);
    } else if (co4__node_is(l, CO4__NODE_ANSWERED) && co4__acquire_kept(l, value)) {
        l->ops->complete(l, CO4_OK, value);
        took = 1;
    } else {
        took = mb->capacity == 0
                   ? co4__offer_counted(l, CO4_OK, value, &mb->more->told, co4__mailbox_was_told)
                   : co4__offer_holding(l, gets ? co4__mailbox_get_held : co4__mailbox_put_held);
    }
    if (took == 1)
        return took;
    if (took == CO4__TOLD && mb->capacity > 0 && co4__node_is(l, CO4__NODE_HOLDS))
        mb->odd |= (uint8_t)held_for(kind);
    co4__mailbox_node_leaves(mb, t);
    if (took == CO4__TOLD)
        co4__list_push(met->woken, t);
    return took;
}

/* A walk has passed one more that wants nothing. True: it is to end for now. */
static inline bool passed_many(co4_mailbox *mb, unsigned *passed, struct met *met)
{
    if (++*passed < CO4__AT_ONCE)
        return false;
    mb->odd |= CO4__ODD;
    if (met)
        met->many = true;
    return true;
}

/* The first of this kind that is not claimed; off the list with its result, its `next` NULL,
 * and the caller owns the wake. NULL: there is none, or met->many; or, with no `met`, the mailbox
 * is odd now. `move` copies its message while its buffer is still there; a listener that receives
 * has copied it itself. `met`: NULL if the mailbox is not odd, so no listener looks. */
static inline co4_task *serve(co4_mailbox *mb, unsigned kind,
                              void (*move)(co4_mailbox *mb, void *buffer, const void *msg),
                              const void *msg, struct met *met)
{
    if (met && (mb->odd & held_for(kind)))
        return NULL;
    struct co4__place *list = met ? co4__mailbox_list(mb, kind) : &mb->place;
    unsigned passed = 0;
    for (co4_task *t = list->waiters.head, *next; t; t = next) {
        next = t->next;
        unsigned what = atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
        if (what != kind) {
            if (co4__mailbox_none_behind(mb, what))
                return NULL;
            continue;
        }
        if (CO4__UNLIKELY(t->fiber.kind == CO4__KIND_LISTENER)) {
            if (offer_listener(mb, t, msg, met) != 1) {
                if ((met && (mb->odd & held_for(kind))) || passed_many(mb, &passed, met))
                    return NULL;
                continue;
            }
            if (kind != CO4__WAIT_GET)
                move(mb, co4__waiting(t)->buffer, msg);
            co4__node_remove(list, t);
            t->next = NULL;
            return t;
        }
        if (!co4__take(list, t))
            continue;
        move(mb, co4__waiting(t)->buffer, msg);
        t->fiber.result.i = CO4_OK;
        t->next = NULL;
        return t;
    }
    return NULL;
}

static inline void to_receiver(co4_mailbox *mb, void *buffer, const void *msg)
{
    co4__message_copy(buffer, msg, mb->ring.elem_size);
}

static inline void to_receiver_from_sender(co4_mailbox *mb, void *buffer, const void *out)
{
    co4__message_copy((void *)(uintptr_t)out, buffer, mb->ring.elem_size);
}

static inline void from_sender(co4_mailbox *mb, void *buffer, const void *msg)
{
    (void)msg;
    co4__messages_push(&mb->ring, buffer);
}

/* A message has come before those of the ring; `urgent`: it was the oldest of those. */
static CO4__NOINLINE void tell_lookers_of_front(co4_mailbox *mb, bool urgent)
{
    struct co4__mailbox_more *x = mb->more;
    for (struct co4__looker *l = x->lookers; l; l = l->next) {
        if (l->in == &mb->ring)
            l->at++;
        else if (urgent && l->at == 0)
            l->in = &mb->ring;
        else if (urgent)
            l->at--;
    }
}

/* There is a place, and `more`, and memory for it. */
static void insert_urgent(co4_mailbox *mb, const void *msg)
{
    struct co4__mailbox_more *x = mb->more;
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

/* The first who waits to put an urgent message, off its list; NULL: there is none, or met->many. */
static co4_task *serve_urgent(co4_mailbox *mb, struct met *met)
{
    unsigned passed = 0;
    for (co4_task *t = mb->more->urgent_waiters.waiters.head, *next; t; t = next) {
        next = t->next;
        if (mb->odd & CO4__HELD_PUT)
            return NULL;
        if (offer_listener(mb, t, NULL, met) != 1) {
            if (passed_many(mb, &passed, met))
                return NULL;
            continue;
        }
        const void *msg = co4__waiting(t)->buffer;
        co4__mailbox_node_leaves(mb, t);
        insert_urgent(mb, msg);
        t->next = NULL;
        return t;
    }
    return NULL;
}

/* The thread rests if the walk has met many. True: it is to be done again. */
static bool rests(co4_mailbox *mb, struct met *met)
{
    bool many = met->many;
    met->many = false;
    if (many)
        co4__place_let_others(&mb->place);
    return many;
}

bool co4__mailbox_let_in(co4_mailbox *mb, struct co4__list *woken)
{
    struct met met = { woken, false };
    co4_task *t;
    do {
        while (lacks_room(mb))
            if (!make_room(mb))
                return false;
        if (co4__mailbox_count(mb) == mb->capacity)
            return false;
        t = mb->more ? serve_urgent(mb, &met) : NULL;
        if (!t && !met.many)
            t = serve(mb, CO4__WAIT_PUT, from_sender, NULL, &met);
    } while (!t && rests(mb, &met));
    if (t)
        co4__list_push(woken, t);
    return t != NULL;
}

/* It is closed: a waiter of this list is off it then, and in `woken` if its wait ends by that.
 * False: it waits on, or has been claimed elsewhere. */
static bool end_wait(co4_mailbox *mb, struct co4__place *list, co4_task *t, struct co4__list *woken)
{
    unsigned kind = atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
    if (kind == CO4__WAIT_MARK || (kind == CO4__WAIT_GET && mb->ring.count > 0))
        return false; /* a mark; a receiver that waits for another message than the oldest */
    if (t->fiber.kind == CO4__KIND_LISTENER) {
        bool wants = co4_listener_offer(co4__listener_of(t), CO4_ECLOSED, NULL);
        co4__mailbox_node_leaves(mb, t);
        if (!wants)
            return true;
    } else if (co4__take(list, t)) {
        t->fiber.result.i = CO4_ECLOSED;
    } else {
        return false;
    }
    co4__list_push(woken, t);
    return true;
}

/* All of a list. */
static void end_list(co4_mailbox *mb, struct co4__place *list, struct co4__list *woken)
{
    unsigned taken = 0;
    for (co4_task *t = list->waiters.head, *next; t; t = next) {
        next = t->next;
        if (end_wait(mb, list, t, woken) && co4__place_breathe(&mb->place, &taken))
            next = list->waiters.head;
    }
}

static void end_waits(co4_mailbox *mb, struct co4__list *woken)
{
    struct co4__mailbox_more *x = mb->more;
    end_list(mb, co4__mailbox_list(mb, CO4__WAIT_PUT), woken);
    if (mb->ring.count == 0)
        end_list(mb, co4__mailbox_list(mb, CO4__WAIT_GET), woken);
    if (x) {
        end_list(mb, co4__mailbox_aside(mb, CO4__WAIT_PUT), woken);
        end_list(mb, co4__mailbox_aside(mb, CO4__WAIT_URGENT), woken);
        end_list(mb, &x->urgent_waiters, woken);
        end_list(mb, &x->counters, woken);
    }
}

/* ---- one attempt, under the lock ---- */

/* Of a mailbox that is not odd; lacks_room() is of any. */
static inline bool has_room(const co4_mailbox *mb)
{
    return CO4__LIKELY(mb->ring.count != mb->ring.room);
}

/* There is a place, and memory for it. */
static inline void push(co4_mailbox *mb, const void *msg)
{
    co4__messages_push(&mb->ring, msg);
}

static inline void drop_oldest(co4_mailbox *mb)
{
    co4__messages_drop(&mb->ring);
}

/* The oldest of *m has gone. Behind that of the ring comes the oldest urgent one, if there is any;
 * behind the last urgent one comes the second of the ring. */
static CO4__NOINLINE void tell_lookers(co4_mailbox *mb, const struct co4__messages *m)
{
    struct co4__messages *urgent = &mb->more->urgent;
    for (struct co4__looker *l = mb->more->lookers; l; l = l->next) {
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

/* The oldest of *m goes, or a gap that has come there. */
static void drop_from(co4_mailbox *mb, struct co4__messages *m)
{
    co4__messages_drop(m);
    move_some(mb, m);
    tell_lookers(mb, m);
}

/* Behind a drop: a gap that was next to the oldest goes as well. */
static void close_gap_at_head(co4_mailbox *mb, struct co4__messages *m)
{
    struct co4__mailbox_more *x = mb->more;
    if (x->gap_in != m || --x->gap > 0)
        return;
    drop_from(mb, m);
    x->gap_in = NULL;
    x->owed++;
}

/* A message was taken from the head: the next urgent one comes there. */
static void oldest_gone(co4_mailbox *mb)
{
    struct co4__mailbox_more *x = mb->more;
    move_some(mb, &mb->ring);
    if (!x)
        return;
    co4__mailbox_ask_of_message(mb);
    co4__mailbox_ask_of_place(mb);
    tell_lookers(mb, &mb->ring);
    close_gap_at_head(mb, &mb->ring);
    if (x->urgent_first && x->urgent.count > 0) {
        tell_lookers_of_front(mb, true);
        co4__messages_push_front(&mb->ring, co4__messages_slot(&x->urgent, 0));
        x->gap += x->gap_in == &mb->ring;
        co4__messages_drop(&x->urgent);
        move_some(mb, &x->urgent);
        close_gap_at_head(mb, &x->urgent);
    } else {
        x->urgent_first = false;
    }
}

/* Places that gaps have left are taken, too. True: a message has come. */
static bool let_in_owed(co4_mailbox *mb, struct co4__list *woken)
{
    bool came = false;
    while (mb->more && mb->more->owed > 0) {
        mb->more->owed--;
        if (co4__mailbox_let_in(mb, woken))
            came = true;
        else
            mb->more->owed = 0;
    }
    return came;
}

/* The oldest message goes to who waits for one. */
static bool serve_receiver(co4_mailbox *mb, struct co4__list *woken)
{
    struct met met = { woken, false };
    co4_task *t;
    do
        t = mb->ring.count > 0 ? serve(mb, CO4__WAIT_GET, to_receiver, slot(mb, 0), &met) : NULL;
    while (!t && rests(mb, &met));
    if (!t)
        return false;
    co4__list_push(woken, t);
    drop_oldest(mb);
    oldest_gone(mb);
    return true;
}

void co4__mailbox_offer(co4_mailbox *mb, struct co4__list *woken)
{
    unsigned taken = 0;
    bool came = let_in_owed(mb, woken);
    while (serve_receiver(mb, woken)) {
        came = co4__mailbox_let_in(mb, woken) || came;
        came = let_in_owed(mb, woken) || came;
        co4__place_breathe(&mb->place, &taken);
    }
    if (came && mb->ring.count > 0)
        co4__mailbox_came(mb, woken);
    if (mb->ring.count == 0 && mb->closed)
        end_waits(mb, woken);
}

/* A place has become free. */
static void place_freed(co4_mailbox *mb, bool was_full, struct co4__list *woken)
{
    bool came = co4__mailbox_let_in(mb, woken);
    if (mb->more)
        co4__mailbox_offer(mb, woken);
    came = let_in_owed(mb, woken) || came;
    if (came && mb->ring.count > 0)
        co4__mailbox_came(mb, woken);
    if (was_full && co4__mailbox_count(mb) < mb->capacity)
        co4__mailbox_tell(mb, CO4_MAILBOX_SPACE, woken);
}

/* The oldest message was taken out, and a task waits: if the mailbox was full, to send. Or there
 * is more. Lets the lock go, at its end. */
static void room_made(co4_mailbox *mb, struct co4__list *woken)
{
    bool was_full = co4__mailbox_count(mb) + 1 == mb->capacity;
    oldest_gone(mb);
    place_freed(mb, was_full, woken);
    moved_on(mb);
}

static CO4__NOINLINE co4_task *woken_by_room(co4_mailbox *mb)
{
    struct co4__list woken = { NULL, NULL };
    room_made(mb, &woken);
    return woken.head;
}

static inline bool wants_room(const co4_mailbox *mb)
{
    /* One branch for both. */
    return ((uintptr_t)mb->place.waiters.head | mb->odd) != 0;
}

/* Does what threads that rest have still to do: receivers get the messages that are there, senders
 * the places. True: look again. False: nothing was to be done, or there is no memory for it. */
static bool catch_up(co4_mailbox *mb, struct co4__list *woken)
{
    if (mb->capacity == 0)
        return false;
    if (co4__mailbox_receiver_late(mb)) {
        co4__mailbox_offer(mb, woken);
        return true;
    }
    if (co4__mailbox_count(mb) == mb->capacity || !co4__mailbox_sender_late(mb))
        return false;
    bool in = co4__mailbox_let_in(mb, woken);
    if (in)
        co4__mailbox_came(mb, woken);
    return in || !lacks_room(mb);
}

bool co4__mailbox_readies_put(co4_mailbox *mb, struct co4__list *woken)
{
    return catch_up(mb, woken) || (lacks_room(mb) && (make_room(mb) || !lacks_room(mb)));
}

bool co4__mailbox_readies_get(co4_mailbox *mb, struct co4__list *woken)
{
    return mb->ring.count == 0 && (catch_up(mb, woken) || mb->ring.count > 0);
}

static int put_looking(co4_mailbox *mb, const void *msg, struct co4__list *woken)
{
    struct met met = { woken, false };
    for (;;) {
        co4_task *t;
        if (mb->closed)
            return CO4_ECLOSED;
        if (mb->ring.count == 0 && (t = serve(mb, CO4__WAIT_GET, to_receiver, msg, &met)) != NULL) {
            co4__list_push(woken, t);
            return CO4_OK;
        }
        if (rests(mb, &met) || co4__mailbox_readies_put(mb, woken))
            continue;
        if (co4__mailbox_count(mb) == mb->capacity)
            return CO4_EFULL;
        if (lacks_room(mb))
            return CO4_ENOMEM;
        push(mb, msg);
        co4__mailbox_came(mb, woken);
        return CO4_OK;
    }
}

static CO4__NOINLINE int put_odd(co4_mailbox *mb, const void *msg, co4_task **wake)
{
    struct co4__list woken = { NULL, NULL };
    moved_on(mb);
    int err = put_looking(mb, msg, &woken);
    *wake = woken.head;
    return err;
}

/* *wake: tasks to wake once the lock is gone, linked by `next`; also when it must wait. */
static inline int put_now(co4_mailbox *mb, const void *msg, co4_task **wake)
{
    *wake = NULL;
    do {
        if (CO4__UNLIKELY(mb->odd))
            return put_odd(mb, msg, wake);
        if (mb->ring.count == 0 && mb->place.waiters.head) {
            if ((*wake = serve(mb, CO4__WAIT_GET, to_receiver, msg, NULL)) != NULL)
                return CO4_OK; /* an empty ring: who waits, receives */
            if (CO4__UNLIKELY(mb->odd))
                return put_odd(mb, msg, wake);
        }
        if (mb->ring.count == mb->capacity)
            return CO4_EFULL;
        if (has_room(mb)) {
            push(mb, msg);
            return CO4_OK;
        }
    } while (make_room(mb));
    return CO4_ENOMEM;
}

static int get_message(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    co4__message_copy(out, slot(mb, 0), mb->ring.elem_size);
    co4__mailbox_pop(mb, woken);
    return CO4_OK;
}

/* There is no message. From a sender that waits: at a rendezvous, or late. */
static int get_directly(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    struct met met = { woken, false };
    co4_task *sender = NULL;
    while (co4__mailbox_readies_get(mb, woken))
        ;
    if (mb->ring.count > 0)
        return get_message(mb, out, woken);
    if (mb->capacity == 0)
        do
            sender = serve(mb, CO4__WAIT_PUT, to_receiver_from_sender, out, &met);
        while (!sender && rests(mb, &met));
    if (sender)
        co4__list_push(woken, sender);
    return sender ? CO4_OK : mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
}

static CO4__NOINLINE int get_oddly(co4_mailbox *mb, void *out, co4_task **wake)
{
    struct co4__list woken = { NULL, NULL };
    int err = get_directly(mb, out, &woken);
    *wake = woken.head;
    return err;
}

static inline int get_now(co4_mailbox *mb, void *out, co4_task **wake)
{
    *wake = NULL;
    if (mb->ring.count == 0) {
        if (CO4__UNLIKELY(mb->capacity == 0 || mb->odd))
            return get_oddly(mb, out, wake);
        return mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
    }
    co4__message_copy(out, slot(mb, 0), mb->ring.elem_size);
    drop_oldest(mb);
    if (wants_room(mb))
        *wake = woken_by_room(mb);
    return CO4_OK;
}

void co4__mailbox_push(co4_mailbox *mb, const void *msg)
{
    push(mb, msg);
}

int co4__mailbox_make_room(co4_mailbox *mb)
{
    return make_room(mb) ? CO4_OK : CO4_ENOMEM;
}

const void *co4__mailbox_oldest(co4_mailbox *mb)
{
    return slot(mb, 0);
}

void co4__mailbox_pop(co4_mailbox *mb, struct co4__list *woken)
{
    drop_oldest(mb);
    if (wants_room(mb))
        room_made(mb, woken);
}

int co4__mailbox_get_now(co4_mailbox *mb, void *out, struct co4__list *woken)
{
    return mb->ring.count == 0 ? get_directly(mb, out, woken) : get_message(mb, out, woken);
}

void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg)
{
    insert_urgent(mb, msg);
}

/* Which ring the i-th oldest stands in, and where there. */
static struct co4__messages *find(co4_mailbox *mb, uint32_t *i)
{
    struct co4__mailbox_more *x = mb->more;
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
    return co4__messages_at(m, moves(mb, m), i);
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
    l->next = mb->more->lookers;
    mb->more->lookers = l;
}

void co4__mailbox_look_ends(co4_mailbox *mb, const struct co4__looker *l)
{
    struct co4__looker **at = &mb->more->lookers;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
}

uint32_t co4__mailbox_looks_at(const co4_mailbox *mb, const struct co4__looker *l)
{
    if (l->in != &mb->ring)
        return l->at + 1;
    return l->at == 0 ? 0 : l->at + mb->more->urgent.count;
}

/* ---- one from the middle ---- */

/* The message before the gap has moved into it. */
static void tell_lookers_of_move(const struct co4__mailbox_more *x)
{
    for (struct co4__looker *l = x->lookers; l; l = l->next)
        l->at += l->in == x->gap_in && l->at + 1 == x->gap;
}

/* Those before the gap move up to close it: then it is the head that goes. */
void co4__mailbox_close_gap(co4_mailbox *mb, struct co4__list *woken)
{
    struct co4__mailbox_more *x = mb->more;
    struct co4__messages *m = x->gap_in;
    for (int n = 0; x->gap > 0 && n < CO4__AT_ONCE; n++, x->gap--) {
        memcpy(co4__messages_at(m, moves(mb, m), x->gap),
               co4__messages_at(m, moves(mb, m), x->gap - 1), m->elem_size);
        tell_lookers_of_move(x);
    }
    if (x->gap > 0)
        return;
    bool was_full = co4__mailbox_count(mb) == mb->capacity;
    drop_from(mb, m);
    x->gap_in = NULL;
    co4__mailbox_ask_of_place(mb);
    place_freed(mb, was_full, woken);
}

void co4__mailbox_remove(co4_mailbox *mb, uint32_t i, struct co4__list *woken)
{
    struct co4__mailbox_more *x = mb->more;
    if (i == 0) {
        co4__mailbox_pop(mb, woken);
        return;
    }
    x->gap_in = find(mb, &i);
    x->gap = i;
    x->gaps++;
    for (struct co4__looker *l = x->lookers; l; l = l->next)
        if (l->in == x->gap_in && l->at == i) {
            l->gone = true;
            l->at++;
        }
    co4__mailbox_close_gap(mb, woken);
}

/* Put and get differ in these two calls only; the four forms below are written once for both. */
static inline int now(co4_mailbox *mb, int kind, void *msg, co4_task **wake)
{
    return kind == CO4__WAIT_GET ? get_now(mb, msg, wake) : put_now(mb, msg, wake);
}

static inline bool must_wait(int err)
{
    return err == CO4_EFULL || err == CO4_EEMPTY;
}

static inline void wake(co4_task *t)
{
    co4__mailbox_wake(t);
}

/* ---- the same for a thread that is alone (alone.c), which holds no lock then ---- */

/* The first who waits, if it is a task or a thread that waits for this, with no timer, and nobody
 * is about to claim it. */
static inline co4_task *first_for(const co4_mailbox *mb, unsigned kind)
{
    co4_task *t = mb->place.waiters.head;
    return (atomic_load_explicit(&t->wait, memory_order_relaxed) &
            (CO4__WHAT_FOR | CO4__LISTED | CO4__TIMED | CO4__BUSY)) == (kind | CO4__LISTED) &&
                   t->fiber.kind != CO4__KIND_LISTENER
               ? t
               : NULL;
}

/* It has its message: claimed, and off the list. */
static inline co4_task *serve_alone(co4_mailbox *mb, co4_task *t)
{
    atomic_store_explicit(&t->wait, CO4__WAIT_NONE, memory_order_relaxed);
    mb->place.waiters.head = t->next;
    if (t->next)
        t->next->prev = NULL;
    else
        mb->place.waiters.tail = NULL;
    t->fiber.result.i = CO4_OK;
    t->next = NULL;
    return t;
}

/* False: nothing has been done, for it would take more. */
static CO4__ALWAYS_INLINE bool put_alone(co4_mailbox *mb, const void *msg, int *err,
                                         co4_task **wake)
{
    co4_task *t;
    *err = CO4_OK;
    if (mb->place.waiters.head && mb->ring.count == 0) {
        if (!(t = first_for(mb, CO4__WAIT_GET)))
            return false;
        to_receiver(mb, co4__waiting(t)->buffer, msg);
        *wake = serve_alone(mb, t);
    } else if (mb->ring.count == mb->capacity) {
        *err = CO4_EFULL;
    } else if (mb->ring.count == mb->ring.room) {
        return false;
    } else {
        push(mb, msg);
    }
    return true;
}

static CO4__ALWAYS_INLINE bool get_alone(co4_mailbox *mb, void *out, int *err, co4_task **wake)
{
    co4_task *t = NULL;
    *err = CO4_OK;
    if (mb->ring.count == 0) {
        *err = CO4_EEMPTY;
        return mb->capacity != 0;
    }
    if (mb->place.waiters.head && !(t = first_for(mb, CO4__WAIT_PUT)))
        return false;
    co4__message_copy(out, slot(mb, 0), mb->ring.elem_size);
    drop_oldest(mb);
    if (t) {
        from_sender(mb, co4__waiting(t)->buffer, NULL);
        *wake = serve_alone(mb, t);
    }
    return true;
}

static CO4__ALWAYS_INLINE bool now_alone(co4_mailbox *mb, int kind, void *msg, int *err,
                                         co4_task **wake)
{
    *wake = NULL;
    /* Sequentially consistent: alone.c. */
    if (CO4__UNLIKELY(atomic_load(&mb->place.lock.held) != 0 || mb->odd))
        return false;
    return kind == CO4__WAIT_GET ? get_alone(mb, msg, err, wake) : put_alone(mb, msg, err, wake);
}

/* ---- four forms ---- */

/* Where it waits, under the lock. */
static inline struct co4__place *list_for(co4_mailbox *mb, int kind)
{
    return CO4__UNLIKELY(mb->more != NULL) ? co4__mailbox_list(mb, (unsigned)kind) : &mb->place;
}

static inline int op_try(co4_mailbox *mb, int kind, void *msg)
{
    co4_task *woken;
    struct co4__local *here = co4__local();
    int err;
    bool done = co4__alone_begin(here) && now_alone(mb, kind, msg, &err, &woken);
    co4__alone_done(here);
    if (!done) {
        co4__lock_take(&mb->place.lock);
        err = now(mb, kind, msg, &woken);
        co4__lock_give(&mb->place.lock);
    }
    wake(woken);
    return err;
}

static CO4__NOINLINE int op_pause_locked(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg)
{
    co4_task *woken;
    co4__lock_take(&mb->place.lock);
    int err = now(mb, kind, msg, &woken);
    if (must_wait(err)) {
        co4__wait(co4, list_for(mb, kind), (unsigned)kind, msg, NULL);
        wake(woken);
        return CO4_OK;
    }
    co4__lock_give(&mb->place.lock);
    wake(woken);
    return co4__done(co4, err);
}

static CO4__ALWAYS_INLINE int op_pause(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg)
{
    co4_task *woken;
    if (CO4__UNLIKELY(!co4__may_pause(co4)))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    struct co4__local *here = co4__local();
    int err;
    bool done = CO4__LIKELY(co4__alone_begin(here)) && now_alone(mb, kind, msg, &err, &woken);
    if (CO4__LIKELY(done) && must_wait(err))
        return co4__wait_alone(here, co4, &mb->place, (unsigned)kind, msg);
    co4__alone_done(here);
    if (CO4__UNLIKELY(!done))
        return op_pause_locked(co4, mb, kind, msg);
    if (woken)
        co4__task_wake(woken);
    return co4__done(co4, err);
}

static int op_pause_until(co4_fiber *co4, co4_mailbox *mb, int kind, void *msg, int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return op_pause(co4, mb, kind, msg);
    if (!co4__may_pause(co4))
        return CO4_ESTATE;
    if (co4__is_cancelled(co4__task_of(co4)))
        return co4__done(co4, CO4_ECANCELED);
    int err = op_try(mb, kind, msg);
    if (!must_wait(err))
        return co4__done(co4, err);
    if (co4_now() >= deadline)
        return co4__done(co4, CO4_ETIMEDOUT);
    struct co4__timer *timer = co4__timer_create(co4__task_of(co4), deadline);
    if (!timer)
        return co4__done(co4, CO4_ENOMEM);
    co4_task *woken;
    co4__lock_take(&mb->place.lock);
    err = now(mb, kind, msg, &woken);
    if (must_wait(err)) {
        co4__wait(co4, list_for(mb, kind), (unsigned)kind, msg, timer);
        wake(woken);
        return CO4_OK;
    }
    co4__lock_give(&mb->place.lock);
    co4__pool_drop(timer, sizeof *timer);
    wake(woken);
    return co4__done(co4, err);
}

static int op_block(co4_mailbox *mb, int kind, void *msg, int64_t deadline, bool in_task)
{
    if (CO4__UNLIKELY(in_task))
        return CO4_EDEADLK;
    int err = op_try(mb, kind, msg);
    if (!must_wait(err))
        return err;
    struct co4__blocker b;
    if ((err = co4__blocker_init(&b)) != CO4_OK)
        return err;
    co4_task *woken;
    co4__lock_take(&mb->place.lock);
    err = now(mb, kind, msg, &woken);
    if (must_wait(err)) {
        bool served;
        co4__wait_thread(&b.task, list_for(mb, kind), (unsigned)kind, msg);
        wake(woken);
        err = co4__blocker_wait(&b, deadline, &served);
        if (!served && !co4__leave(&b.task)) /* served at the last moment: the wake is on its way */
            err = co4__blocker_wait(&b, CO4_NEVER, &served);
    } else {
        co4__lock_give(&mb->place.lock);
        wake(woken);
    }
    co4__blocker_fini(&b);
    return err;
}

#define IN(msg) ((void *)(uintptr_t)(msg)) /* a put only reads it */

int co4_mailbox_try_put(co4_mailbox *mb, const void *msg)
{
    return mb && msg ? op_try(mb, CO4__WAIT_PUT, IN(msg)) : CO4_EINVAL;
}

int co4_mailbox_try_get(co4_mailbox *mb, void *out)
{
    return mb && out ? op_try(mb, CO4__WAIT_GET, out) : CO4_EINVAL;
}

int co4_mailbox_put__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg)
{
    return mb && msg ? op_pause(co4, mb, CO4__WAIT_PUT, IN(msg)) : co4__done(co4, CO4_EINVAL);
}

int co4_mailbox_get__co4(co4_fiber *co4, co4_mailbox *mb, void *out)
{
    return mb && out ? op_pause(co4, mb, CO4__WAIT_GET, out) : co4__done(co4, CO4_EINVAL);
}

int co4_mailbox_put_until__co4(co4_fiber *co4, co4_mailbox *mb, const void *msg, int64_t deadline)
{
    return mb && msg ? op_pause_until(co4, mb, CO4__WAIT_PUT, IN(msg), deadline)
                     : co4__done(co4, CO4_EINVAL);
}

int co4_mailbox_get_until__co4(co4_fiber *co4, co4_mailbox *mb, void *out, int64_t deadline)
{
    return mb && out ? op_pause_until(co4, mb, CO4__WAIT_GET, out, deadline)
                     : co4__done(co4, CO4_EINVAL);
}

int co4_mailbox_put_block_until(co4_mailbox *mb, const void *msg, int64_t deadline)
{
    return mb && msg ? op_block(mb, CO4__WAIT_PUT, IN(msg), deadline, co4__in_task()) : CO4_EINVAL;
}

int co4_mailbox_get_block_until(co4_mailbox *mb, void *out, int64_t deadline)
{
    return mb && out ? op_block(mb, CO4__WAIT_GET, out, deadline, co4__in_task()) : CO4_EINVAL;
}

int co4_mailbox_put_block(co4_mailbox *mb, const void *msg)
{
    return mb && msg ? op_block(mb, CO4__WAIT_PUT, IN(msg), CO4_NEVER, co4__in_task()) : CO4_EINVAL;
}

int co4_mailbox_get_block(co4_mailbox *mb, void *out)
{
    return mb && out ? op_block(mb, CO4__WAIT_GET, out, CO4_NEVER, co4__in_task()) : CO4_EINVAL;
}

/* ---- the rest ---- */

int co4_mailbox_close(co4_mailbox *mb)
{
    struct co4__list woken = { NULL, NULL };
    if (!mb)
        return CO4_EINVAL;
    co4__lock_take(&mb->place.lock);
    int events = mb->closed ? 0 : CO4_MAILBOX_CLOSED;
    mb->closed = true;
    mb->odd |= CO4__ODD;
    end_waits(mb, &woken);
    co4__mailbox_tell(mb, events, &woken);
    co4__lock_give(&mb->place.lock);
    wake(woken.head);
    return CO4_OK;
}

size_t co4_mailbox_len(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->place.lock);
    size_t n = co4__mailbox_count(mb);
    co4__lock_give(&mb->place.lock);
    return n;
}

size_t co4_mailbox_capacity(const co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock *lock = (co4__lock *)(uintptr_t)&mb->place.lock;
    co4__lock_take(lock);
    size_t capacity = mb->capacity;
    co4__lock_give(lock);
    return capacity;
}

int co4_mailbox_is_closed(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->place.lock);
    int closed = mb->closed;
    co4__lock_give(&mb->place.lock);
    return closed;
}
