/* descriptor.c - the table of descriptors, waits at them, and their end.
 *
 * Purpose: a call tries first. If it would block, its task waits in the queue of the descriptor's
 * direction. An event wakes one waiter, which tries again. A call that succeeds and may have left
 * something passes the turn on to the next waiter (co4__descriptor_pass). So a queue of n tasks
 * costs one wake an event, and no event is lost while a task waits. Listeners only observe: each
 * event completes all of them.
 *
 * Invariants: `events` counts the events of a direction. A call reads it before it tries. A task
 * queues only if it is still the same under the lock; otherwise it tries again. So an event between
 * the try and the wait is not lost. A read that finds a stream empty stores the number in
 * `drained`, and later reads wait without a try while the numbers are equal. `ended` switches that
 * off: after a hang-up a short read proves nothing. Records are never freed. A generation tells the
 * descriptors of one number apart, and events of an earlier generation are ignored.
 *
 * Concurrency: a call counts itself in `use` while it is inside. co4_close() sets CLOSING and ends
 * all waits. The last call inside, which may be the close, frees the number. So no call acts on
 * another file that has got the same number meanwhile. Model: tests/model/descriptor.pml.
 *
 * Rejected: records in a hash table (a lookup for each call); waking all waiters (n wakes for one
 * event); a lock for the calls of a direction, as Go has (a write of one task would wait for that of
 * another; POSIX lets them interleave). */
#define _GNU_SOURCE /* O_NONBLOCK and others, whatever -std says */
#include "io/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/reactor.h"
#include "platform/lock.h"
#include "sync/look.h"

_Atomic(struct co4__descriptor *) co4__descriptors[CO4__DESCRIPTOR_CHUNKS];

/* ---- the table ---- */

static void init(struct co4__descriptor *d, int fd)
{
    d->fd = fd;
    d->writers.wait_queue.second = true;
    d->writers.first = &d->readers;
    d->readers.gate = d->writers.wait_queue.gate = CO4__GATE_DESCRIPTOR;
    for (int i = 0; i < 2; i++) {
        d->sources[i].ops = &co4__direction_ops[i];
        atomic_init(&d->events[i], 1);
    }
}

static struct co4__descriptor *make(int fd)
{
    unsigned n = (unsigned)fd;
    if (n >= CO4__DESCRIPTOR_CHUNK * CO4__DESCRIPTOR_CHUNKS)
        return NULL;
    _Atomic(struct co4__descriptor *) *at = &co4__descriptors[n / CO4__DESCRIPTOR_CHUNK];
    struct co4__descriptor *old = NULL,
                           *chunk = co4__alloc(CO4__DESCRIPTOR_CHUNK * sizeof *chunk);
    if (!chunk)
        return NULL;
    for (unsigned i = 0; i < CO4__DESCRIPTOR_CHUNK; i++)
        init(&chunk[i], (int)(n - n % CO4__DESCRIPTOR_CHUNK + i));
    /* Release: pairs with the acquire in co4__descriptor_at(), for the contents. */
    if (!atomic_compare_exchange_strong_explicit(at, &old, chunk, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        co4__free(chunk);
        chunk = old;
    }
    return &chunk[n % CO4__DESCRIPTOR_CHUNK];
}

/* ---- waiters ---- */

static void count_waiting(struct co4__descriptor *d, int direction, int change)
{
    unsigned n = atomic_load_explicit(&d->waiting[direction], memory_order_relaxed);
    atomic_store_explicit(&d->waiting[direction], (uint16_t)(n + (unsigned)change),
                          memory_order_relaxed);
}

void co4__descriptor_left(struct co4__wait_queue *p)
{
    int direction;
    struct co4__descriptor *d = co4__descriptor_of_queue(p, &direction);
    count_waiting(d, direction, -1);
}

/* Called under the lock: the first waiter that no other thread has claimed, with its result. */
static co4_task *take_first(struct co4__descriptor *d, int direction, int result)
{
    struct co4__wait_queue *q = co4__direction_queue(d, direction);
    for (co4_task *t = q->waiters.head, *next; t; t = next) {
        next = t->next;
        if (!co4__take(q, t))
            continue; /* it counts itself off when it leaves */
        count_waiting(d, direction, -1);
        t->fiber.result.i = result;
        return t;
    }
    return NULL;
}

static int direction_of(const co4_task *node)
{
    uint8_t wait = atomic_load_explicit(&((co4_task *)(uintptr_t)node)->wait, memory_order_relaxed);
    return (wait & CO4__WHAT_FOR) == CO4__WAIT_WRITE ? CO4__WRITING : CO4__READING;
}

static void unlink_listener(struct co4__descriptor *d, co4_task *node)
{
    co4__list_remove(&d->listeners, node);
    atomic_store_explicit(&node->wait, CO4__WAIT_NONE, memory_order_release);
}

/* Called under the lock, which it yields: completes the listeners of these directions. */
static void complete_listeners(struct co4__descriptor *d, unsigned directions, int code,
                               struct co4__list *woken)
{
    unsigned taken = 0;
    for (co4_task *node = d->listeners.head, *next; node; node = next) {
        next = node->next;
        if (!(directions >> direction_of(node) & 1))
            continue;
        co4_listener *l = co4__listener_of(node);
        int took = co4__offer(l, code, NULL);
        unlink_listener(d, node);
        if (took)
            co4__list_push(woken, node);
        if (co4__wait_queue_may_yield(&d->readers, &taken))
            next = d->listeners.head;
    }
}

static void wake_all(struct co4__list *woken)
{
    for (co4_task *t = woken->head, *next; t; t = next) {
        next = t->next;
        co4__wait_hooks.wake(t);
    }
}

/* Called under the lock, which it yields: every wait ends with this result. */
static void end_waits(struct co4__descriptor *d, int result, int code, struct co4__list *woken)
{
    unsigned taken = 0;
    co4_task *t;
    for (int direction = 0; direction < 2; direction++)
        while ((t = take_first(d, direction, result)) != NULL) {
            co4__list_push(woken, t);
            co4__wait_queue_may_yield(&d->readers, &taken);
        }
    complete_listeners(d, CO4__MAY_READ | CO4__MAY_WRITE, code, woken);
}

/* ---- events ---- */

void co4__descriptor_event(int fd, uint32_t generation, unsigned what)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    struct co4__list woken = { NULL, NULL };
    if (!d)
        return;
    co4__lock_take(&d->readers.lock);
    if (co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed)) == generation) {
        if (what & CO4__HAS_ENDED)
            atomic_store_explicit(&d->ended, true, memory_order_relaxed);
        for (int direction = 0; direction < 2; direction++) {
            if (!(what >> direction & 1))
                continue;
            uint32_t n = atomic_load_explicit(&d->events[direction], memory_order_relaxed) + 1;
            /* Release: a call that sees the number also sees `ended`. */
            atomic_store_explicit(&d->events[direction], n ? n : 1, memory_order_release);
            co4_task *t = take_first(d, direction, CO4_OK);
            if (t)
                co4__list_push(&woken, t);
        }
        if (CO4__UNLIKELY(d->listeners.head != NULL))
            complete_listeners(d, what, CO4_OK, &woken);
    }
    co4__lock_give(&d->readers.lock);
    wake_all(&woken);
}

void co4__descriptor_retry(struct co4__descriptor *d)
{
    struct co4__list woken = { NULL, NULL };
    co4__lock_take(&d->readers.lock);
    end_waits(d, CO4_OK, CO4_OK, &woken);
    co4__lock_give(&d->readers.lock);
    wake_all(&woken);
}

CO4__NOINLINE void co4__descriptor_pass_slow(struct co4__descriptor *d, int direction)
{
    co4__lock_take(&d->readers.lock);
    co4_task *t = take_first(d, direction, CO4_OK);
    co4__lock_give(&d->readers.lock);
    if (t)
        co4__wait_hooks.wake(t);
}

bool co4__descriptor_is_awaited(struct co4__descriptor *d)
{
    co4__lock_take(&d->readers.lock);
    bool awaited = d->readers.waiters.head || d->writers.wait_queue.waiters.head ||
                   d->listeners.head;
    co4__lock_give(&d->readers.lock);
    return awaited;
}

/* ---- attaching ---- */

/* Called under the lock, when the record is unused. */
static void begin(struct co4__descriptor *d, enum co4__descriptor_kind kind, bool shared)
{
    d->kind = (uint8_t)kind;
    d->shared = shared;
    atomic_store_explicit(&d->drained, 0, memory_order_relaxed);
    atomic_store_explicit(&d->ended, false, memory_order_relaxed);
    /* Release: a call that sees the generation sees these fields. */
    atomic_fetch_add_explicit(&d->use, UINT64_C(1) << CO4__GENERATION_SHIFT, memory_order_release);
}

/* The number belongs to another file now. */
static void replace(struct co4__descriptor *d)
{
    struct co4__list woken = { NULL, NULL };
    co4__reactor_forget(d);
    co4__lock_take(&d->readers.lock);
    if (co4__is_attached(atomic_load_explicit(&d->use, memory_order_relaxed))) {
        atomic_fetch_add_explicit(&d->use, UINT64_C(1) << CO4__GENERATION_SHIFT,
                                  memory_order_release);
        end_waits(d, CO4_ECLOSED, CO4_ECLOSED, &woken);
    }
    co4__lock_give(&d->readers.lock);
    wake_all(&woken);
}

int co4__descriptor_attach(int fd, enum co4__descriptor_kind kind, bool shared)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (!d && !(d = make(fd)))
        return fd < 0 ? EBADF : ENOMEM;
    for (;;) {
        uint64_t use = atomic_load_explicit(&d->use, memory_order_acquire);
        if (use & CO4__CLOSING)
            return EBADF;
        if (co4__is_attached(use)) {
            replace(d);
            continue;
        }
        co4__lock_take(&d->readers.lock);
        bool free = !co4__is_attached(atomic_load_explicit(&d->use, memory_order_relaxed));
        if (free)
            begin(d, kind, shared);
        co4__lock_give(&d->readers.lock);
        if (free)
            return 0;
    }
}

static int kind_of(int fd, enum co4__descriptor_kind *kind)
{
    struct stat s;
    int type;
    socklen_t bytes = sizeof type;
    if (fstat(fd, &s) != 0)
        return errno;
    if (S_ISSOCK(s.st_mode))
        *kind = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM
                    ? CO4__STREAM
                    : CO4__SOCKET;
    else if (S_ISFIFO(s.st_mode))
        *kind = CO4__PIPE;
    else if (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode))
        *kind = CO4__FILE;
    else
        *kind = CO4__OTHER;
    return 0;
}

int co4__descriptor_adopt(int fd, bool shared)
{
    enum co4__descriptor_kind kind = CO4__OTHER;
    int err = kind_of(fd, &kind);
    if (err != 0)
        return err;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return errno;
    if (flags & O_NONBLOCK)
        shared = false;
    else if (!shared && kind != CO4__FILE && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return errno;
    return co4__descriptor_attach(fd, kind, shared && kind != CO4__FILE);
}

CO4__NOINLINE struct co4__descriptor *co4__descriptor_enter_slow(int fd)
{
    for (;;) {
        struct co4__descriptor *d = co4__descriptor_at(fd);
        if (d) {
            uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
            if (co4__is_attached(use))
                return d;
            co4__descriptor_leave(d);
            if (use & CO4__CLOSING) {
                errno = EBADF;
                return NULL;
            }
        }
        int err = co4__descriptor_adopt(fd, true);
        if (err != 0) {
            errno = err;
            return NULL;
        }
    }
}

/* ---- the end ---- */

CO4__NOINLINE void co4__descriptor_last(struct co4__descriptor *d)
{
    int was = errno;
    /* The number is free for others only after close(), so the record has to be free before. */
    atomic_fetch_add_explicit(&d->use, (UINT64_C(1) << CO4__GENERATION_SHIFT) - CO4__CLOSING,
                              memory_order_acq_rel);
    close(d->fd);
    errno = was;
}

int co4__descriptor_close(int fd)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    struct co4__list woken = { NULL, NULL };
    if (!d)
        return close(fd);
    uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
    if (!co4__is_attached(use)) {
        co4__descriptor_leave(d);
        if (!(use & CO4__CLOSING))
            return close(fd); /* it has never been attached */
        errno = EBADF;
        return -1;
    }
    co4__lock_take(&d->readers.lock);
    bool mine = !(atomic_fetch_or_explicit(&d->use, CO4__CLOSING, memory_order_acq_rel) &
                  CO4__CLOSING);
    if (mine) /* nothing queues any more: the wait looks at CLOSING under the lock */
        end_waits(d, CO4_ECLOSED, CO4_ECLOSED, &woken);
    co4__lock_give(&d->readers.lock);
    wake_all(&woken);
    if (mine)
        co4__reactor_forget(d);
    co4__descriptor_leave(d);
    if (mine)
        return 0;
    errno = EBADF;
    return -1;
}

int co4__descriptor_detach(int fd)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (!d || !co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire)))
        return -1;
    replace(d);
    return 0;
}

/* ---- a direction as a source ---- */

static struct co4__descriptor *descriptor_of(const co4_source *source, int *direction)
{
    return (struct co4__descriptor *)(uintptr_t)co4__descriptor_of_source(source, direction);
}

/* CO4_OK: a call of this direction would not wait. CO4_EEMPTY: it would. */
static int is_ready(struct co4__descriptor *d, int direction)
{
    struct pollfd p = { .fd = d->fd, .events = direction == CO4__READING ? POLLIN : POLLOUT };
    uint64_t use = atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire);
    int code = !co4__is_attached(use)                    ? CO4_ECLOSED
               : d->kind == CO4__FILE || poll(&p, 1, 0) > 0 ? CO4_OK
                                                         : CO4_EEMPTY;
    co4__descriptor_leave(d);
    return code;
}

static int serve(co4_listener *l, int code)
{
    if (!co4__ask_and_offer(l, code, NULL))
        return 0;
    l->ops->wake(l);
    return 1;
}

static int poll_direction(co4_source *source, co4_listener *l)
{
    int direction;
    struct co4__descriptor *d = descriptor_of(source, &direction);
    int code = is_ready(d, direction);
    return code == CO4_EEMPTY ? 0 : serve(l, code);
}

/* Called without the lock. False: an event has completed it, or is about to. */
static bool unqueue(struct co4__descriptor *d, co4_listener *l)
{
    co4__lock_take(&d->readers.lock);
    bool queued = co4__node_is_queued(l);
    if (queued)
        unlink_listener(d, co4__node_of(l));
    co4__lock_give(&d->readers.lock);
    return queued;
}

/* It queues first, and then looks: what comes in between is an event, or is seen. */
static int add_direction(co4_source *source, co4_listener *l)
{
    int direction;
    struct co4__descriptor *d = descriptor_of(source, &direction);
    struct co4__wait_queue list = { .second = false };
    co4__node_add(&list, l, direction == CO4__READING ? CO4__WAIT_READ : CO4__WAIT_WRITE);
    co4__lock_take(&d->readers.lock);
    uint64_t use = atomic_load_explicit(&d->use, memory_order_relaxed);
    bool open = co4__is_attached(use);
    if (open)
        co4__list_push(&d->listeners, co4__node_of(l));
    else
        atomic_store_explicit(&co4__node_of(l)->wait, CO4__WAIT_NONE, memory_order_relaxed);
    co4__lock_give(&d->readers.lock);
    if (!open)
        return serve(l, CO4_ECLOSED);
    int err = d->kind == CO4__FILE ? 0 : co4__reactor_watch(d, co4__generation_of(use));
    if (err != 0)
        return unqueue(d, l) ? CO4_ENOMEM : 0;
    co4__reactor_arm(d, direction);
    int code = is_ready(d, direction);
    return code != CO4_EEMPTY && unqueue(d, l) ? serve(l, code) : 0;
}

static void drop_direction(co4_source *source, co4_listener *l)
{
    int direction;
    struct co4__descriptor *d = descriptor_of(source, &direction);
    if (co4__node_is_queued(l))
        unqueue(d, l);
}

const co4_source_ops co4__direction_ops[2] = {
    { poll_direction, add_direction, drop_direction, NULL },
    { poll_direction, add_direction, drop_direction, NULL },
};
