/* pool.c - frames and tasks, by size class: a cache a thread, a depot for all.
 *
 * A pause takes a frame and a return gives it back, so both must cost a few instructions and no
 * lock. Every thread has a cache: per class a `loaded` list that it takes from and gives to, and a
 * `spare` one. Lists move between cache and depot whole, as magazines of a fixed number of objects
 * (Bonwick's magazines), so the depot's lock is taken once per magazine, also when one thread only
 * takes and another only gives. The depot carves fresh magazines from slabs, each twice as large
 * as all before it, within limits.
 *
 * Classes are 8 bytes apart: a frame of 40 bytes costs 40, with no header. Slabs begin at a
 * multiple of the largest power of two in their objects' size, so that an object whose size is a
 * multiple of 16, 32 … 1024 is aligned to that: over-aligned frames need no more. Above
 * CO4__LARGEST malloc does the work, or aligned_alloc.
 *
 * Slabs are never freed: they hang on `co4__depot`, so that leak checkers see them as reachable,
 * and a stale pointer to a task points to task memory for ever (run.c walks the tasks through
 * them).
 *
 * Class 0 is for tasks alone. Its objects keep `rt` NULL while they are free.
 *
 * With the address sanitizer frames come from malloc one by one, so that it sees a use after the
 * free. So do tasks, which are never freed but poisoned; the list of all of them hides its
 * pointers, so that a task which is lost is a leak. Under valgrind the same, and the fast path does
 * not know: threads have no caches, so each take and each drop takes the slow one.
 *
 * Rejected: malloc (17 ns a pair and 16 bytes a frame, against 3 ns and none); one lock-free list
 * for all threads (its cache line moves at each pause); returning slabs (needs a count a slab;
 * nobody gains until a program shrinks for good). */
#include "memory/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/asan.h"
#include "base/compiler.h"
#include "core/extra.h"
#include "core/fiber.h"
#include "core/home.h"
#include "core/task.h"
#include "core/wait.h"
#include "memory/depot.h"
#include "platform/fd.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/thread.h"

#define APART    64 /* bytes of a cache line */
#define SLAB_MIN ((size_t)2 << 10)
#define SLAB_MAX ((size_t)256 << 10)

/* Only its thread touches them; but others read `room`. */
struct lists {
    struct co4__object *loaded, *spare; /* spare: NULL or a whole magazine */
    _Atomic uint32_t room;              /* in `loaded`: a batch minus what it has */
};

/* Objects by class; LARGE: what malloc gave, and its bytes. */
#define LARGE       CO4__CLASSES
#define LARGE_BYTES (CO4__CLASSES + 1)
struct use {
    _Atomic int64_t of[CO4__CLASSES + 2];
};

struct co4__cache {
    struct lists of[CO4__CLASSES];
    /* taken minus dropped here, if `loaded` counted as taken, too; may be negative. Owner
     * writes, others read */
    struct use use;
    struct co4__cache *next; /* of all caches, newest first; `caches_lock` */
    struct co4__cache **link;
    uint64_t number; /* the later the higher; constant */
};

/* A thread that sums up: one cache under one hold of the lock. A thread that ends adds its own
 * where that has not been reached yet. */
struct summing {
    struct co4__cache *at; /* the next */
    int64_t *of;
    struct summing *next;
};

static co4__lock caches_lock;     /* guards the rest */
static struct co4__cache *caches; /* all, so that none is lost to leak checkers */
static uint64_t ncaches;          /* that have ever been */
static struct summing *summings;
static struct use retired; /* `use` of threads that ended or have no cache; these do not lock */

struct co4__depot co4__depot[CO4__CLASSES];

static inline unsigned class_of(size_t bytes)
{
    return (unsigned)((bytes + CO4__GRAIN - 1) / CO4__GRAIN) + (bytes <= CO4__GRAIN);
}

/* No frame is as small as a grain. */
static inline unsigned class_of_frame(const co4_abi_func *func)
{
    return (func->frame_bytes + CO4__GRAIN - 1) / CO4__GRAIN;
}

static inline size_t bytes_of(unsigned class)
{
    return class == CO4__CLASS_OF_TASKS
               ? (sizeof(co4_task) + CO4__GRAIN - 1) / CO4__GRAIN * CO4__GRAIN
               : (size_t) class * CO4__GRAIN;
}

static inline uint32_t batch_of(unsigned class)
{
    size_t n = 8192 / bytes_of(class);
    return n > 64 ? 64 : (uint32_t)n;
}

/* Does the program run under memcheck? valgrind loads a library of its own into it. Decided once
 * for the process. */
static bool is_under_valgrind(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_char decided;
    char was = atomic_load_explicit(&decided, memory_order_relaxed);
    if (was == UNKNOWN) {
        const char *preloaded = co4__safe_env("LD_PRELOAD");
        char now = preloaded && strstr(preloaded, "/vgpreload_memcheck-") ? YES : NO;
        if (atomic_compare_exchange_strong(&decided, &was, now))
            was = now;
    }
    return was == YES;
}

/* NULL: out of memory, or under valgrind. */
static CO4__NOINLINE struct co4__cache *cache_create(void)
{
    if (is_under_valgrind()) {
        co4__thread_watch_exit();
        return NULL;
    }
    struct co4__cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    for (unsigned class = 0; class < CO4__CLASSES; class ++)
        atomic_store_explicit(&c->of[class].room, batch_of(class), memory_order_relaxed);
    co4__lock_take(&caches_lock);
    c->number = ++ncaches;
    c->next = caches;
    c->link = &caches;
    if (caches)
        caches->link = &c->next;
    caches = c;
    co4__lock_give(&caches_lock);
    co4__local()->cache = c;
    co4__thread_watch_exit();
    return c;
}

static inline struct co4__cache *cache_here(void)
{
    struct co4__cache *c = co4__local()->cache;
    return CO4__LIKELY(c != NULL) ? c : cache_create();
}

static inline void count(struct co4__cache *c, unsigned what, int64_t n)
{
    if (CO4__LIKELY(c != NULL))
        atomic_store_explicit(&c->use.of[what],
                              atomic_load_explicit(&c->use.of[what], memory_order_relaxed) + n,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&retired.of[what], n, memory_order_relaxed);
}

/* A new slab for the class, which has so many bytes. */
static struct co4__slab *make_slab(unsigned class, size_t total)
{
    size_t size = bytes_of(class);
    size_t want = total < SLAB_MIN ? SLAB_MIN : total > SLAB_MAX ? SLAB_MAX : total;
    size_t bytes = want / size * size;
    if (bytes == 0)
        bytes = size;
    size_t align = size & (~size + 1); /* its lowest bit */
    char *memory = calloc(1, sizeof(struct co4__slab) + align + bytes);
    if (!memory)
        return NULL;
    struct co4__slab *s = (struct co4__slab *)(void *)memory;
    char *first = memory + sizeof *s;
    first += (align - (uintptr_t)first % align) % align;
    *s = (struct co4__slab){ NULL, first, bytes };
    return s;
}

/* Under the lock, at once. */
static bool has_some(const struct co4__depot *d)
{
    return d->full || d->loose || d->fresh != d->end;
}

/* Under the lock, which is let go for a while: brings a new slab, unless another thread has brought
 * something meanwhile. False: there is no memory. Else look again. */
static bool grow(struct co4__depot *d, unsigned class)
{
    size_t total = d->total;
    co4__lock_give(&d->lock);
    struct co4__slab *s = make_slab(class, total), *surplus = s;
    co4__lock_take(&d->lock);
    if (s && !has_some(d)) {
        s->next = d->slabs;
        d->slabs = s;
        d->fresh = s->first;
        d->end = s->first + s->bytes;
        d->total += s->bytes;
        surplus = NULL;
    }
    if (surplus) {
        co4__lock_give(&d->lock);
        free(surplus);
        co4__lock_take(&d->lock);
    }
    return s != NULL;
}

/* ---- tasks under the address sanitizer and valgrind ---- */

struct co4__hidden *co4__hidden_tasks;
static struct co4__hidden **hidden_end = &co4__hidden_tasks; /* the depot's lock */

/* Tasks that were given back, oldest first. A report names the place where the memory of a lost
 * task was first had: so memory is used again only when RESTING others have come behind it. */
enum { RESTING = 1 << 16 };
static struct co4__object *resting, **resting_end = &resting; /* the depot's lock */
static unsigned nresting;

static void *rested_task(void)
{
    struct co4__object *o = NULL;
    co4__lock_take(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    if (nresting > RESTING) {
        o = resting;
        resting = o->next;
        nresting--;
    }
    co4__lock_give(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    return o;
}

static void *new_hidden_task(void)
{
    struct co4__hidden *h = malloc(sizeof *h);
    void *task = h ? calloc(1, bytes_of(CO4__CLASS_OF_TASKS)) : NULL;
    if (!h || !task) {
        free(h);
        return NULL;
    }
    h->next = NULL;
    h->task = ~(uintptr_t)task; /* NOLINT(clang-analyzer-unix.Malloc): hidden, not lost */
    co4__lock_take(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    *hidden_end = h;
    hidden_end = &h->next;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    return task;
}

static void *take_hidden_task(void)
{
    void *t = rested_task();
    t = t ? t : new_hidden_task();
    if (t)
        count(cache_here(), CO4__CLASS_OF_TASKS, 1);
    return t;
}

static void drop_hidden_task(void *task)
{
    struct co4__object *o = task;
    o->next = NULL;
    count(NULL, CO4__CLASS_OF_TASKS, -1);
    co4__lock_take(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    *resting_end = o;
    resting_end = &o->next;
    nresting++;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_TASKS].lock);
}

static void each_hidden_task(void (*each)(co4_task *, void *), void *arg)
{
    co4__lock_take(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    struct co4__hidden *h = co4__hidden_tasks, **end = hidden_end;
    co4__lock_give(&co4__depot[CO4__CLASS_OF_TASKS].lock);
    for (; h; h = &h->next == end ? NULL : h->next)
        each((co4_task *)~h->task, arg);
}

static inline void set_room(struct lists *l, uint32_t room)
{
    atomic_store_explicit(&l->room, room, memory_order_relaxed);
}

static inline uint32_t room_of(struct lists *l)
{
    return atomic_load_explicit(&l->room, memory_order_relaxed);
}

/* Fills an empty `loaded`: with `spare`, or from the depot, with one magazine or at least one
 * object. */
static CO4__NOINLINE bool refill(struct co4__cache *c, unsigned class)
{
    struct lists *l = &c->of[class];
    struct co4__depot *d = &co4__depot[class];
    uint32_t batch = batch_of(class), n = 0;
    if (l->spare) {
        l->loaded = l->spare;
        l->spare = NULL;
        set_room(l, 0);
        count(c, class, batch);
        return true;
    }
    co4__lock_take(&d->lock);
    while (!has_some(d) && grow(d, class))
        ;
    if (d->full) {
        l->loaded = d->full;
        n = batch;
        d->full = l->loaded->magazine;
    } else if (d->loose) {
        l->loaded = d->loose;
        d->loose = l->loaded->next;
        l->loaded->next = NULL;
        n = 1;
    } else if (d->fresh != d->end) {
        /* What is taken one after another, and then perhaps used by two threads, does not share a
         * cache line. */
        size_t size = bytes_of(class);
        uint32_t apart = 1 + (uint32_t)((APART + size - 1) / size);
        struct co4__object *head = NULL, **tail = &head;
        n = (uint32_t)((size_t)(d->end - d->fresh) / size);
        n = n < batch ? n : batch;
        for (uint32_t first = 0; first < apart; first++)
            for (uint32_t i = first; i < n; i += apart) {
                *tail = (struct co4__object *)(void *)(d->fresh + i * size);
                tail = &(*tail)->next;
            }
        *tail = NULL;
        d->fresh += n * size;
        l->loaded = head;
    }
    co4__lock_give(&d->lock);
    set_room(l, batch - n);
    count(c, class, n);
    return n > 0;
}

/* A full `loaded` becomes `spare`, or an empty one; what was spare goes to the depot. */
static CO4__NOINLINE void give_spare(struct co4__cache *c, unsigned class)
{
    struct lists *l = &c->of[class];
    struct co4__depot *d = &co4__depot[class];
    uint32_t batch = batch_of(class);
    count(c, class, (int64_t)room_of(l) - batch);
    if (l->spare) {
        co4__lock_take(&d->lock);
        l->spare->magazine = d->full;
        d->full = l->spare;
        co4__lock_give(&d->lock);
    }
    l->spare = l->loaded;
    l->loaded = NULL;
    set_room(l, batch);
}

static void give_loose(struct co4__object *o, unsigned class)
{
    struct co4__depot *d = &co4__depot[class];
    co4__lock_take(&d->lock);
    o->next = d->loose;
    d->loose = o;
    co4__lock_give(&d->lock);
}

/* What is had at once is had inline; all else is a call at the end, so that nothing need be kept
 * for it. */

static inline void *pop(struct lists *l)
{
    struct co4__object *o = l->loaded;
    if (CO4__LIKELY(o != NULL)) {
        l->loaded = o->next;
        set_room(l, room_of(l) + 1);
    }
    return o;
}

static inline void *take_at_hand(unsigned class)
{
    struct co4__cache *c = co4__local()->cache;
    if (CO4__UNLIKELY(!c) || CO4__UNLIKELY(co4__alloc_may_fail()))
        return NULL;
    return pop(&c->of[class]);
}

/* Under valgrind: an object of its own. */
static void *take_alone(unsigned class)
{
    size_t bytes = bytes_of(class), align = bytes & (~bytes + 1);
    if (class == CO4__CLASS_OF_TASKS)
        return take_hidden_task();
    void *p = align > _Alignof(max_align_t) ? aligned_alloc(align, bytes) : malloc(bytes);
    if (p)
        count(NULL, class, 1);
    return p;
}

static void drop_alone(void *p, unsigned class)
{
    if (class == CO4__CLASS_OF_TASKS) {
        drop_hidden_task(p);
    } else {
        count(NULL, class, -1);
        free(p);
    }
}

static CO4__NOINLINE void *take_fetched(unsigned class)
{
    struct co4__cache *c = cache_here();
    if (co4__alloc_fails())
        return NULL;
    if (!c)
        return is_under_valgrind() ? take_alone(class) : NULL;
    struct lists *l = &c->of[class];
    if (!l->loaded && !refill(c, class))
        return NULL;
    return pop(l);
}

static inline void *take(unsigned class)
{
    void *p = take_at_hand(class);
    return CO4__LIKELY(p != NULL) ? p : take_fetched(class);
}

/* `room` is what it has. */
static inline void push(struct lists *l, void *p, uint32_t room)
{
    struct co4__object *o = p;
    o->next = l->loaded;
    l->loaded = o;
    set_room(l, room - 1);
}

static CO4__NOINLINE void drop_full(void *p, unsigned class)
{
    struct co4__cache *c = co4__local()->cache; /* none is made here: a place may be locked */
    if (!c) {
        if (is_under_valgrind()) {
            drop_alone(p, class);
            return;
        }
        count(c, class, -1);
        give_loose(p, class);
        return;
    }
    if (room_of(&c->of[class]) == 0)
        give_spare(c, class);
    push(&c->of[class], p, room_of(&c->of[class]));
}

static inline void drop(void *p, unsigned class)
{
    struct co4__cache *c = co4__local()->cache;
    uint32_t room = CO4__LIKELY(c != NULL) ? room_of(&c->of[class]) : 0;
    if (CO4__LIKELY(room != 0))
        push(&c->of[class], p, room);
    else
        drop_full(p, class);
}

static CO4__NOINLINE void *take_large(size_t bytes, size_t align)
{
    if (co4__alloc_fails())
        return NULL;
    void *p = align > _Alignof(max_align_t) ? aligned_alloc(align, bytes) : malloc(bytes);
    if (p) {
        /* With a cache the thread's end and forks are watched. */
        struct co4__cache *c = ASAN ? cache_here() : co4__local()->cache;
        count(c, LARGE, 1);
        count(c, LARGE_BYTES, (int64_t)bytes);
    }
    return p;
}

void *co4__pool_take(size_t bytes)
{
    if (ASAN || CO4__UNLIKELY(bytes > CO4__LARGEST))
        return take_large(bytes, 0);
    return take(class_of(bytes));
}

void *co4__pool_take_frame(const co4_abi_func *func)
{
    if (ASAN || CO4__UNLIKELY(func->frame_bytes > CO4__LARGEST))
        return take_large(func->frame_bytes, func->align);
    return take(class_of_frame(func));
}

static CO4__NOINLINE void drop_large(void *p, size_t bytes)
{
    count(co4__local()->cache, LARGE, -1);
    count(co4__local()->cache, LARGE_BYTES, -(int64_t)bytes);
    free(p);
}

void co4__pool_drop(void *p, size_t bytes)
{
    if (ASAN || CO4__UNLIKELY(bytes > CO4__LARGEST))
        drop_large(p, bytes);
    else
        drop(p, class_of(bytes));
}

/* ---- frames: all of it here, for a call may cost no more than this ---- */

static CO4__NOINLINE void *frame_fetched(co4_fiber *co4, const co4_abi_func *func)
{
    co4_frame *f = co4__pool_take_frame(func);
    if (!f) {
        co4__fiber_fail(co4);
        return NULL;
    }
    f->at = func->points;
    return f;
}

void *co4_abi_frame_take(co4_fiber *co4, const co4_abi_func *func)
{
    co4_frame *f = NULL;
    if (!ASAN && CO4__LIKELY(func->frame_bytes <= CO4__LARGEST))
        f = take_at_hand(class_of_frame(func));
    if (CO4__UNLIKELY(!f))
        return frame_fetched(co4, func);
    f->at = func->points;
    return f;
}

void co4_abi_frame_drop(co4_fiber *co4, void *frame)
{
    (void)co4;
    if (CO4__UNLIKELY(!frame))
        return;
    const co4_abi_func *func = ((co4_frame *)frame)->at->func;
    if (ASAN || CO4__UNLIKELY(func->frame_bytes > CO4__LARGEST))
        drop_large(frame, func->frame_bytes);
    else
        drop(frame, class_of_frame(func));
}

/* What of a free task may be read by the sanitizer's rules: the links and `home`, which these leave
 * alone. */
_Static_assert(sizeof(struct co4__object) <= offsetof(co4_task, fiber.pausing),
               "links hide no home");
#define TASK_HIDDEN       offsetof(co4_task, fiber.result)
#define TASK_HIDDEN_BYTES (offsetof(co4_task, extra) - TASK_HIDDEN)

co4_task *co4__pool_take_task(void)
{
    co4_task *t = NULL;
    if (!ASAN)
        t = take(CO4__CLASS_OF_TASKS);
    else if (!co4__alloc_fails())
        t = take_hidden_task();
    if (t)
        ASAN_UNPOISON_MEMORY_REGION((char *)t + TASK_HIDDEN, TASK_HIDDEN_BYTES);
    return t;
}

void co4__pool_drop_task(co4_task *t)
{
    co4__set_home(t, 0);
    atomic_store_explicit(&t->refs, 0, memory_order_relaxed); /* who releases it again is told */
    ASAN_POISON_MEMORY_REGION((char *)t + TASK_HIDDEN, TASK_HIDDEN_BYTES);
    if (ASAN)
        drop_hidden_task(t);
    else
        drop(t, CO4__CLASS_OF_TASKS);
}

void co4__pool_each_task(void (*each)(co4_task *, void *), void *arg)
{
    struct co4__depot *d = &co4__depot[CO4__CLASS_OF_TASKS];
    each_hidden_task(each, arg);
    co4__lock_take(&d->lock);
    struct co4__slab *s = d->slabs;
    char *end = d->fresh;
    co4__lock_give(&d->lock);
    for (; s; s = s->next, end = s ? s->first + s->bytes : NULL)
        for (char *p = s->first; p != end; p += bytes_of(CO4__CLASS_OF_TASKS))
            each((co4_task *)(void *)p, arg);
}

static void add_use(int64_t of[CO4__CLASSES + 2], struct co4__cache *c)
{
    for (unsigned i = 0; i <= LARGE_BYTES; i++) {
        of[i] += atomic_load_explicit(&c->use.of[i], memory_order_relaxed);
        if (i < CO4__CLASSES)
            of[i] -= (int64_t)batch_of(i) - room_of(&c->of[i]);
    }
}

void co4__pool_thread_begin(void)
{
    if (!ASAN) /* there a drop is a free */
        cache_here();
}

void co4__pool_thread_exit(void)
{
    struct co4__cache *c = co4__local()->cache;
    if (!c)
        return;
    co4__local()->cache = NULL;
    for (unsigned class = 0; class < CO4__CLASSES; class ++) {
        struct lists *l = &c->of[class];
        for (struct co4__object *o; (o = pop(l)) != NULL;) {
            count(c, class, -1);
            give_loose(o, class);
        }
        if (l->spare)
            give_spare(c, class); /* `loaded` is empty: now spare is, too */
    }
    co4__lock_take(&caches_lock);
    for (struct summing *s = summings; s; s = s->next)
        if (s->at && s->at->number >= c->number) {
            add_use(s->of, c);
            s->at = s->at == c ? c->next : s->at;
        }
    for (unsigned i = 0; i <= LARGE_BYTES; i++)
        atomic_fetch_add_explicit(&retired.of[i],
                                  atomic_load_explicit(&c->use.of[i], memory_order_relaxed),
                                  memory_order_relaxed);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    co4__lock_give(&caches_lock);
    free(c);
}

/* Over all threads: exact when no other is at work. */
static void sum_up(int64_t of[CO4__CLASSES + 2])
{
    co4__lock_take(&caches_lock);
    struct summing s = { caches, of, summings };
    summings = &s;
    for (unsigned i = 0; i <= LARGE_BYTES; i++)
        of[i] = atomic_load_explicit(&retired.of[i], memory_order_relaxed);
    while (s.at) {
        struct co4__cache *c = s.at;
        s.at = c->next;
        add_use(of, c);
        co4__lock_let_others(&caches_lock);
    }
    struct summing **at = &summings;
    while (*at && *at != &s)
        at = &(*at)->next;
    if (*at)
        *at = s.next;
    co4__lock_give(&caches_lock);
}

long long co4_test_pool_live(void)
{
    int64_t of[CO4__CLASSES + 2], n = 0;
    sum_up(of);
    for (unsigned i = 0; i <= LARGE; i++)
        n += of[i];
    return n;
}

void co4__pool_use(struct co4__pool_use *out)
{
    int64_t of[CO4__CLASSES + 2];
    sum_up(of);
    int64_t blocks = of[LARGE], bytes = of[LARGE_BYTES];
    *out = (struct co4__pool_use){ .reserved = (uint64_t)bytes };
    for (unsigned class = 0; class < CO4__CLASSES; class ++) {
        if (class != CO4__CLASS_OF_TASKS) {
            blocks += of[class];
            bytes += of[class] * (int64_t)bytes_of(class);
        }
        co4__lock_take(&co4__depot[class].lock);
        out->reserved += co4__depot[class].total;
        co4__lock_give(&co4__depot[class].lock);
    }
    out->tasks = (uint64_t)of[CO4__CLASS_OF_TASKS];
    out->task_bytes = (uint64_t)of[CO4__CLASS_OF_TASKS] * bytes_of(CO4__CLASS_OF_TASKS);
    out->blocks = (uint64_t)blocks;
    out->block_bytes = (uint64_t)bytes;
}

/* ---- forks ---- */

/* What other threads had in their caches is lost to the child. */
void co4__pool_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&caches_lock);
    if (how == CO4__FORK_CHILD)
        summings = NULL;
    for (unsigned class = 0; class < CO4__CLASSES; class ++)
        if (how == CO4__FORK_PREPARE)
            co4__lock_take(&co4__depot[class].lock);
        else
            co4__lock_give(&co4__depot[class].lock);
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&caches_lock);
}
