/* races.c - data races by happens-before.
 *
 * Purpose: two accesses of the same bytes by two threads are a data race if one writes, not both
 * are atomic, and no synchronisation orders them. A run need not show a wrong result for that, nor
 * do the accesses have to be close: it is enough that the run makes both. The first race ends it.
 *
 * Each thread has a vector clock: of each thread the last time that comes before its own present.
 * So has an object of synchronisation. A thread that unlocks joins its clock to the object's, and
 * its own time goes on; one that locks joins the object's to its own. An access is kept with its
 * thread and that thread's time, and comes before what threads do whose clocks have reached that.
 * Of the accesses of eight bytes those are dropped with which no later one can race that does not
 * race with a kept one, too.
 *
 * docs/simulation.md has what orders threads.
 *
 * What the run's one thread has for all tasks is not shared: its stack, on which no object survives
 * a step, and variables that are local to a thread. Frames of tasks are forgotten when they are
 * taken. Outside of steps nothing is looked at: no thread runs.
 *
 * Rejected: the thread sanitizer's runtime (it takes the one stack for shared memory, keeps four
 * accesses of eight bytes, and starts slowly); epochs in the place of lists (reads by many threads
 * would need vectors, and a report the place of each). */
#define _GNU_SOURCE
#include "simulation/races.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "base/text.h"
#include "core/task.h"
#include "debug/task_record.h"
#include "platform/thread.h"
#include "posix/order.h"
#include "posix/threads.h"
#include "simulation/places.h"
#include "simulation/run.h"

extern void *__libc_stack_end;

/* ---- clocks ---- */

struct clock {
    uint32_t *times; /* by the number of a thread; those beyond are 0 */
    uint32_t count;
};

static uint32_t time_of(const struct clock *c, uint32_t thread)
{
    return thread < c->count ? c->times[thread] : 0;
}

static _Noreturn void no_memory(void)
{
    co4__simulation_refuses("--races", "out of memory");
}

static void clock_grow(struct clock *c, uint32_t count)
{
    if (count <= c->count)
        return;
    uint32_t room = (count + 7) & ~7u;
    uint32_t *times = co4__shadow_memory(room * sizeof *times);
    if (!times)
        no_memory();
    if (c->count > 0)
        memcpy(times, c->times, c->count * sizeof *times);
    *c = (struct clock){ times, room };
}

static void clock_join(struct clock *to, const struct clock *from)
{
    clock_grow(to, from->count);
    for (uint32_t i = 0; i < from->count; i++)
        if (from->times[i] > to->times[i])
            to->times[i] = from->times[i];
}

static void clock_copy(struct clock *to, const struct clock *from)
{
    if (to->count > 0)
        memset(to->times, 0, to->count * sizeof *to->times);
    clock_join(to, from);
}

/* ---- threads ---- */

struct thread {
    struct co4__table_node node; /* by the address of its task, while it has that */
    uint32_t index, number;
    struct clock clock;
    struct clock released; /* at its last fence that releases */
    struct clock loaded;   /* what relaxed loads have seen, for a fence that acquires */
    co4_task *task;
    const void *call; /* that accesses memory later: where it goes on */
};

/* What is between these addresses belongs to the thread of the system. */
struct range {
    uintptr_t begin, end;
};

enum { MOST_RANGES = 64 };

static struct {
    bool on;
    struct co4__table tasks;
    struct thread **all;
    uint32_t count, room;
    struct thread *current;
    struct range own[MOST_RANGES];
    size_t nown;
} races;

static struct thread *thread_new(co4_task *task)
{
    struct thread *t = co4__shadow_memory(sizeof *t);
    if (races.count == races.room) {
        uint32_t room = races.room > 0 ? 2 * races.room : 64;
        struct thread **all = co4__shadow_memory(room * sizeof *all);
        if (!all)
            no_memory();
        if (races.count > 0)
            memcpy(all, races.all, races.count * sizeof *all);
        races.all = all;
        races.room = room;
    }
    if (!t) {
        no_memory();
        return NULL;
    }
    t->index = races.count;
    t->task = task;
    clock_grow(&t->clock, t->index + 1);
    t->clock.times[t->index] = 1;
    races.all[races.count++] = t;
    if (task)
        co4__table_add(&races.tasks, &t->node, (uintptr_t)task);
    return t;
}

static struct thread *thread_of_task(const co4_task *task)
{
    return (struct thread *)(void *)co4__table_find(&races.tasks, (uintptr_t)task);
}

/* The first thread is that of main, and of what comes before and after it. NULL: no thread runs. */
static struct thread *running(void)
{
    co4_task *task = co4__local()->current;
    struct thread *t = races.current;
    if (CO4__LIKELY(t && t->task == task))
        return t;
    if (!task)
        return races.count > 1 ? NULL : races.all[0];
    t = thread_of_task(task);
    if (!t && !races.all[0]->task) { /* main begins */
        t = races.all[0];
        t->task = task;
        co4__table_add(&races.tasks, &t->node, (uintptr_t)task);
    }
    if (t && t->number == 0)
        t->number = co4__record_number(task);
    return races.current = t;
}

/* The task is a new one; an older one may have had its address. */
static void thread_begins(struct thread *creator, co4_task *task)
{
    struct thread *old = thread_of_task(task);
    if (old) {
        co4__table_remove(&races.tasks, &old->node);
        old->task = NULL;
    }
    races.current = NULL;
    co4__shadow_clear((uintptr_t)task, sizeof *task);
    struct thread *t = thread_new(task);
    if (!creator)
        return;
    clock_join(&t->clock, &creator->clock);
    creator->clock.times[creator->index]++;
}

/* ---- synchronisation ---- */

struct co4__sync {
    struct co4__sync *next; /* that of another object in these eight bytes */
    uintptr_t at;
    struct clock writers, readers; /* the latter: of those that had read-locked it */
    uint32_t writer;               /* the thread that has write-locked it, + 1 */
    uint32_t released;             /* the thread whose store began the release sequence, + 1 */
};

static struct co4__sync *sync_of(const void *object)
{
    struct co4__cell *cell = co4__shadow_at((uintptr_t)object, true);
    struct co4__sync *s = cell ? cell->sync : NULL;
    while (s && s->at != (uintptr_t)object)
        s = s->next;
    if (s)
        return s;
    s = cell ? co4__shadow_memory(sizeof *s) : NULL;
    if (!s) {
        no_memory();
        return NULL;
    }
    s->at = (uintptr_t)object;
    s->next = cell->sync;
    return cell->sync = s;
}

static void acquire(struct thread *t, const struct clock *from)
{
    clock_join(&t->clock, from);
}

static void release(struct thread *t, struct clock *to)
{
    clock_join(to, &t->clock);
    t->clock.times[t->index]++;
}

static void unlock_rwlock(struct thread *t, struct co4__sync *s)
{
    bool writes = s->writer == t->index + 1;
    release(t, writes ? &s->writers : &s->readers);
    s->writer = writes ? 0 : s->writer;
}

static bool is_own_lock(const void *object)
{
    const char *at = object, *begin = (const char *)&co4__posix_guards;
    return at >= begin && at < begin + sizeof co4__posix_guards;
}

static void orders(enum co4__order what, const void *object, const void *place)
{
    (void)place;
    struct thread *t = races.on ? running() : NULL;
    if (what == CO4__ORDER_BEGINS && races.on) {
        thread_begins(t, (co4_task *)(uintptr_t)object);
        return;
    }
    if (!t || is_own_lock(object) || what == CO4__ORDER_MUTEX_IS_FREE || what == CO4__ORDER_ENDS ||
        what == CO4__ORDER_TAKEN || what == CO4__ORDER_LEFT)
        return;
    if (what == CO4__ORDER_JOINED) {
        const struct thread *ended = thread_of_task(object);
        if (ended)
            acquire(t, &ended->clock);
        return;
    }
    struct co4__sync *s = sync_of(object);
    if (what == CO4__ORDER_UNLOCKS || what == CO4__ORDER_MUTEX_UNLOCKS) {
        release(t, &s->writers);
    } else if (what == CO4__ORDER_UNLOCKS_RWLOCK) {
        unlock_rwlock(t, s);
    } else {
        acquire(t, &s->writers);
        if (what == CO4__ORDER_LOCKED_WRITE) {
            acquire(t, &s->readers);
            s->writer = t->index + 1;
        }
    }
}

/* ---- atomic operations ---- */

static bool acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static void load(struct thread *t, struct co4__sync *s, int order)
{
    clock_join(acquires(order) ? &t->clock : &t->loaded, &s->writers);
}

void co4__race_load(const void *at, int order)
{
    struct thread *t = races.on ? running() : NULL;
    if (t)
        load(t, sync_of(at), order);
}

/* Ends a release sequence of another thread, and continues one of its own. */
void co4__race_store(const void *at, int order)
{
    struct thread *t = races.on ? running() : NULL;
    if (!t)
        return;
    struct co4__sync *s = sync_of(at);
    if (releases(order)) {
        clock_copy(&s->writers, &t->clock);
        t->clock.times[t->index]++;
    } else if (s->released != t->index + 1) {
        clock_copy(&s->writers, &t->released);
    } else {
        clock_join(&s->writers, &t->released);
    }
    s->released = t->index + 1;
}

/* Reads and writes: it continues the release sequence. */
void co4__race_update(const void *at, int order)
{
    struct thread *t = races.on ? running() : NULL;
    if (!t)
        return;
    struct co4__sync *s = sync_of(at);
    load(t, s, order);
    if (releases(order))
        release(t, &s->writers);
    else
        clock_join(&s->writers, &t->released);
}

void co4__race_fence(int order)
{
    struct thread *t = races.on ? running() : NULL;
    if (!t)
        return;
    if (acquires(order))
        clock_join(&t->clock, &t->loaded);
    if (releases(order)) {
        clock_join(&t->released, &t->clock);
        t->clock.times[t->index]++;
    }
}

/* ---- descriptors ---- */

void co4__race_calls(const void *place)
{
    struct thread *t = races.on ? running() : NULL;
    if (t)
        t->call = place;
}

const void *co4__race_call(void)
{
    const struct thread *t = races.on ? running() : NULL;
    return t ? t->call : NULL;
}

static struct clock sent;

void co4__race_sent(void)
{
    struct thread *t = races.on ? running() : NULL;
    if (t)
        release(t, &sent);
}

void co4__race_received(void)
{
    struct thread *t = races.on ? running() : NULL;
    if (t)
        acquire(t, &sent);
}

/* ---- reports ---- */

static void put_access(struct co4__text *x, const char *before, unsigned kind, uint32_t thread,
                       const void *place)
{
    co4__put(x, before);
    co4__put(x, kind & CO4__ACCESS_FREES     ? "frees it"
                : kind == CO4__ACCESS_ATOMIC ? "reads it, atomic or volatile"
                : kind & CO4__ACCESS_ATOMIC  ? "writes it, atomic or volatile"
                : kind & CO4__ACCESS_WRITES  ? "writes it"
                                             : "reads it");
    co4__put(x, ": task ");
    co4__put_number(x, races.all[thread]->number);
    co4__put(x, ", ");
    co4__put_code(x, place);
    co4__put(x, "\n");
}

static _Noreturn void report(const struct thread *t, const struct co4__access *old, uintptr_t at,
                             unsigned kind, const void *place)
{
    struct co4__text x;
    races.on = false;
    co4__text_begin(&x, co4_write_fd, (void *)2);
    co4__put(&x, "co4: data race at ");
    co4__put_hex(&x, at);
    co4__put_variable(&x, at);
    co4__put(&x, "\n");
    put_access(&x, "  first ", old->kind, old->thread, old->place);
    put_access(&x, "  now ", kind, t->index, place);
    co4__text_end(&x);
    abort();
}

/* ---- accesses ---- */

/* Which kinds an access of this kind conflicts with, a bit each. */
static unsigned conflicts(unsigned kind)
{
    enum { READ = 1, WRITE = 2, ATOMIC_READ = 4, ATOMIC_WRITE = 8 };
    static const unsigned with[4] = {
        [0] = WRITE | ATOMIC_WRITE,
        [CO4__ACCESS_WRITES] = READ | WRITE | ATOMIC_READ | ATOMIC_WRITE,
        [CO4__ACCESS_ATOMIC] = WRITE,
        [CO4__ACCESS_ATOMIC | CO4__ACCESS_WRITES] = READ | WRITE,
    };
    return with[kind & 3];
}

static bool comes_before(const struct co4__access *a, const struct thread *t)
{
    return a->thread == t->index || a->time <= time_of(&t->clock, a->thread);
}

/* An older access is dropped where each later one that races with it races with the new one. */
static bool covers(unsigned kind, uint8_t bytes, const struct co4__access *old)
{
    return (old->bytes & ~bytes) == 0 && (conflicts(old->kind) & ~conflicts(kind)) == 0;
}

static void access_cell(struct thread *t, uintptr_t at, uint8_t bytes, unsigned kind,
                        const void *place)
{
    struct co4__cell *cell = co4__shadow_at(at, true);
    if (!cell)
        no_memory();
    uint32_t now = t->clock.times[t->index];
    for (struct co4__access **link = &cell->accesses, *a; (a = *link) != NULL;) {
        bool before = comes_before(a, t);
        if (!before && (a->bytes & bytes) && (conflicts(a->kind) >> (kind & 3) & 1)) {
            unsigned first = (unsigned)__builtin_ctz(a->bytes & bytes);
            report(t, a, (at & ~(uintptr_t)7) + first, kind, place);
        }
        if (a->thread == t->index && a->time == now && (bytes & ~a->bytes) == 0 &&
            (conflicts(kind) & ~conflicts(a->kind)) == 0)
            return; /* it is known */
        if (before && covers(kind, bytes, a)) {
            *link = a->next;
            co4__access_free(a);
        } else {
            link = &a->next;
        }
    }
    struct co4__access *a = co4__access_new();
    if (!a) {
        no_memory();
        return;
    }
    *a = (struct co4__access){ cell->accesses, place, t->index, now, bytes, (uint8_t)kind };
    cell->accesses = a;
}

static bool is_own(uintptr_t at)
{
    if (at >= (uintptr_t)__builtin_frame_address(0) && at < (uintptr_t)__libc_stack_end)
        return true;
    for (size_t i = 0; i < races.nown; i++)
        if (at >= races.own[i].begin && at < races.own[i].end)
            return true;
    return false;
}

void co4__race_access(const void *object, size_t bytes, unsigned kind, const void *place)
{
    uintptr_t at = (uintptr_t)object, end = at + bytes;
    struct thread *t = races.on && races.count > 1 ? running() : NULL;
    if (!t || is_own(at))
        return;
    while (at < end) {
        uintptr_t next = (at | 7) + 1;
        unsigned from = at & 7, to = next <= end ? 8 : (unsigned)(end & 7);
        access_cell(t, at, (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1)), kind, place);
        at = next;
    }
}

void co4__race_forget(const void *at, size_t bytes)
{
    if (races.on)
        co4__shadow_clear((uintptr_t)at, bytes);
}

/* ---- the beginning ---- */

static int note_locals(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data &&
            races.nown < MOST_RANGES) {
            uintptr_t begin = (uintptr_t)info->dlpi_tls_data;
            races.own[races.nown++] = (struct range){ begin, begin + info->dlpi_phdr[i].p_memsz };
        }
    return 0;
}

void co4__races_begin(void)
{
    const char *asked = getenv("CO4_TEST_RACES");
    if (asked && strcmp(asked, "0") == 0)
        return;
    dl_iterate_phdr(note_locals, NULL);
    thread_new(NULL);
    co4__order = orders;
    races.on = true;
}
