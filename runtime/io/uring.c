/* uring.c - a ring of io_uring.
 *
 * Purpose: reads and writes of a device without a thread of the pool, for os/file.c and nothing
 * else: they take a third of the processor time (docs/files.md). For sockets a ring gains nothing.
 * A reactor has one. The kernel begins a call at once; its end is taken from the ring later.
 *
 * Invariants: a call's buffers are the kernel's from its begin to its end, whatever happens to the
 * task: nothing withdraws a call, and the task waits for the end. At most as many calls are under
 * way as the completion queue has room for, so none is lost. A call that the kernel does not take
 * is not begun, and the pool makes it.
 *
 * Concurrency: the owner begins calls, and any thread takes calls that have ended, for example for
 * a worker in a long step. `lock` guards the head of the completion queue. It also orders what the
 * owner has written to the call before its begin, and what another thread reads from it.
 *
 * Rejected: liburing (of its 200 functions four would be used; the core would depend on it, or a
 * library of its own would have to be linked by all). Calls that are collected, and submitted
 * before a sleep (not measurably faster; a long step would delay them). SQPOLL (a kernel thread
 * spins). COOP_TASKRUN and DEFER_TASKRUN (nothing could be taken for a worker in a long step).
 * IORING_OP_ASYNC_CANCEL (a device does not heed it). An eventfd: the ring's own descriptor can be
 * polled. */
#define _GNU_SOURCE
#include "io/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/count.h"
#include "core/wait.h"
#include "io/reactor.h"
#include "platform/fd.h"
#include "platform/lock.h"
#include "platform/system.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#if defined(IORING_FEAT_NATIVE_WORKERS) && defined(SYS_io_uring_setup)
#define HAS_URING 1
#endif
#endif
#endif

#define RING_AT 8 /* calls by the pool, after which there may be a ring */

#ifdef HAS_URING

#define CALLS 256 /* under way at once */
#define BATCH 64  /* that are taken under the lock at once */

/* Linux 5.12. Before it, rings count as locked memory, and have threads outside the process. */
#define FEATURES                                                                                   \
    (IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_SUBMIT_STABLE |                    \
     IORING_FEAT_NATIVE_WORKERS)

struct co4__uring {
    int fd;
    void *rings; /* both queues, in memory shared with the kernel */
    size_t ring_bytes, sqe_bytes;
    struct io_uring_sqe *sqes;
    const struct io_uring_cqe *cqes;
    /* Indices that run on; the masks make them positions. The kernel writes sq_head and cq_tail. */
    _Atomic uint32_t *sq_head, *sq_tail, *cq_head, *cq_tail;
    uint32_t sq_mask, cq_mask, cq_entries;
    bool broken;       /* the kernel has refused to take a call; the owner's */
    atomic_uint calls; /* begun, and not taken */
    co4__lock lock;    /* guards cq_head */
};

static atomic_bool refused;

bool co4__uring_is_allowed(void)
{
    return !atomic_load_explicit(&refused, memory_order_relaxed);
}

/* ---- system calls ---- */

static int sys_enter(const struct co4__uring *u, unsigned submit, unsigned complete)
{
    unsigned flags = complete > 0 ? IORING_ENTER_GETEVENTS : 0;
    return (int)syscall(SYS_io_uring_enter, u->fd, submit, complete, flags, NULL, 0);
}

/* ---- opening and closing ---- */

/* Returns whether the kernel has the operations. */
static bool knows_operations(int fd)
{
    static const uint8_t needed[] = { IORING_OP_READV, IORING_OP_WRITEV, IORING_OP_READ,
                                      IORING_OP_WRITE };
    unsigned n = IORING_OP_WRITE + 1;
    struct io_uring_probe *probe = co4__alloc(sizeof *probe + n * sizeof probe->ops[0]);
    bool all = probe && syscall(SYS_io_uring_register, fd, IORING_REGISTER_PROBE, probe, n) == 0;
    for (size_t i = 0; all && i < sizeof needed; i++)
        all = needed[i] <= probe->last_op &&
              (probe->ops[needed[i]].flags & IO_URING_OP_SUPPORTED) != 0;
    co4__free(probe);
    return all;
}

void co4__uring_close(struct co4__uring *u)
{
    if (u->sqes)
        munmap(u->sqes, u->sqe_bytes);
    if (u->rings)
        munmap(u->rings, u->ring_bytes);
    co4__own_fd_close(u->fd);
    co4__free(u);
}

static void *map(const struct co4__uring *u, size_t bytes, uint64_t at)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd,
                   (off_t)at);
    return p == MAP_FAILED ? NULL : p;
}

static bool map_all(struct co4__uring *u, const struct io_uring_params *p)
{
    size_t sq = p->sq_off.array + p->sq_entries * sizeof(uint32_t);
    size_t cq = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
    u->ring_bytes = sq > cq ? sq : cq;
    u->sqe_bytes = p->sq_entries * sizeof(struct io_uring_sqe);
    u->rings = map(u, u->ring_bytes, IORING_OFF_SQ_RING);
    u->sqes = map(u, u->sqe_bytes, IORING_OFF_SQES);
    if (!u->rings || !u->sqes)
        return false;
    char *at = u->rings;
    u->sq_head = (_Atomic uint32_t *)(void *)(at + p->sq_off.head);
    u->sq_tail = (_Atomic uint32_t *)(void *)(at + p->sq_off.tail);
    u->cq_head = (_Atomic uint32_t *)(void *)(at + p->cq_off.head);
    u->cq_tail = (_Atomic uint32_t *)(void *)(at + p->cq_off.tail);
    u->cqes = (const struct io_uring_cqe *)(const void *)(at + p->cq_off.cqes);
    u->cq_entries = p->cq_entries;
    u->sq_mask = p->sq_entries - 1;
    u->cq_mask = p->cq_entries - 1;
    uint32_t *array = (uint32_t *)(void *)(at + p->sq_off.array);
    for (uint32_t i = 0; i < p->sq_entries; i++)
        array[i] = i; /* each position names its own entry, for good */
    return true;
}

/* valgrind sees neither what the kernel writes nor when. */
static bool is_under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "vgpreload") != NULL;
}

struct co4__uring *co4__uring_open(int *fd)
{
    struct io_uring_params p;
    memset(&p, 0, sizeof p);
    p.flags = IORING_SETUP_CQSIZE;
    p.cq_entries = CALLS;
    if (!co4__uring_is_allowed())
        return NULL;
    int ring = is_under_valgrind() ? -1 : co4__own_fd_open((int)syscall(SYS_io_uring_setup, 1, &p));
    bool is_short = ring < 0 && (errno == ENOMEM || errno == EMFILE || errno == ENFILE);
    struct co4__uring *u = ring < 0 ? NULL : co4__alloc(sizeof *u);
    if (!u) {
        if (ring >= 0)
            co4__own_fd_close(ring);
        else if (!is_short)
            atomic_store_explicit(&refused, true, memory_order_relaxed);
        return NULL;
    }
    *fd = u->fd = ring;
    if ((p.features & FEATURES) != FEATURES || !knows_operations(ring))
        atomic_store_explicit(&refused, true, memory_order_relaxed);
    else if (map_all(u, &p))
        return u;
    co4__uring_close(u);
    return NULL;
}

bool co4__uring_wait(struct co4__uring *u)
{
    return sys_enter(u, 0, 1) >= 0 || errno == EINTR;
}

/* ---- calls ---- */

static uint32_t read_index(_Atomic uint32_t *i)
{
    return atomic_load_explicit(i, memory_order_acquire);
}

bool co4__uring_is_busy(struct co4__uring *u)
{
    return atomic_load_explicit(&u->calls, memory_order_relaxed) > 0;
}

bool co4__uring_has(struct co4__uring *u)
{
    return read_index(u->cq_tail) != read_index(u->cq_head);
}

static void describe(struct io_uring_sqe *e, const struct co4__uring_call *call,
                     const struct co4__uring_request *q)
{
    bool is_write = q->what == CO4__URING_WRITE;
    memset(e, 0, sizeof *e);
    e->fd = call->descriptor->fd;
    e->off = (uint64_t)q->offset;
    e->user_data = (uint64_t)(uintptr_t)call;
    if (q->count == 1) { /* saves the kernel a look at the vector */
        e->opcode = is_write ? IORING_OP_WRITE : IORING_OP_READ;
        e->addr = (uint64_t)(uintptr_t)q->iov->iov_base;
        e->len = (uint32_t)q->iov->iov_len;
    } else {
        e->opcode = is_write ? IORING_OP_WRITEV : IORING_OP_READV;
        e->addr = (uint64_t)(uintptr_t)q->iov;
        e->len = (uint32_t)q->count;
    }
}

/* Returns whether the kernel has taken the entry. If not, it is withdrawn. */
static bool submit(struct co4__uring *u, uint32_t tail)
{
    int n;
    do
        n = sys_enter(u, 1, 0);
    while (n < 0 && errno == EINTR);
    if (CO4__LIKELY(read_index(u->sq_head) == tail))
        return true; /* what is wrong with it is its result */
    u->broken = n < 0 && errno != EAGAIN && errno != EBUSY && errno != ENOMEM;
    atomic_store_explicit(u->sq_tail, tail - 1, memory_order_release);
    return false;
}

bool co4__uring_begin(struct co4__uring *u, struct co4__uring_call *call,
                      const struct co4__uring_request *request)
{
    unsigned calls = atomic_load_explicit(&u->calls, memory_order_relaxed);
    if (u->broken || calls >= u->cq_entries)
        return false;
    uint32_t tail = atomic_load_explicit(u->sq_tail, memory_order_relaxed);
    describe(&u->sqes[tail & u->sq_mask], call, request);
    /* Before the call can end, on any thread. The lock orders it for that thread. */
    co4__lock_take(&u->lock);
    atomic_fetch_add_explicit(&u->calls, 1, memory_order_relaxed);
    co4__lock_give(&u->lock);
    /* Release: the kernel sees the entry. */
    atomic_store_explicit(u->sq_tail, tail + 1, memory_order_release);
    if (CO4__LIKELY(submit(u, tail + 1)))
        return true;
    atomic_fetch_sub_explicit(&u->calls, 1, memory_order_relaxed);
    return false;
}

struct co4__uring_call *co4__uring_take(struct co4__uring *u)
{
    struct co4__uring_call *first = NULL, **last = &first;
    if (!co4__uring_has(u))
        return NULL;
    co4__lock_take(&u->lock);
    uint32_t head = atomic_load_explicit(u->cq_head, memory_order_relaxed);
    uint32_t n = read_index(u->cq_tail) - head;
    n = n < BATCH ? n : BATCH;
    for (uint32_t i = 0; i < n; i++) {
        const struct io_uring_cqe *e = &u->cqes[(head + i) & u->cq_mask];
        struct co4__uring_call *call = (struct co4__uring_call *)(uintptr_t)e->user_data;
        call->result = e->res;
        *last = call;
        last = &call->next;
    }
    *last = NULL;
    /* Release: the kernel writes there only after the reads. */
    atomic_store_explicit(u->cq_head, head + n, memory_order_release);
    atomic_fetch_sub_explicit(&u->calls, n, memory_order_relaxed);
    co4__lock_give(&u->lock);
    return first;
}

#else /* no rings */

bool co4__uring_is_allowed(void)
{
    return false;
}

struct co4__uring *co4__uring_open(int *fd)
{
    (void)fd;
    return NULL;
}

void co4__uring_close(struct co4__uring *u)
{
    (void)u;
}

bool co4__uring_begin(struct co4__uring *u, struct co4__uring_call *call,
                      const struct co4__uring_request *request)
{
    (void)u, (void)call, (void)request;
    return false;
}

struct co4__uring_call *co4__uring_take(struct co4__uring *u)
{
    (void)u;
    return NULL;
}

bool co4__uring_has(struct co4__uring *u)
{
    (void)u;
    return false;
}

bool co4__uring_is_busy(struct co4__uring *u)
{
    (void)u;
    return false;
}

bool co4__uring_wait(struct co4__uring *u)
{
    (void)u;
    return false;
}

#endif

/* ---- the ring of a reactor ---- */

static struct co4__uring *ring_of(struct co4__reactor *r)
{
    return atomic_load_explicit(&r->ring.made, memory_order_acquire);
}

/* Ends these calls, and wakes their tasks. */
static void end_calls(struct co4__uring_call *calls)
{
    for (struct co4__uring_call *next; calls; calls = next) {
        co4_task *t = calls->task;
        next = calls->next;
        co4__descriptor_leave(calls->descriptor);
        co4__claims_begin();
        co4__wake(&t->waiter); /* the call does not exist after this */
        co4__claims_end();
    }
}

bool co4__ring_take(struct co4__reactor *r)
{
    struct co4__uring *u = ring_of(r);
    struct co4__uring_call *calls;
    bool any = false;
    while (u && (calls = co4__uring_take(u)) != NULL) {
        end_calls(calls);
        any = true;
    }
    return any;
}

bool co4__ring_is_busy(struct co4__reactor *r)
{
    struct co4__uring *u = ring_of(r);
    return u && co4__uring_is_busy(u);
}

bool co4__ring_has_ended(struct co4__reactor *r)
{
    struct co4__uring *u = ring_of(r);
    return u && co4__uring_has(u);
}

void co4__ring_close(struct co4__reactor *r)
{
    struct co4__uring *u = ring_of(r);
    if (!u)
        return;
    atomic_store_explicit(&r->ring.made, NULL, memory_order_relaxed);
    co4__uring_close(u);
}

/* Returns whether the worker has a ring, or shall open one: a short co4_run pays nothing.
 * CO4_FILE_DRIVER, for tests. "pool": no ring. "ring": at the first call. */
bool co4__ring_is_wanted(const struct co4__worker *w)
{
    struct co4__reactor *r = (struct co4__reactor *)(void *)co4__poller_of(w);
    if (CO4__LIKELY(r && ring_of(r)))
        return true;
    if ((r && r->ring.refused) || !co4__uring_is_allowed())
        return false;
    const char *name = co4__safe_env("CO4_FILE_DRIVER");
    if (name && strcmp(name, "pool") == 0)
        return false;
    return !co4__has_threads || (name && strcmp(name, "ring") == 0) ||
           co4__counted(&w->stats.pool_calls) >= RING_AT;
}

static struct co4__uring *open_ring(struct co4__reactor *r)
{
    int fd;
    struct co4__uring *u = r->driver->watch ? co4__uring_open(&fd) : NULL;
    if (u && r->driver->watch(r, fd) != 0) {
        co4__uring_close(u);
        u = NULL;
    }
    r->ring.refused = !u;
    atomic_store_explicit(&r->ring.made, u, memory_order_release);
    return u;
}

bool co4__ring_begin(struct co4__reactor *r, struct co4__uring_call *call,
                     const struct co4__uring_request *request)
{
    struct co4__uring *u = ring_of(r);
    if (!u && !r->ring.refused)
        u = open_ring(r);
    return u && co4__uring_begin(u, call, request);
}

/* The buffers of calls are the kernel's until they end. Their tasks do not exist any more if a
 * longjmp has left their co4_run. */
void co4__ring_end(struct co4__reactor *r)
{
    struct co4__uring *u = ring_of(r);
    bool mine = r->generation == co4__reactor_generation();
    while (u && mine && co4__uring_is_busy(u))
        if (!co4__ring_take(r) && !co4__uring_wait(u))
            break; /* the program has closed the ring's descriptor */
    co4__ring_close(r);
}
