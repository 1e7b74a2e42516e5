/* broadcast.c - one message to every subscriber's queue, and those who wait at either end.
 *
 * Both ends are sources; all forms of send and receive are awaits of them. One lock guards the broadcast, its subscribers and
 * their queues. All who wait stand in one list: receivers (kind GET, `buffer` is the subscriber) and senders (PUT, `buffer`
 * is the co4_broadcasting).
 *
 * Invariants, under the lock:
 *   - a receiver waits only while its subscriber is empty, or while it refuses the oldest message (filters: combine.h); a
 *     sender only while a subscriber that makes senders wait is full; but for those that are claimed already and on their way out;
 *   - `stuck` is set when a sender waits, so that a receive looks for senders only then.
 *
 * A send copies the message into every queue first, then gives waiting receivers the oldest of theirs: so one wait is acquired
 * at a time, and the send is over before whoever gets the message is looked for. Memory for all copies is had before the
 * first is made, with the lock let go: who has done so looks at everything again.
 *
 * Rejected: one log of messages with a cursor for each subscriber (less copying; but queues of different bounds and policies
 * would have to keep the whole log for the slowest). */
#include "internal.h"

#define AT_ONCE 64 /* queues that get memory in one go */

struct co4_subscriber {
    co4_source source; /* first; constant, as the next two */
    co4_broadcast *in;
    bool drops;
    co4_ring queue; /* the lock of `in` guards this and the rest */
    unsigned long long dropped;
    co4_subscriber *next, **link;
};

struct co4_broadcast {
    struct co4__place place; /* its lock guards all but elem_size, which is constant */
    size_t elem_size, count;
    co4_subscriber *first;
    bool closed, stuck;
};

static void wake_all(struct co4__list *woken)
{
    for (co4_task *node = woken->head, *next; node; node = next) {
        next = node->next; /* the node is gone once it is woken */
        co4__task_wake(node);
    }
}

/* ---- under the lock ---- */

static unsigned kind_of(co4_task *node)
{
    return atomic_load_explicit(&node->wait, memory_order_relaxed) & CO4__WHAT_FOR;
}

static bool has_place(const co4_broadcast *b)
{
    for (co4_subscriber *s = b->first; s; s = s->next)
        if (!s->drops && s->queue.count == s->queue.capacity)
            return false;
    return true;
}

/* How much memory the next message takes in a queue that wants some, and in how many queues, AT_ONCE
 * at most. 0: none does. */
static size_t wanted(const co4_broadcast *b, unsigned *queues)
{
    size_t room = 0;
    *queues = 0;
    for (const co4_subscriber *s = b->first; s && *queues < AT_ONCE; s = s->next) {
        size_t its = co4__ring_wants(&s->queue);
        room = room == 0 ? its : room;
        *queues += its == room && room > 0;
    }
    return room;
}

/* Blocks of memory that nobody needs (yet): each has the next one in it. */
static void *take_block(void **blocks)
{
    void *block = *blocks;
    if (block)
        memcpy(blocks, block, sizeof *blocks);
    return block;
}

static void add_block(void **blocks, void *block)
{
    if (!block)
        return;
    memcpy(block, blocks, sizeof *blocks);
    *blocks = block;
}

static unsigned get_blocks(void **blocks, unsigned n, size_t room, size_t elem_size)
{
    unsigned had = 0;
    size_t bytes = room <= SIZE_MAX / elem_size ? room * elem_size : 0;
    for (; bytes > 0 && had < n; had++) {
        void *block = co4__alloc(bytes < sizeof block ? sizeof block : bytes);
        if (!block)
            break;
        add_block(blocks, block);
    }
    return had;
}

static void free_blocks(void **blocks)
{
    for (void *block; (block = take_block(blocks)) != NULL;)
        co4__free(block);
}

/* Memory for one more message in all queues. CO4_OK: it is there. CO4_EBUSY: the lock was let go for a
 * while, so look at everything again. CO4_ENOMEM: likewise, and there is none. */
static int make_room(co4_broadcast *b)
{
    unsigned queues;
    void *fresh = NULL, *old = NULL;
    size_t room = wanted(b, &queues);
    if (room == 0)
        return CO4_OK;
    co4__lock_give(&b->place.lock);
    unsigned had = get_blocks(&fresh, queues, room, b->elem_size);
    co4__lock_take(&b->place.lock);
    for (co4_subscriber *s = b->first; s && fresh; s = s->next)
        if (co4__ring_wants(&s->queue) == room) {
            void *block = take_block(&fresh);
            add_block(&old, co4__ring_move_to(&s->queue, block, room));
        }
    co4__lock_give(&b->place.lock);
    free_blocks(&fresh);
    free_blocks(&old);
    co4__lock_take(&b->place.lock);
    return had == queues ? CO4_EBUSY : CO4_ENOMEM;
}

/* To all; there is a place, and memory, or `err` says that there is none. */
static int publish(co4_broadcast *b, const void *msg, int err)
{
    for (co4_subscriber *s = b->first; s && err == CO4_OK; s = s->next) {
        if (s->queue.count == s->queue.capacity) {
            co4_ring_pop(&s->queue, NULL);
            s->dropped++;
        }
        err = co4_ring_push(&s->queue, msg); /* it has memory */
    }
    return err;
}

static void move_out(co4_broadcast *b, co4_task *node, struct co4__list *woken)
{
    co4__node_remove(&b->place, node);
    co4__list_push(woken, node);
}

/* To receivers what has come for them. When that was not the last message, the next one is the oldest: it may be what a
 * filter waits for that has refused those before it (combine.h). */
static void deliver(co4_broadcast *b, struct co4__list *woken)
{
    bool again;
    do {
        again = false;
        for (co4_task *node = b->place.waiters.head, *next; node; node = next) {
            next = node->next;
            if (kind_of(node) != CO4__WAIT_GET)
                continue;
            co4_subscriber *s = co4__waiting(node)->buffer;
            bool has_one = s->queue.count > 0;
            if ((!has_one && !b->closed) ||
                !co4_listener_offer(co4__listener_of(node), has_one ? CO4_OK : CO4_ECLOSED,
                                    co4_ring_peek(&s->queue, 0)))
                continue;
            if (has_one)
                co4_ring_pop(&s->queue, NULL);
            again = again || (has_one && (s->queue.count > 0 || b->closed));
            move_out(b, node, woken);
        }
    } while (again);
}

static co4_task *acquire_sender(co4_broadcast *b)
{
    b->stuck = false;
    for (co4_task *node = b->place.waiters.head; node; node = node->next) {
        co4_listener *l = co4__listener_of(node);
        if (kind_of(node) != CO4__WAIT_PUT)
            continue;
        b->stuck = true;
        if (l->ops->acquire(l, CO4_OK, NULL))
            return node;
    }
    return NULL;
}

static bool admit(co4_broadcast *b, struct co4__list *woken)
{
    if (!b->stuck || !has_place(b))
        return false;
    int err = make_room(b);
    if (err == CO4_EBUSY)
        return true;
    if (!has_place(b))
        return true; /* it was filled meanwhile: then nobody is let in, at the next look */
    co4_task *sender = acquire_sender(b);
    if (!sender)
        return false;
    co4_listener *l = co4__listener_of(sender);
    co4_broadcasting *p = co4__waiting(sender)->buffer;
    l->ops->complete(l, publish(b, p->message, err), NULL);
    move_out(b, sender, woken);
    return true;
}

/* Something has changed: serves all who wait and can be. */
static void settle(co4_broadcast *b, struct co4__list *woken)
{
    if (!b->place.waiters.head)
        return;
    do
        deliver(b, woken);
    while (admit(b, woken));
}

/* Under the lock, which it gives up; `given`: the listener at hand has been completed. */
static int end(co4_broadcast *b, co4_listener *l, int given, struct co4__list *woken)
{
    co4__lock_give(&b->place.lock);
    wake_all(woken);
    if (given)
        l->ops->wake(l);
    return given;
}

static void add_node(co4_broadcast *b, co4_listener *l, unsigned kind, void *buffer)
{
    co4__node_add(&b->place, l, kind);
    co4__waiting(co4__node_of(l))->buffer = buffer;
}

/* ---- life ---- */

co4_broadcast *co4_broadcast_create(size_t elem_size)
{
    co4_broadcast *b = elem_size > 0 ? co4__pool_take(sizeof *b) : NULL;
    if (!b)
        return NULL;
    memset(b, 0, sizeof *b);
    b->elem_size = elem_size;
    return b;
}

int co4_broadcast_destroy(co4_broadcast *broadcast)
{
    if (!broadcast)
        return CO4_OK;
    co4__lock_take(&broadcast->place.lock);
    bool busy = broadcast->first || !co4__place_clear(&broadcast->place);
    co4__lock_give(&broadcast->place.lock);
    if (busy)
        return CO4_EBUSY;
    co4__pool_drop(broadcast, sizeof *broadcast);
    return CO4_OK;
}

int co4_broadcast_close(co4_broadcast *broadcast)
{
    struct co4__list woken = { NULL, NULL };
    if (!broadcast)
        return CO4_EINVAL;
    co4__lock_take(&broadcast->place.lock);
    broadcast->closed = true;
    for (co4_task *node = broadcast->place.waiters.head, *next; node; node = next) {
        next = node->next;
        if (kind_of(node) == CO4__WAIT_PUT &&
            co4_listener_offer(co4__listener_of(node), CO4_ECLOSED, NULL))
            move_out(broadcast, node, &woken);
    }
    broadcast->stuck = false;
    deliver(broadcast, &woken);
    co4__lock_give(&broadcast->place.lock);
    wake_all(&woken);
    return CO4_OK;
}

size_t co4_broadcast_subscribers(co4_broadcast *broadcast)
{
    if (!broadcast)
        return 0;
    co4__lock_take(&broadcast->place.lock);
    size_t n = broadcast->count;
    co4__lock_give(&broadcast->place.lock);
    return n;
}

/* ---- send ---- */

static int send_now(co4_broadcasting *p, co4_listener *l, bool add)
{
    co4_broadcast *b = p->broadcast;
    struct co4__list woken = { NULL, NULL };
    int given = 0;
    int err = CO4_EBUSY;
    co4__lock_take(&b->place.lock);
    while (err == CO4_EBUSY)
        err = !b->closed && has_place(b) ? make_room(b) : CO4_OK;
    if (b->closed) {
        given = co4_listener_offer(l, CO4_ECLOSED, NULL);
    } else if (has_place(b) && l->ops->acquire(l, CO4_OK, NULL)) {
        l->ops->complete(l, publish(b, p->message, err), NULL);
        settle(b, &woken);
        given = 1;
    } else if (add) {
        add_node(b, l, CO4__WAIT_PUT, p);
        b->stuck = true;
    }
    return end(b, l, given, &woken);
}

static co4_broadcasting *of_sending(co4_source *source)
{
    return (co4_broadcasting *)(void *)source; /* its first member */
}

static int send_poll(co4_source *source, co4_listener *l)
{
    return send_now(of_sending(source), l, false);
}

static int send_add(co4_source *source, co4_listener *l)
{
    co4__node_of(l)->wait = CO4__WAIT_NONE; /* when it is refused drop finds nothing */
    return send_now(of_sending(source), l, true);
}

static void send_drop(co4_source *source, co4_listener *l)
{
    co4__node_drop(&of_sending(source)->broadcast->place, l);
}

static const co4_source_ops send_ops = { send_poll, send_add, send_drop, NULL };

co4_source *co4_broadcast_sending(co4_broadcasting *sending, co4_broadcast *broadcast,
                                  const void *msg)
{
    if (!sending || !broadcast || !msg)
        return NULL;
    *sending = (co4_broadcasting){ { &send_ops }, broadcast, msg };
    return &sending->source;
}

int co4_broadcast_try_send(co4_broadcast *broadcast, const void *msg)
{
    co4_broadcasting sending;
    int err = co4_await_try(co4_broadcast_sending(&sending, broadcast, msg), NULL);
    return err == CO4_EEMPTY ? CO4_EFULL : err;
}

int co4_broadcast_send_block_until(co4_broadcast *broadcast, const void *msg, int64_t deadline)
{
    co4_broadcasting sending;
    return co4_await_block_until(co4_broadcast_sending(&sending, broadcast, msg), NULL, deadline);
}

int co4_broadcast_send_block(co4_broadcast *broadcast, const void *msg)
{
    return co4_broadcast_send_block_until(broadcast, msg, CO4_NEVER);
}

/* ---- receive ---- */

static co4_subscriber *of_source(const co4_source *source)
{
    return (co4_subscriber *)(uintptr_t)source; /* its first member */
}

static int recv_now(co4_subscriber *s, co4_listener *l, bool add)
{
    co4_broadcast *b = s->in;
    struct co4__list woken = { NULL, NULL };
    int given = 0;
    co4__lock_take(&b->place.lock);
    if (s->queue.count > 0 && co4_listener_offer(l, CO4_OK, co4_ring_peek(&s->queue, 0))) {
        co4_ring_pop(&s->queue, NULL);
        settle(b, &woken);
        given = 1;
    } else if (s->queue.count == 0 && b->closed && co4_listener_offer(l, CO4_ECLOSED, NULL)) {
        given = 1;
    } else if (add) {
        add_node(b, l, CO4__WAIT_GET, s);
    }
    return end(b, l, given, &woken);
}

static int recv_poll(co4_source *source, co4_listener *l)
{
    return recv_now(of_source(source), l, false);
}

static int recv_add(co4_source *source, co4_listener *l)
{
    return recv_now(of_source(source), l, true);
}

/* Once its wait is over the subscriber may be gone. */
static void recv_drop(co4_source *source, co4_listener *l)
{
    if (co4__node_stands(l))
        co4__node_drop(&of_source(source)->in->place, l);
}

static size_t recv_size(const co4_source *source)
{
    return of_source(source)->queue.elem_size;
}

static const co4_source_ops recv_ops = { recv_poll, recv_add, recv_drop, recv_size };

co4_source *co4_subscriber_source(co4_subscriber *subscriber)
{
    return subscriber ? &subscriber->source : NULL;
}

co4_subscriber *co4_broadcast_subscribe(co4_broadcast *broadcast, size_t capacity, int policy)
{
    if (!broadcast || capacity == 0 ||
        (policy != CO4_BROADCAST_WAIT && policy != CO4_BROADCAST_DROP_OLDEST))
        return NULL;
    co4_subscriber *s = co4__pool_take(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->source.ops = &recv_ops;
    s->in = broadcast;
    s->drops = policy == CO4_BROADCAST_DROP_OLDEST;
    co4_ring_init(&s->queue, broadcast->elem_size, capacity);
    co4__lock_take(&broadcast->place.lock);
    s->next = broadcast->first;
    if (s->next)
        s->next->link = &s->next;
    broadcast->first = s;
    s->link = &broadcast->first;
    broadcast->count++;
    co4__lock_give(&broadcast->place.lock);
    return s;
}

static bool is_waited_at(const co4_subscriber *s)
{
    for (co4_task *node = s->in->place.waiters.head; node; node = node->next)
        if (co4__waiting(node)->buffer == s)
            return true;
    return false;
}

int co4_subscriber_destroy(co4_subscriber *subscriber)
{
    struct co4__list woken = { NULL, NULL };
    if (!subscriber)
        return CO4_OK;
    co4_broadcast *b = subscriber->in;
    co4__lock_take(&b->place.lock);
    bool busy = is_waited_at(subscriber);
    if (!busy) {
        *subscriber->link = subscriber->next;
        if (subscriber->next)
            subscriber->next->link = subscriber->link;
        b->count--;
        settle(b, &woken);
    }
    co4__lock_give(&b->place.lock);
    wake_all(&woken);
    if (busy)
        return CO4_EBUSY;
    co4_ring_fini(&subscriber->queue);
    co4__pool_drop(subscriber, sizeof *subscriber);
    return CO4_OK;
}

int co4_subscriber_try_recv(co4_subscriber *subscriber, void *out)
{
    return co4_await_try(co4_subscriber_source(subscriber), out);
}

int co4_subscriber_recv_block_until(co4_subscriber *subscriber, void *out, int64_t deadline)
{
    return co4_await_block_until(co4_subscriber_source(subscriber), out, deadline);
}

int co4_subscriber_recv_block(co4_subscriber *subscriber, void *out)
{
    return co4_subscriber_recv_block_until(subscriber, out, CO4_NEVER);
}

size_t co4_subscriber_len(co4_subscriber *subscriber)
{
    if (!subscriber)
        return 0;
    co4__lock_take(&subscriber->in->place.lock);
    size_t n = subscriber->queue.count;
    co4__lock_give(&subscriber->in->place.lock);
    return n;
}

unsigned long long co4_subscriber_dropped(co4_subscriber *subscriber)
{
    if (!subscriber)
        return 0;
    co4__lock_take(&subscriber->in->place.lock);
    unsigned long long n = subscriber->dropped;
    co4__lock_give(&subscriber->in->place.lock);
    return n;
}
