/* descriptor.h - the table of descriptors: what waits at each, and what is known of it.
 * descriptor.c explains the protocol. */
#ifndef CO4_DESCRIPTOR_H
#define CO4_DESCRIPTOR_H

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "base/words.h"
#include "core/task.h"
#include "core/wait.h"

struct co4__io_ops;
struct co4__reactor;

enum co4__direction { CO4__READING, CO4__WRITING };

/* What a driver reports of a descriptor. */
enum {
    CO4__MAY_READ = 1 << CO4__READING,
    CO4__MAY_WRITE = 1 << CO4__WRITING,
    CO4__HAS_ENDED = 4 /* hang-up, error, urgent data: from now on a short read proves nothing */
};

enum co4__descriptor_kind {
    CO4__OTHER,  /* a terminal or another device */
    CO4__STREAM, /* a stream socket: a short read proves that it is drained */
    CO4__SOCKET, /* any other socket */
    CO4__PIPE,
    CO4__ANONYMOUS, /* no file: an eventfd, a timerfd, a pidfd, inotify … */
    CO4__FILE       /* always ready: a regular file, a directory */
};

/* 128 bytes on 64 bits, one for each number. The lock of the first queue guards the fields that are
 * not atomic; it orders the atomic ones, which calls read without it. */
struct co4__descriptor {
    struct co4__wait_queue queues[2]; /* by direction: tasks */
    struct co4__list listeners;       /* of both directions */
    co4_source sources[2];            /* by direction */
    /* From the highest bit: the generation (32 bits; odd while the descriptor is attached),
     * CO4__CLOSING, CO4__ENDING, the number of calls that use the descriptor now. */
    _Atomic uint64_t use;
    _Atomic(struct co4__reactor *) reactor; /* where it is registered; NULL: nowhere */
    const struct co4__io_ops *ops;          /* constant while it is attached */
    _Atomic uint32_t events[2];             /* by direction: the number of events; never 0 */
    /* The number of events at which a read found the descriptor empty. While it is equal to
     * events[CO4__READING], a read would find nothing. */
    _Atomic uint32_t drained;
    int fd;                    /* constant */
    atomic_bool has_queued[2]; /* by direction: tasks are in the wait queue */
    uint8_t kind;              /* enum co4__descriptor_kind; constant while it is attached */
    bool shared;               /* likewise: it may lack O_NONBLOCK */
    bool is_socket;            /* likewise: it is one of the system, which need not ask `ops` */
    atomic_bool ended;         /* CO4__HAS_ENDED was reported */
    atomic_bool of_run;        /* `reactor` is that of a run, which others cannot rely on */
    _Atomic uint8_t no_nowait; /* by direction a bit: RWF_NOWAIT is not for it; CO4__TAKEN_OVER */
};

#define CO4__TAKEN_OVER 0x80 /* the descriptor belongs to a connection, not to what has made it */

#define CO4__CLOSING          (UINT64_C(1) << 31) /* waits end; calls are still inside */
#define CO4__ENDING           (UINT64_C(1) << 30) /* close() is under way; it is not attached */
#define CO4__CALLS            (CO4__ENDING - 1)
#define CO4__GENERATION_SHIFT 32

#define CO4__DESCRIPTOR_CHUNK  256
#define CO4__DESCRIPTOR_CHUNKS CO4__WORDS

extern CO4__OWN struct co4__words co4__descriptors; /* the addresses of the chunks */

static inline uint32_t co4__generation_of(uint64_t use)
{
    return (uint32_t)(use >> CO4__GENERATION_SHIFT);
}

static inline bool co4__is_attached(uint64_t use)
{
    return (use & (UINT64_C(1) << CO4__GENERATION_SHIFT | CO4__CLOSING)) ==
           UINT64_C(1) << CO4__GENERATION_SHIFT;
}

static inline bool co4__has_nowait(const struct co4__descriptor *d, int direction)
{
    return !(atomic_load_explicit(&((struct co4__descriptor *)(uintptr_t)d)->no_nowait,
                                  memory_order_relaxed) >>
                 direction &
             1);
}

/* A read of this thread, with so many events before it, has found its stream empty: others need not
 * try before the next event. */
static inline void co4__descriptor_drained(struct co4__descriptor *d, uint32_t events)
{
    if (!atomic_load_explicit(&d->ended, memory_order_relaxed))
        atomic_store_explicit(&d->drained, events, memory_order_relaxed);
}

static inline short co4__poll_event(int direction)
{
    return direction == CO4__READING ? POLLIN : POLLOUT;
}

static inline struct co4__descriptor *co4__descriptor_chunk(unsigned i)
{
    _Atomic(uintptr_t) *word = co4__words_at(&co4__descriptors, i);
    uintptr_t chunk = CO4__LIKELY(word != NULL) ? atomic_load_explicit(word, memory_order_acquire)
                                                : 0;
    return (struct co4__descriptor *)chunk; // NOLINT(performance-no-int-to-ptr)
}

/* NULL: no descriptor near this number has been attached. */
static inline struct co4__descriptor *co4__descriptor_at(int fd)
{
    unsigned n = (unsigned)fd;
    struct co4__descriptor *chunk = co4__descriptor_chunk(n / CO4__DESCRIPTOR_CHUNK);
    return CO4__LIKELY(chunk != NULL) ? &chunk[n % CO4__DESCRIPTOR_CHUNK] : NULL;
}

/* Makes the records near this number. NULL: the number is too large, or there is no memory. */
struct co4__descriptor *co4__descriptor_make(int fd);
/* Called under the lock, which it yields: every wait ends with this result, every listener with
 * this code. The caller wakes what it has added to `woken`, without the lock. */
void co4__descriptor_end_waits(struct co4__descriptor *d, int result, int code,
                               struct co4__list *woken);
/* Called under the lock, for a listener that is queued. */
void co4__descriptor_unlink(struct co4__descriptor *d, struct co4__waiter *w);

/* What a descriptor has from its beginning. */
struct co4__attachment {
    const struct co4__io_ops *ops;
    enum co4__descriptor_kind kind;
    bool shared, direct; /* direct: with O_DIRECT, so that each call would wait for the device */
};

/* co4__descriptor_at(), for test mode, which is a library of its own. */
CO4__PRIVATE struct co4__descriptor *co4__descriptor_find(int fd);

/* Attaches it (io/attach.c). An earlier descriptor of this number, closed without co4_close(), is
 * forgotten. Returns 0 or an error number: EBADF, ENOMEM. */
CO4__PRIVATE int co4__descriptor_attach(int fd, enum co4__descriptor_kind kind, bool shared,
                                        const struct co4__io_ops *ops);
/* The steps of that. The record of a number; NULL with an error number. */
struct co4__descriptor *co4__descriptor_record(int fd, int *err);
/* Returns the generation, when no close() of the number is under way. */
uint32_t co4__descriptor_settled(struct co4__descriptor *d);
/* EEXIST: it is attached. EAGAIN: the generation is not that of `before`, so the number may mean
 * another file by now. */
int co4__descriptor_attach_new(struct co4__descriptor *d, uint32_t before,
                               const struct co4__attachment *how);
/* Returns EAGAIN; 0 if what is attached stays. */
int co4__descriptor_forget_earlier(struct co4__descriptor *d);
/* Attaches a descriptor of the system (io/adopt.c): finds out the kind. `shared`: leaves O_NONBLOCK
 * as it is. Returns 0 or an error number. */
int co4__descriptor_adopt(int fd, bool shared);
/* The slow path of co4__descriptor_enter(). */
struct co4__descriptor *co4__descriptor_enter_slow(int fd);
/* A call has left a descriptor that was closed, as the last one or nearly so. */
void co4__descriptor_last(struct co4__descriptor *d);

/* Ends a call. If the descriptor was closed meanwhile, the last call closes it in the system. */
static inline void co4__descriptor_leave(struct co4__descriptor *d)
{
    uint64_t was = atomic_fetch_sub_explicit(&d->use, 1, memory_order_acq_rel);
    if (CO4__UNLIKELY((was & (CO4__CLOSING | CO4__CALLS)) == (CO4__CLOSING | 1)))
        co4__descriptor_last(d);
}

/* Begins a call, and attaches the descriptor if it is not yet: the number does not get another
 * meaning until the call ends. Returns NULL with `errno` set. */
static inline struct co4__descriptor *co4__descriptor_enter(int fd)
{
    struct co4__descriptor *d = co4__descriptor_at(fd);
    if (CO4__LIKELY(d != NULL)) {
        if (CO4__LIKELY(
                co4__is_attached(atomic_fetch_add_explicit(&d->use, 1, memory_order_acquire))))
            return d;
        co4__descriptor_leave(d);
    }
    return co4__descriptor_enter_slow(fd);
}

/* Begins a call if the number still belongs to this descriptor. NULL: it does not. */
struct co4__descriptor *co4__descriptor_enter_same(int fd, uint32_t generation);

/* Closes it: every wait ends, then the number is free. Returns 0 or -1 with `errno`. */
CO4__PRIVATE int co4__descriptor_close(int fd);
/* For what makes descriptors and closes them in the end, unless their user has: the generation, and
 * the number if it is still that one's; else -1. */
uint32_t co4__descriptor_generation(int fd);
int co4__descriptor_if_same(int fd, uint32_t generation);
/* Forgets it without closing it. Returns 0 or -1. */
int co4__descriptor_detach(int fd);
/* A driver reports events. `generation`: of the descriptor that was registered. */
CO4__PRIVATE void co4__descriptor_event(int fd, uint32_t generation, unsigned what);
/* It leaves its reactor: all waiters try again, and register anew. */
void co4__descriptor_retry(struct co4__descriptor *d);
/* A call of this direction has succeeded, and may not have taken all: the next waiter tries. */
void co4__descriptor_pass_slow(struct co4__descriptor *d, int direction);
static inline void co4__descriptor_pass(struct co4__descriptor *d, int direction)
{
    if (CO4__UNLIKELY(atomic_load_explicit(&d->has_queued[direction], memory_order_relaxed)))
        co4__descriptor_pass_slow(d, direction);
}
/* Returns whether a listener waits at it, or a task of this runtime; NULL: of any. */
bool co4__descriptor_is_awaited(struct co4__descriptor *d, const co4_runtime *rt);
/* Called under the lock, when a waiter leaves by its timer or a cancellation: wait.h, has_left. */
bool co4__descriptor_left(struct co4__wait_queue *p, struct co4__waiter *w,
                          struct co4__list *woken);
extern const co4_source_ops co4__direction_ops[2];

/* Some events of poll() at a descriptor as a source: ready when poll() reports something. In memory
 * of the call that waits (io/direction.c). */
struct co4__polled {
    co4_source source;
    struct co4__descriptor *descriptor;
    short events;
    uint8_t direction; /* whose events of the driver are looked at */
};

/* Of `events` it takes those of this direction. Returns whether there is anything to wait for. */
bool co4__polled_init(struct co4__polled *p, struct co4__descriptor *d, short events,
                      int direction);

/* Returns the descriptor of one of its two queues. */
static inline struct co4__descriptor *co4__descriptor_of_queue(struct co4__wait_queue *p,
                                                               int *direction)
{
    *direction = p->second;
    return (struct co4__descriptor *)(void *)co4__wait_queue_first(p);
}

/* Returns the descriptor of one of its two sources. */
static inline const struct co4__descriptor *co4__descriptor_of_source(const co4_source *source,
                                                                      int *direction)
{
    *direction = source->ops == &co4__direction_ops[CO4__WRITING];
    return (
        const struct co4__descriptor *)(const void *)((const char *)(source - *direction) -
                                                      offsetof(struct co4__descriptor, sources));
}

#endif
