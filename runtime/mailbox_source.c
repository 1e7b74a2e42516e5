/* mailbox_source.c - both ends of a mailbox as sources: a message to get, a place to put one.
 *
 * A listener stands among the mailbox's waiters like a task, in its turn. A message rests in the ring between the two sides,
 * so one wait is acquired at a time: the put is over before whoever gets the message is looked for.
 *
 * A rendezvous channel has no ring: there both waits are acquired before either is completed, in the order of their
 * owners, so that two such pairs of the same two selects never wait for each other. */
#include "mailbox.h"

static void node_at(struct co4__place *list, co4_listener *l, unsigned kind, void *buffer)
{
    co4__node_add(list, l, kind);
    co4__waiting(co4__node_of(l))->buffer = buffer;
}

/* Under the lock, which it gives up. 1: the listener has been served and woken, and so have `others`. */
static int served(co4_mailbox *mb, co4_listener *l, co4_task *others)
{
    co4__lock_give(&mb->place.lock);
    co4__mailbox_wake(others);
    l->ops->wake(l);
    return 1;
}

/* ---- rendezvous ---- */

static bool acquire_both(co4_listener *a, co4_listener *b, const void *msg)
{
    const void *owner_a = a->ops->owner(a), *owner_b = b->ops->owner(b);
    if (owner_a == owner_b)
        return false; /* a select does not talk to itself */
    co4_listener *first = (uintptr_t)owner_a < (uintptr_t)owner_b ? a : b,
                 *second = first == a ? b : a;
    if (!first->ops->acquire(first, CO4_OK, msg))
        return false;
    if (second->ops->acquire(second, CO4_OK, msg))
        return true;
    first->ops->release(first);
    return false;
}

/* The listener meets who waits on the other side: `msg` is its message, or NULL, and it receives theirs. Returns the other, off
 * the list, to be woken; NULL: they have not met. */
static co4_task *meet(co4_mailbox *mb, co4_listener *l, const void *msg)
{
    unsigned other_side = msg ? CO4__WAIT_GET : CO4__WAIT_PUT;
    for (co4_task *t = mb->place.waiters.head, *next; t; t = next) {
        next = t->next;
        unsigned what = atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR;
        if (what != other_side)
            continue;
        void *buffer = co4__waiting(t)->buffer;
        const void *passed = msg ? msg : buffer;
        if (t->fiber.kind == CO4__KIND_LISTENER) {
            co4_listener *other = co4__listener_of(t);
            if (!acquire_both(l, other, passed))
                continue;
            l->ops->complete(l, CO4_OK, msg ? NULL : passed);
            other->ops->complete(other, CO4_OK, msg ? passed : NULL);
            co4__node_remove(&mb->place, t);
            t->next = NULL;
            return t;
        }
        if (!l->ops->acquire(l, CO4_OK, passed))
            continue;
        if (!co4__take(&mb->place, t)) {
            l->ops->release(l);
            continue;
        }
        if (msg)
            memcpy(buffer, msg, mb->ring.elem_size);
        l->ops->complete(l, CO4_OK, msg ? NULL : passed);
        t->fiber.result.i = CO4_OK;
        t->next = NULL;
        return t;
    }
    return NULL;
}

/* ---- get ---- */

static co4_mailbox *of_get(const co4_source *source)
{
    return (co4_mailbox *)(void *)((char *)(uintptr_t)source - offsetof(co4_mailbox, source));
}

/* Leaves the lock held when it returns 0. */
static int get_now(co4_mailbox *mb, co4_listener *l)
{
    co4__lock_take(&mb->place.lock);
    if (mb->ring.count > 0 && co4_listener_offer(l, CO4_OK, co4__mailbox_oldest(mb)))
        return served(mb, l, co4__mailbox_pop(mb));
    co4_task *sender = mb->capacity == 0 ? meet(mb, l, NULL) : NULL;
    if (sender)
        return served(mb, l, sender);
    if (mb->ring.count == 0 && mb->closed && co4_listener_offer(l, CO4_ECLOSED, NULL))
        return served(mb, l, NULL);
    return 0;
}

static int get_poll(co4_source *source, co4_listener *l)
{
    co4_mailbox *mb = of_get(source);
    if (get_now(mb, l))
        return 1;
    co4__lock_give(&mb->place.lock);
    return 0;
}

static int get_add(co4_source *source, co4_listener *l)
{
    co4_mailbox *mb = of_get(source);
    if (get_now(mb, l))
        return 1;
    mb->refused = mb->refused || mb->ring.count > 0;
    node_at(&mb->place, l, CO4__WAIT_GET, NULL);
    co4__lock_give(&mb->place.lock);
    return 0;
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

/* `patient`: without memory it waits, as long as there is a message whose getter will make a place. */
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

/* Leaves the lock held when it returns 0. */
static int put_now(co4_putting *p, co4_listener *l, enum manner manner, bool add)
{
    co4_mailbox *mb = p->mailbox;
    int err = CO4_OK;
    co4__lock_take(&mb->place.lock);
    for (;;) {
        co4_task *receiver = mb->capacity == 0 && !mb->closed ? meet(mb, l, p->message) : NULL;
        if (receiver)
            return served(mb, l, receiver);
        if (mb->closed || !wants_room(mb, manner, add)) {
            err = CO4_OK;
            break;
        }
        if (err != CO4_OK)
            break;
        err = make_room(mb);
    }
    if (mb->closed)
        err = CO4_ECLOSED;
    else if (err == CO4_OK && co4__mailbox_count(mb) == mb->capacity)
        return 0;
    else if (err != CO4_OK && manner == PATIENT && mb->ring.count > 0)
        return 0;
    if (!l->ops->acquire(l, CO4_OK, NULL))
        return 0;
    if (err == CO4_OK && manner == URGENT)
        co4__mailbox_push_urgent(mb, p->message);
    else if (err == CO4_OK)
        co4__mailbox_push(mb, p->message);
    l->ops->complete(l, err, NULL);
    if (err != CO4_OK)
        return served(mb, l, NULL);
    co4_task *woken = co4__mailbox_offer(mb, NULL);
    return served(mb, l, mb->ring.count > 0 ? co4__mailbox_came(mb, woken) : woken);
}

static int put_poll(co4_source *source, co4_listener *l)
{
    if (put_now(of_put(source), l, PLAIN, false))
        return 1;
    co4__lock_give(&of_put(source)->mailbox->place.lock);
    return 0;
}

static int add_putting(co4_putting *p, co4_listener *l, enum manner manner)
{
    co4_mailbox *mb = p->mailbox;
    void *msg = (void *)(uintptr_t)p->message;
    if (put_now(p, l, manner, true))
        return 1;
    if (manner == URGENT) {
        mb->more->urgent_waiting++;
        node_at(&mb->more->urgent_waiters, l, CO4__WAIT_URGENT, msg);
    } else {
        node_at(&mb->place, l, CO4__WAIT_PUT, msg);
    }
    co4__lock_give(&mb->place.lock);
    return 0;
}

static int put_add(co4_source *source, co4_listener *l)
{
    return add_putting(of_put(source), l, PLAIN);
}

void co4__mailbox_add_patient(co4_putting *putting, co4_listener *l)
{
    add_putting(putting, l, PATIENT);
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
    if (put_now(of_put(source), l, URGENT, false))
        return 1;
    co4__lock_give(&of_put(source)->mailbox->place.lock);
    return 0;
}

static int urgent_add(co4_source *source, co4_listener *l)
{
    return add_putting(of_put(source), l, URGENT);
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
