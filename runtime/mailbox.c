/* mailbox.c - a bounded ring of messages, and those who wait at either end.
 *
 * Invariants, under `lock`:
 *   - receivers wait only while the ring is empty, senders only while it is full; so `waiters` holds one kind at a time,
 *     first come first served, and perhaps such of either kind as are claimed already and on their way out (wait.c);
 *   - but a filter (combine.c) waits also while the oldest message is one that it does not want. `refused` says that there
 *     may be such receivers: then each new oldest message is offered to them (co4__mailbox_offer);
 *   - a mailbox of capacity 0, a rendezvous channel, is always both empty and full: of its two sides one waits at most,
 *     and what comes to the other takes from it or gives to it directly;
 *   - a closed mailbox has no waiters but such receivers;
 *   - the urgent messages are the oldest of the ring, so many as `more` says;
 *   - a waiter's buffer is readable (sender) or writable (receiver) as long as it is in the list: it is a pinned local
 *     of a paused activation, or on the stack of a blocked thread.
 *
 * Hand-over. A put that finds a receiver waiting copies the message straight into its buffer; a
 * get that makes room moves the first waiting sender's message into the ring. The woken one has
 * what it came for: it takes no lock and cannot find that somebody was faster. Whoever claims a
 * waiter owns its wake, and wakes it after the lock is gone. (tests/model/mailbox.pml.)
 *
 * The lock is four bytes and held for the copy of one element, or of a few. Nothing under it waits. Memory for the ring is
 * taken and given back without it: who has let it go for that looks at everything again. Order: mailbox, then timers. A thread that is alone (alone.c) does the common cases without it.
 *
 * What few use (mailbox_more.c) hangs on `more`. The fast path knows of it by one byte, `odd`, which it had to
 * read anyway for a put to a closed mailbox.
 *
 * The ring starts empty and doubles up to the capacity, so a mailbox that is used for hand-over
 * never has one, and a million mailboxes do not cost a million rings of 300.
 *
 * Rejected: rings from the frame pool (they mix with frames of the same size and leave its lists
 * in disorder: a second skynet ran 1.5 times as long); a lock-free ring (waiting senders and
 * receivers, close and deadlines need one decision over both the messages and the waiters);
 * Kilim's single consumer; NULL for "empty". */
#include "mailbox.h"

#include "insight.h"

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
    (*mb)->elem_size = (uint32_t)elem_size;
    (*mb)->capacity = (uint32_t)capacity;
    if (CO4__UNLIKELY(accounted))
        co4__account_add(account_of(*mb), *mb);
    return CO4_OK;
}

int co4_mailbox_destroy(co4_mailbox *mb)
{
    if (!mb)
        return CO4_OK;
    co4__lock_take(&mb->place.lock);
    bool clear = co4__place_clear(&mb->place) &&
                 !(mb->more && (mb->more->watches || mb->more->due));
    co4__lock_give(&mb->place.lock);
    if (!clear)
        return CO4_EBUSY;
    if (mb->more)
        co4__pool_drop(mb->more, sizeof *mb->more);
    if (CO4__UNLIKELY(mb->accounted))
        co4__account_drop(account_of(mb));
    co4__free(mb->ring);
    co4__pool_drop(mb, bytes_of(mb->accounted));
    return CO4_OK;
}

/* ---- the ring, under the lock ---- */

static inline void copy(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 8)
        co4_abi_copy(to, from, 8);
    else if (bytes == 4)
        co4_abi_copy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

/* Room for the first message: all of a small mailbox at once, a few elements of a large one. */
static uint32_t first_room(const co4_mailbox *mb)
{
    return (uint64_t)mb->capacity * mb->elem_size <= SMALL_RING ? mb->capacity : 4;
}

/* `ring` has room for that many, and takes the place of the old one, which is returned. */
static unsigned char *move_to(co4_mailbox *mb, unsigned char *ring, uint32_t room)
{
    unsigned char *old = mb->ring;
    if (mb->count) {
        uint32_t upper = mb->room - mb->head < mb->count ? mb->room - mb->head : mb->count;
        memcpy(ring, mb->ring + (size_t)mb->head * mb->elem_size, (size_t)upper * mb->elem_size);
        memcpy(ring + (size_t)upper * mb->elem_size, mb->ring,
               (size_t)(mb->count - upper) * mb->elem_size);
    }
    mb->ring = ring;
    mb->room = room;
    mb->head = 0;
    return old;
}

int co4__mailbox_resize(co4_mailbox *mb, uint32_t room, bool larger)
{
    size_t bytes = room <= SIZE_MAX / mb->elem_size ? (size_t)room * mb->elem_size : 0;
    co4__lock_give(&mb->place.lock);
    unsigned char *ring = bytes > 0 ? co4__alloc(bytes) : NULL, *unused = ring;
    co4__lock_take(&mb->place.lock);
    if (ring && room >= mb->count && (larger ? room > mb->room : room < mb->room))
        unused = move_to(mb, ring, room);
    if (unused) {
        co4__lock_give(&mb->place.lock);
        co4__free(unused);
        co4__lock_take(&mb->place.lock);
    }
    return ring ? CO4_OK : CO4_ENOMEM;
}

static CO4__NOINLINE bool grow(co4_mailbox *mb, uint32_t room)
{
    if (room > mb->capacity)
        room = mb->capacity;
    return room <= mb->room || co4__mailbox_resize(mb, room, true) == CO4_OK;
}

static inline void *slot(co4_mailbox *mb, uint32_t i)
{
    uint32_t at = mb->head + i; /* both below 2^31 */
    if (at >= mb->room)
        at -= mb->room;
    return mb->ring + (size_t)at * mb->elem_size;
}

int co4_mailbox_reserve(co4_mailbox *mb, size_t count)
{
    if (!mb)
        return CO4_EINVAL;
    co4__lock_take(&mb->place.lock);
    bool ok = grow(mb, count > mb->capacity ? mb->capacity : (uint32_t)count);
    co4__lock_give(&mb->place.lock);
    return ok ? CO4_OK : CO4_ENOMEM;
}

/* ---- waiters, under the lock ---- */

/* The first of this kind that nobody has claimed; off the list with its result, its `next` NULL, and the caller owns the wake. NULL:
 * there is none. `move` copies its message while its buffer is still there; a listener that receives has copied it itself. */
static inline co4_task *serve(co4_mailbox *mb, unsigned kind,
                              void (*move)(co4_mailbox *mb, void *buffer, const void *msg),
                              const void *msg)
{
    for (co4_task *t = mb->place.waiters.head, *next; t; t = next) {
        next = t->next;
        if ((atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR) != kind)
            continue;
        if (CO4__UNLIKELY(t->fiber.kind == CO4__KIND_LISTENER)) {
            if (!co4_listener_offer(co4__listener_of(t), CO4_OK, msg)) {
                mb->refused = mb->refused || kind == CO4__WAIT_GET;
                continue;
            }
            if (kind != CO4__WAIT_GET)
                move(mb, co4__waiting(t)->buffer, msg);
            co4__node_remove(&mb->place, t);
            t->next = NULL;
            return t;
        }
        if (!co4__take(&mb->place, t))
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
    copy(buffer, msg, mb->elem_size);
}

static inline void to_receiver_from_sender(co4_mailbox *mb, void *buffer, const void *out)
{
    copy((void *)(uintptr_t)out, buffer, mb->elem_size);
}

static inline void from_sender(co4_mailbox *mb, void *buffer, const void *msg)
{
    (void)msg;
    copy(slot(mb, mb->count++), buffer, mb->elem_size);
}

/* There is a place, and `more`. The fewer of those before it and behind it move: nothing, where all
 * are urgent or none is. */
static void insert_urgent(co4_mailbox *mb, const void *msg)
{
    struct co4__mailbox_more *x = mb->more;
    uint32_t behind = mb->count - x->urgent;
    mb->count++;
    if (x->urgent <= behind) {
        mb->head = (mb->head == 0 ? mb->room : mb->head) - 1;
        for (uint32_t i = 0; i < x->urgent; i++)
            copy(slot(mb, i), slot(mb, i + 1), mb->elem_size);
    } else {
        for (uint32_t i = mb->count - 1; behind > 0; i--, behind--)
            copy(slot(mb, i), slot(mb, i - 1), mb->elem_size);
    }
    copy(slot(mb, x->urgent++), msg, mb->elem_size);
}

static void from_urgent_sender(co4_mailbox *mb, void *buffer, const void *msg)
{
    (void)msg;
    insert_urgent(mb, buffer);
}

co4_task *co4__mailbox_let_in(co4_mailbox *mb)
{
    struct co4__mailbox_more *x = mb->more;
    if (x && x->urgent_waits) {
        co4_task *sender = serve(mb, CO4__WAIT_URGENT, from_urgent_sender, NULL);
        if (sender)
            return sender;
        x->urgent_waits = false;
    }
    return serve(mb, CO4__WAIT_PUT, from_sender, NULL);
}

/* It is closed: tells all who wait, but receivers that wait for another message than the oldest.
 * With `breathes` the lock is let go now and then. */
static void end_waits(co4_mailbox *mb, struct co4__list *woken, bool breathes)
{
    unsigned taken = 0;
    for (co4_task *t = mb->place.waiters.head, *next; t; t = next) {
        next = t->next;
        if (mb->count > 0 &&
            (atomic_load_explicit(&t->wait, memory_order_relaxed) & CO4__WHAT_FOR) == CO4__WAIT_GET)
            continue;
        if (t->fiber.kind == CO4__KIND_LISTENER) {
            if (!co4_listener_offer(co4__listener_of(t), CO4_ECLOSED, NULL))
                continue;
            co4__node_remove(&mb->place, t);
        } else if (co4__take(&mb->place, t)) {
            t->fiber.result.i = CO4_ECLOSED;
        } else {
            continue;
        }
        co4__list_push(woken, t);
        if (breathes && co4__place_breathe(&mb->place, &taken))
            next = mb->place.waiters.head;
    }
}

/* ---- one attempt, under the lock ---- */

static inline bool has_room(const co4_mailbox *mb)
{
    return CO4__LIKELY(mb->count != mb->room);
}

/* The ring is full, the mailbox is not. True: look again, for the lock was let go meanwhile. */
static CO4__NOINLINE bool make_room(co4_mailbox *mb)
{
    return grow(mb, mb->room ? 2 * mb->room : first_room(mb));
}

/* There is a place, and memory for it. */
static inline void push(co4_mailbox *mb, const void *msg)
{
    copy(slot(mb, mb->count), msg, mb->elem_size);
    mb->count++;
}

static inline void drop_oldest(co4_mailbox *mb)
{
    mb->head = mb->head + 1 == mb->room ? 0 : mb->head + 1;
    mb->count--;
}

/* A message was taken from the head. */
static void count_urgent(co4_mailbox *mb)
{
    if (!mb->more)
        return;
    mb->more->gone++;
    if (mb->more->urgent > 0)
        mb->more->urgent--;
}

co4_task *co4__mailbox_offer(co4_mailbox *mb, co4_task *first)
{
    struct co4__list woken = { NULL, NULL };
    co4_task *receiver, *sender = first;
    for (;;) {
        if (sender)
            co4__list_push(&woken, sender);
        receiver = mb->count > 0 ? serve(mb, CO4__WAIT_GET, to_receiver, slot(mb, 0)) : NULL;
        if (!receiver)
            break;
        co4__list_push(&woken, receiver);
        drop_oldest(mb);
        count_urgent(mb);
        sender = co4__mailbox_let_in(mb);
    }
    if (mb->count == 0)
        mb->refused = false;
    if (mb->count == 0 && mb->closed)
        end_waits(mb, &woken, false);
    return woken.head;
}

/* A message was taken out, and somebody waits: if the ring was full, to send. Or there is more. */
static CO4__NOINLINE co4_task *room_made(co4_mailbox *mb)
{
    bool was_full = mb->count + 1 == mb->capacity;
    count_urgent(mb);
    co4_task *sender = co4__mailbox_let_in(mb);
    co4_task *woken = mb->refused ? co4__mailbox_offer(mb, sender) : sender;
    if (sender && mb->count > 0)
        woken = co4__mailbox_came(mb, woken);
    return was_full && mb->count < mb->capacity ? co4__mailbox_tell(mb, CO4_MAILBOX_SPACE, woken)
                                                : woken;
}

static inline co4_task *taken(co4_mailbox *mb)
{
    /* One branch for both. */
    return ((uintptr_t)mb->place.waiters.head | mb->odd) != 0 ? room_made(mb) : NULL;
}

static CO4__NOINLINE int put_odd(co4_mailbox *mb, const void *msg, co4_task **wake)
{
    do {
        if (mb->closed)
            return CO4_ECLOSED;
        if (mb->count == 0 && (*wake = serve(mb, CO4__WAIT_GET, to_receiver, msg)) != NULL)
            return CO4_OK;
        if (mb->count == mb->capacity)
            return CO4_EFULL;
        if (has_room(mb)) {
            push(mb, msg);
            *wake = co4__mailbox_came(mb, NULL);
            return CO4_OK;
        }
    } while (make_room(mb));
    return CO4_ENOMEM;
}

/* *wake: tasks to wake once the lock is gone, linked by `next`. */
static inline int put_now(co4_mailbox *mb, const void *msg, co4_task **wake)
{
    *wake = NULL;
    do {
        if (CO4__UNLIKELY(mb->odd))
            return put_odd(mb, msg, wake);
        if (mb->count == 0 && (*wake = serve(mb, CO4__WAIT_GET, to_receiver, msg)) != NULL)
            return CO4_OK; /* an empty ring: who waits, receives */
        if (mb->count == mb->capacity)
            return CO4_EFULL;
        if (has_room(mb)) {
            push(mb, msg);
            return CO4_OK;
        }
    } while (make_room(mb));
    return CO4_ENOMEM;
}

static inline int get_now(co4_mailbox *mb, void *out, co4_task **wake)
{
    *wake = NULL;
    if (mb->count == 0) {
        if (CO4__UNLIKELY(mb->capacity == 0) &&
            (*wake = serve(mb, CO4__WAIT_PUT, to_receiver_from_sender, out)) != NULL)
            return CO4_OK;
        return mb->closed ? CO4_ECLOSED : CO4_EEMPTY;
    }
    copy(out, slot(mb, 0), mb->elem_size);
    drop_oldest(mb);
    *wake = taken(mb);
    return CO4_OK;
}

void co4__mailbox_push(co4_mailbox *mb, const void *msg)
{
    push(mb, msg);
}

bool co4__mailbox_has_room(const co4_mailbox *mb)
{
    return has_room(mb);
}

int co4__mailbox_make_room(co4_mailbox *mb)
{
    return make_room(mb) ? CO4_OK : CO4_ENOMEM;
}

const void *co4__mailbox_oldest(co4_mailbox *mb)
{
    return slot(mb, 0);
}

co4_task *co4__mailbox_pop(co4_mailbox *mb)
{
    drop_oldest(mb);
    return taken(mb);
}

void co4__mailbox_push_urgent(co4_mailbox *mb, const void *msg)
{
    insert_urgent(mb, msg);
}

int co4__mailbox_get_now(co4_mailbox *mb, void *out, co4_task **wake)
{
    return get_now(mb, out, wake);
}

void *co4__mailbox_at(co4_mailbox *mb, uint32_t i)
{
    return slot(mb, i);
}

/* Those before it move up to close the gap: then it is the head that is taken. */
co4_task *co4__mailbox_remove(co4_mailbox *mb, uint32_t i)
{
    struct co4__mailbox_more *x = mb->more;
    if (x && x->urgent > 0 && i >= x->urgent)
        x->urgent++; /* none of them goes */
    for (; i > 0; i--)
        copy(slot(mb, i), slot(mb, i - 1), mb->elem_size);
    return co4__mailbox_pop(mb);
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

/* The first who waits, if it is a task or a thread that waits for this, with no timer, and nobody is about to claim it. */
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
    if (mb->place.waiters.head && mb->count == 0) {
        if (!(t = first_for(mb, CO4__WAIT_GET)))
            return false;
        to_receiver(mb, co4__waiting(t)->buffer, msg);
        *wake = serve_alone(mb, t);
    } else if (mb->count == mb->capacity) {
        *err = CO4_EFULL;
    } else if (mb->count == mb->room) {
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
    if (mb->count == 0) {
        *err = CO4_EEMPTY;
        return mb->capacity != 0;
    }
    if (mb->place.waiters.head && !(t = first_for(mb, CO4__WAIT_PUT)))
        return false;
    copy(out, slot(mb, 0), mb->elem_size);
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
    if (CO4__UNLIKELY(atomic_load(&mb->place.lock.held) != 0 || mb->odd || mb->refused))
        return false;
    return kind == CO4__WAIT_GET ? get_alone(mb, msg, err, wake) : put_alone(mb, msg, err, wake);
}

/* ---- four forms ---- */

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
    if (must_wait(err))
        return co4__wait(co4, &mb->place, (unsigned)kind, msg, NULL);
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
    if (must_wait(err))
        return co4__wait(co4, &mb->place, (unsigned)kind, msg, timer);
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
        co4__wait_thread(&b.task, &mb->place, (unsigned)kind, msg);
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
    mb->closed = mb->odd = true;
    end_waits(mb, &woken, true);
    co4_task *first = co4__mailbox_tell(mb, events, woken.head);
    co4__lock_give(&mb->place.lock);
    wake(first);
    return CO4_OK;
}

size_t co4_mailbox_len(co4_mailbox *mb)
{
    if (!mb)
        return 0;
    co4__lock_take(&mb->place.lock);
    size_t n = mb->count;
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
