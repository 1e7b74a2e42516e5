/* mailbox_source.c - both ends of a mailbox as sources: a message to get, a place to put one.
 *
 * A listener stands among the mailbox's waiters like a task, in its turn. A message rests in the
 * ring between the two sides, so one wait is acquired at a time: the put is over before whoever
 * gets the message is looked for.
 *
 * A rendezvous channel has no ring: there both waits are acquired before either is completed, in
 * the order of their owners, so that two such pairs of the same two selects never wait for each
 * other. */
#include "mailbox.h"

/* Listed; from here on the mailbox may have to tell it. */
static void add_node(co4_mailbox *mb, struct co4__place *list, co4_listener *l, unsigned kind,
                     void *buffer)
{
    co4__node_add(list, l, kind);
    co4__waiting(co4__node_of(l))->buffer = buffer;
    co4__waiting(co4__node_of(l))->where = mb;
    if (l->ops->look)
        mb->odd |= CO4__ODD;
}

/* Where it was added last. */
static co4_mailbox *mailbox_of(co4_listener *l)
{
    return co4__waiting(co4__node_of(l))->where;
}

/* Under the lock, which it gives up. 1: the listener has been served and woken, and so have
 * `others`. */
static int served(co4_mailbox *mb, co4_listener *l, co4_task *others)
{
    co4__lock_give(&mb->place.lock);
    co4__mailbox_wake(others);
    l->ops->wake(l);
    return 1;
}

/* Likewise. 0: it has not. */
static int unserved(co4_mailbox *mb, co4_task *others)
{
    co4__lock_give(&mb->place.lock);
    co4__mailbox_wake(others);
    return 0;
}

/* ---- rendezvous ---- */

static unsigned kind_of(const co4_task *t)
{
    return atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
}

/* A select does not talk to itself. */
static bool same_select(co4_listener *a, co4_listener *b)
{
    return a->ops->owner(a) == b->ops->owner(b);
}

/* The one at hand has just been asked. Each gets what its side is given: the receiver the message,
 * the sender nothing. */
static bool acquire_both(co4_listener *mine, const void *got, co4_listener *other, const void *msg)
{
    bool mine_first = (uintptr_t)mine->ops->owner(mine) < (uintptr_t)other->ops->owner(other);
    if (mine_first && !co4__acquire_asked(mine, got))
        return false;
    if (co4__acquire_kept(other, msg)) {
        if (mine_first || co4__acquire_asked(mine, got))
            return true;
        other->ops->release(other);
    } else if (mine_first) {
        mine->ops->release(mine);
    }
    return false;
}

/* The listener, which has been asked, meets the one that waits on the other side. `msg` is its
 * message, or NULL, and it receives theirs. True: t is off the list, to be woken. False, with t in
 * `told`: it will look. */
static bool meet_one(co4_mailbox *mb, co4_listener *l, const void *msg, co4_task *t,
                     struct co4__list *told)
{
    void *buffer = co4__waiting(t)->buffer;
    const void *got = msg ? NULL : buffer;
    if (t->fiber.kind == CO4__KIND_LISTENER) {
        co4_listener *other = co4__listener_of(t);
        if (same_select(l, other))
            return false;
        if ((!other->ops->look || co4__node_is(other, CO4__NODE_ANSWERED)) &&
            acquire_both(l, got, other, msg)) {
            l->ops->complete(l, CO4_OK, got);
            other->ops->complete(other, CO4_OK, msg);
            co4__node_remove(&mb->place, t);
            return true;
        }
        if (other->ops->look && co4__offer(other, CO4_OK, msg)) {
            co4__node_remove(&mb->place, t);
            co4__list_push(told, t);
        }
        return false;
    }
    if (!co4__acquire_asked(l, got))
        return false;
    if (!co4__take(&mb->place, t)) {
        l->ops->release(l);
        return false;
    }
    if (msg)
        memcpy(buffer, msg, mb->ring.elem_size);
    l->ops->complete(l, CO4_OK, got);
    t->fiber.result.i = CO4_OK;
    return true;
}

static co4_task *meet(co4_mailbox *mb, co4_listener *l, const void *msg, struct co4__list *told)
{
    unsigned other_side = msg ? CO4__WAIT_GET : CO4__WAIT_PUT;
    for (co4_task *t = mb->place.waiters.head, *next; t; t = next) {
        next = t->next;
        if (kind_of(t) == other_side && meet_one(mb, l, msg, t, told)) {
            t->next = NULL;
            return t;
        }
    }
    return NULL;
}

/* Into the list, behind t: it marks how far it has looked, for those before it may leave
 * meanwhile. */
static void mark_behind(co4_mailbox *mb, co4_listener *l, co4_task *t)
{
    co4_task *mark = co4__node_of(l);
    if (co4__node_stands(l))
        co4__node_remove(&mb->place, mark);
    memset(mark, 0, sizeof *mark);
    mark->fiber.kind = CO4__KIND_LISTENER;
    co4__list_insert_after(&mb->place.waiters, t, mark);
    atomic_store_explicit(&mark->wait, CO4__WAIT_MARK | CO4__LISTED, memory_order_relaxed);
}

/* Does the wait that it was put behind still stand there? Others that look may have put their marks
 * behind it, too. One that has left, and waits again, stands behind the mark. */
static bool still_behind(const co4_task *mark, const co4_task *t)
{
    const co4_task *before = mark->prev;
    while (before && kind_of(before) == CO4__WAIT_MARK)
        before = before->prev;
    return before == t;
}

/* A receiver that looks, one message after the other, with the lock let go for each. */
static co4_task *meet_looking(co4_mailbox *mb, co4_listener *l, void *copy, struct co4__list *told)
{
    co4_task *mark = co4__node_of(l), *met = NULL;
    for (co4_task *t = mb->place.waiters.head; t && !met;) {
        if (kind_of(t) != CO4__WAIT_PUT) {
            t = t->next;
            continue;
        }
        memcpy(copy, co4__waiting(t)->buffer, mb->ring.elem_size);
        mark_behind(mb, l, t);
        co4__lock_give(&mb->place.lock);
        bool wanted = l->ops->look(l, CO4_OK, copy) != CO4__REFUSES;
        co4__lock_take(&mb->place.lock);
        if (wanted && still_behind(mark, t) && meet_one(mb, l, NULL, t, told))
            met = t;
        t = mark->next;
    }
    if (met)
        met->next = NULL;
    return met;
}

/* ---- get ---- */

static co4_mailbox *of_get(const co4_source *source)
{
    return (co4_mailbox *)(void *)((char *)(uintptr_t)source - offsetof(co4_mailbox, source));
}

/* Under the lock. 1: served, and the lock is gone. */
static int get_now(co4_mailbox *mb, co4_listener *l, struct co4__list *told)
{
    if (mb->ring.count > 0 && co4_listener_offer(l, CO4_OK, co4__mailbox_oldest(mb)))
        return served(mb, l, co4__mailbox_pop(mb));
    co4_task *sender = mb->capacity == 0 ? meet(mb, l, NULL, told) : NULL;
    return sender ? served(mb, l, co4__mailbox_chain(told->head, sender)) : 0;
}

/* Asks about the oldest message until it has been asked about the one that is the oldest then. */
static int look_at_oldest(co4_mailbox *mb, co4_listener *l, void *copy)
{
    int answer = CO4__UNASKED;
    struct co4__looker here = { .gone = true };
    while (mb->ring.count > 0 && (here.gone || co4__mailbox_looks_at(mb, &here) > 0)) {
        memcpy(copy, co4__mailbox_oldest(mb), mb->ring.elem_size);
        co4__mailbox_look_begins(mb, &here, 0);
        co4__lock_give(&mb->place.lock);
        answer = l->ops->look(l, CO4_OK, copy);
        co4__lock_take(&mb->place.lock);
        co4__mailbox_look_ends(mb, &here);
    }
    return answer;
}

/* The same of a listener that looks. */
static int get_looking(co4_mailbox *mb, co4_listener *l, void *copy, struct co4__list *told)
{
    int answer = look_at_oldest(mb, l, copy);
    if (mb->ring.count > 0 && answer != CO4__REFUSES &&
        co4__offer_asked(l, co4__mailbox_oldest(mb)))
        return served(mb, l, co4__mailbox_pop(mb));
    co4_task *sender = mb->capacity == 0 ? meet_looking(mb, l, copy, told) : NULL;
    if (co4__node_stands(l)) /* the mark */
        co4__node_remove(&mb->place, co4__node_of(l));
    return sender ? served(mb, l, co4__mailbox_chain(told->head, sender)) : 0;
}

/* `copy`: NULL for a listener that does not look. */
static int get_or_add(co4_mailbox *mb, co4_listener *l, bool add, void *copy)
{
    struct co4__list told = { NULL, NULL };
    co4__lock_take(&mb->place.lock);
    if (copy ? get_looking(mb, l, copy, &told) : get_now(mb, l, &told))
        return 1;
    if (mb->ring.count == 0 && mb->closed && co4_listener_offer(l, CO4_ECLOSED, NULL))
        return served(mb, l, told.head);
    if (add) {
        mb->refused = mb->refused || mb->ring.count > 0;
        add_node(mb, &mb->place, l, CO4__WAIT_GET, NULL);
    }
    return unserved(mb, told.head);
}

static int get(co4_mailbox *mb, co4_listener *l, bool add)
{
    struct co4__copy copy;
    co4__node_of(l)->wait = CO4__WAIT_NONE; /* in no list; when it is refused drop finds nothing */
    if (!l->ops->look)
        return get_or_add(mb, l, add, NULL);
    if (co4__mailbox_need_more(mb) != CO4_OK || !co4__copy_begin(&copy, mb->ring.elem_size))
        return CO4_ENOMEM;
    int given = get_or_add(mb, l, add, copy.at);
    co4__copy_end(&copy);
    return given;
}

static int get_poll(co4_source *source, co4_listener *l)
{
    return get(of_get(source), l, false);
}

static int get_add(co4_source *source, co4_listener *l)
{
    return get(of_get(source), l, true);
}

void co4__mailbox_get_held(co4_listener *l)
{
    co4_mailbox *mb = mailbox_of(l);
    co4__lock_take(&mb->place.lock);
    mb->odd &= (uint8_t)~CO4__HELD_GET;
    co4_task *woken = co4__mailbox_offer(mb, NULL);
    co4__lock_give(&mb->place.lock);
    co4__mailbox_wake(woken);
}

static void get_drop(co4_source *source, co4_listener *l)
{
    co4__node_drop(&of_get(source)->place, l);
}

static size_t get_size(const co4_source *source)
{
    return of_get(source)->ring.elem_size;
}

const co4_source_ops co4__mailbox_ops = { get_poll, get_add, get_drop, get_size };

co4_source *co4_mailbox_source(co4_mailbox *mb)
{
    return mb ? &mb->source : NULL;
}

/* ---- put ---- */

static co4_putting *of_put(const co4_source *source)
{
    return (co4_putting *)(void *)((char *)(uintptr_t)source - offsetof(co4_putting, source));
}

/* `patient`: without memory it waits, as long as there is a message whose getter will make a
 * place. */
enum manner { PLAIN, PATIENT, URGENT };

/* Is memory missing for this message, or for the time when it has waited? */
static bool wants_room(co4_mailbox *mb, enum manner manner, bool add)
{
    bool full = co4__mailbox_count(mb) == mb->capacity;
    if (manner == URGENT && (full ? add : mb->more->urgent_first) &&
        !co4__mailbox_has_urgent_room(mb))
        return true;
    return !full && !co4__mailbox_has_room(mb);
}

static int make_room(co4_mailbox *mb)
{
    bool full = co4__mailbox_count(mb) == mb->capacity;
    return full || co4__mailbox_has_room(mb) ? co4__mailbox_make_urgent_room(mb)
                                             : co4__mailbox_make_room(mb);
}

/* Under the lock, which may be let go meanwhile. Can a message be put? CO4_OK; CO4_EFULL: it has to
 * wait; CO4_ECLOSED, CO4_ENOMEM. `add`: when it has to wait there is memory for that, too. */
static int can_put(co4_mailbox *mb, enum manner manner, bool add)
{
    int err = CO4_OK;
    while (!mb->closed && err == CO4_OK && wants_room(mb, manner, add))
        err = make_room(mb);
    if (mb->closed)
        return CO4_ECLOSED;
    if (wants_room(mb, manner, add))
        return manner == PATIENT && mb->ring.count > 0 ? CO4_EFULL : CO4_ENOMEM;
    return co4__mailbox_count(mb) == mb->capacity ? CO4_EFULL : CO4_OK;
}

/* The message is in the ring: who gets it, and who is told. */
static int has_put(co4_mailbox *mb, co4_listener *l)
{
    co4_task *woken = co4__mailbox_offer(mb, NULL);
    return served(mb, l, mb->ring.count > 0 ? co4__mailbox_came(mb, woken) : woken);
}

/* Leaves the lock held when it returns 0. CO4__UNASKED: ask the listener, without the lock, and
 * come back. */
static int put_now(co4_putting *p, co4_listener *l, enum manner manner, bool add, int answer,
                   struct co4__list *told)
{
    co4_mailbox *mb = p->mailbox;
    co4__lock_take(&mb->place.lock);
    int err = can_put(mb, manner, add);
    bool direct = mb->capacity == 0 && err == CO4_EFULL;
    if (answer == CO4__UNASKED && (err == CO4_OK || direct)) {
        co4__lock_give(&mb->place.lock);
        return CO4__UNASKED;
    }
    if (answer == CO4__REFUSES && (err == CO4_OK || direct))
        return 0;
    co4_task *receiver = direct ? meet(mb, l, p->message, told) : NULL;
    if (receiver)
        return served(mb, l, co4__mailbox_chain(told->head, receiver));
    if (err == CO4_EFULL)
        return 0;
    if (err != CO4_OK)
        return co4_listener_offer(l, err, NULL) ? served(mb, l, told->head) : 0;
    if (!co4__acquire_asked(l, NULL))
        return 0;
    if (manner == URGENT)
        co4__mailbox_push_urgent(mb, p->message);
    else
        co4__mailbox_push(mb, p->message);
    l->ops->complete(l, CO4_OK, NULL);
    return has_put(mb, l);
}

/* A listener that has been asked at a rendezvous can be met by others while it waits: what it is
 * asked there is always the same. */
static int put(co4_putting *p, co4_listener *l, enum manner manner, bool add)
{
    co4_mailbox *mb = p->mailbox;
    struct co4__list told = { NULL, NULL };
    int answer = co4__unasked(l), given;
    void *msg = (void *)(uintptr_t)p->message;
    while ((given = put_now(p, l, manner, add, answer, &told)) == CO4__UNASKED)
        answer = l->ops->look(l, CO4_OK, NULL);
    if (given)
        return given;
    if (add) {
        if (manner == URGENT) {
            mb->more->urgent_waiting++;
            add_node(mb, &mb->more->urgent_waiters, l, CO4__WAIT_URGENT, msg);
        } else {
            add_node(mb, &mb->place, l, CO4__WAIT_PUT, msg);
        }
        if (l->ops->look && mb->capacity == 0 && answer != CO4__REFUSES)
            co4__node_mark(l, CO4__NODE_ANSWERED);
    }
    return unserved(mb, told.head);
}

static int put_poll(co4_source *source, co4_listener *l)
{
    return put(of_put(source), l, PLAIN, false);
}

static int put_add(co4_source *source, co4_listener *l)
{
    return put(of_put(source), l, PLAIN, true);
}

void co4__mailbox_add_patient(co4_putting *putting, co4_listener *l)
{
    put(putting, l, PATIENT, true);
}

void co4__mailbox_put_held(co4_listener *l)
{
    co4_mailbox *mb = mailbox_of(l);
    co4__lock_take(&mb->place.lock);
    mb->odd &= (uint8_t)~CO4__HELD_PUT;
    co4__lock_give(&mb->place.lock);
    co4__mailbox_let_all_in(mb, false);
}

static void put_drop(co4_source *source, co4_listener *l)
{
    co4__node_drop(&of_put(source)->mailbox->place, l);
}

static const co4_source_ops put_ops = { put_poll, put_add, put_drop, NULL };

co4_source *co4_mailbox_putting(co4_putting *putting, co4_mailbox *mb, const void *msg)
{
    if (!putting || !mb || !msg)
        return NULL;
    *putting = (co4_putting){ { &put_ops }, mb, msg };
    return &putting->source;
}

static int urgent_poll(co4_source *source, co4_listener *l)
{
    return put(of_put(source), l, URGENT, false);
}

static int urgent_add(co4_source *source, co4_listener *l)
{
    return put(of_put(source), l, URGENT, true);
}

static void urgent_drop(co4_source *source, co4_listener *l)
{
    co4_mailbox *mb = of_put(source)->mailbox;
    if (!co4__node_stands(l))
        return;
    co4__lock_take(&mb->place.lock);
    if (co4__node_stands(l))
        co4__mailbox_urgent_leaves(mb, co4__node_of(l));
    co4__lock_give(&mb->place.lock);
}

const co4_source_ops co4__mailbox_urgent_ops = { urgent_poll, urgent_add, urgent_drop, NULL };
