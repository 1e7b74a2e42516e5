/* trace.c - records events with their times, for Perfetto (ui.perfetto.dev) and chrome://tracing.
 *
 * Purpose: each thread writes events into its own ring. When the ring is full the oldest are
 * overwritten, so a trace has the last events of each thread and its memory is bounded. One step is
 * one event, written when it ends. co4_trace_write() makes JSON of the rings: a slice for each
 * step, in a lane for each worker; an arrow from a wake to the step that follows; for each task a
 * lane with what it waits for. Times are those of co4_now(). In test mode that is the simulated
 * clock, so such a trace is the same for the same seed.
 *
 * Concurrency: only its thread writes to a ring. Rings are never freed while the process lives, as
 * a thread may be about to write when a trace ends. The ring of a thread that has ended goes to the
 * next thread that needs one, which continues after its last event. The next trace uses all rings
 * again; by `epoch` an owner finds that its ring has events of an earlier trace. While a trace is
 * written, the current event of a thread may be half done. `head` does not count it yet. In a full
 * ring it overwrites the oldest event, which is therefore left out.
 *
 * Rejected: writing at once (system calls in the middle of what is measured); one ring for all
 * threads (its head would be the busiest word of the program). */
#include "debug/trace.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/public.h"
#include "base/text.h"
#include "core/runtime_id.h"
#include "core/task.h"
#include "debug/on_step.h"
#include "debug/registry.h"
#include "debug/task_record.h"
#include "platform/fd.h"
#include "platform/fork.h"
#include "platform/lock.h"
#include "platform/system.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum kind { STEP, SPAWN, WAKE, NAME };

struct event {
    int64_t at;
    union {
        struct {
            int64_t ns;       /* STEP: its duration */
            const char *text; /* STEP: what the task waits for now */
            /* STEP: what it waited for before; NULL: nothing, it had yielded. */
            const char *waited;
            const char *function;
        };
        char name[CO4_TASK_NAME_BYTES]; /* NAME */
    };
    uint32_t task;
    uint32_t wakes; /* STEP, SPAWN, WAKE: of the task; both ends of an arrow have the same */
    uint32_t runtime;
    uint16_t worker; /* OUTSIDE: a thread that is no worker of the runtime */
    uint8_t kind;
    uint8_t why;  /* STEP: the reason of its end */
    bool in_step; /* SPAWN, WAKE: a task has done it */
    bool local;   /* the runtime belongs to a co4_run */
};

#define OUTSIDE UINT16_MAX

struct co4__ring {
    struct co4__ring *next; /* in the list of all rings */
    unsigned number;        /* of its thread; of the first one, if several had it */
    atomic_bool owned;      /* a thread has it; that thread sets it */
    _Atomic uint32_t epoch; /* the trace of its events; the owner writes it */
    _Atomic uint64_t head;  /* the number of events written in that trace */
    size_t room;
    struct event events[];
};

static co4__lock lock;          /* guards the list and the fields below */
static struct co4__ring *rings; /* newest first */
static unsigned nrings;
static _Atomic uint32_t epoch; /* the number of the current trace, or of the last */
static _Atomic size_t wanted;  /* the number of events for each thread; 0: no trace */
static atomic_uint reading;    /* threads that write a trace out */
static _Atomic uint64_t lost;  /* events of threads whose ring could not be allocated */
static char file[PATH_MAX];    /* CO4_TRACE; "": none */

/* ---- recording ---- */

void co4__trace_thread_exit(void)
{
    struct co4__local *here = co4__local();
    if (here->trace.ring)
        atomic_store_explicit(&here->trace.ring->owned, false, memory_order_release);
    here->trace.ring = NULL;
}

/* Returns the newest ring. Those after it stay in the list, so a walk needs no lock. */
static struct co4__ring *newest_ring(void)
{
    co4__lock_take(&lock);
    struct co4__ring *r = rings;
    co4__lock_give(&lock);
    return r;
}

/* Finds a ring whose thread has ended. Its events stay until they are overwritten. */
static struct co4__ring *find_ring(size_t room)
{
    for (struct co4__ring *r = newest_ring(); r; r = r->next) {
        bool owned = r->room != room || atomic_load_explicit(&r->owned, memory_order_relaxed);
        /* Acquire: pairs with the release of the thread that had it. */
        if (!owned && atomic_compare_exchange_strong_explicit(
                          &r->owned, &owned, true, memory_order_acquire, memory_order_relaxed))
            return r;
    }
    return NULL;
}

static struct co4__ring *make_ring(size_t room)
{
    co4__thread_at_exit();
    struct co4__ring *free_one = find_ring(room);
    if (free_one)
        return free_one;
    struct co4__ring *r = calloc(1, sizeof *r + room * sizeof r->events[0]);
    if (!r)
        return NULL;
    r->room = room;
    atomic_init(&r->owned, true);
    co4__lock_take(&lock);
    r->number = ++nrings;
    r->next = rings;
    rings = r;
    co4__lock_give(&lock);
    return r;
}

/* Returns the event to fill in, or NULL. The caller then calls done(). */
static struct event *event_take(struct co4__ring **ring)
{
    struct co4__local *here = co4__local();
    size_t room = atomic_load_explicit(&wanted, memory_order_relaxed);
    unsigned now = atomic_load_explicit(&epoch, memory_order_acquire);
    struct co4__ring *r = here->trace.ring;
    /* Acquire: the writes to the event come after all reads of the thread that wrote the last
     * trace. */
    if (room == 0 || atomic_load_explicit(&reading, memory_order_acquire) > 0)
        return NULL;
    if (!r || r->room != room) {
        co4__trace_thread_exit();
        here->trace.ring = r = make_ring(room);
    }
    if (!r) {
        atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
        return NULL;
    }
    if (atomic_load_explicit(&r->epoch, memory_order_relaxed) != now) {
        atomic_store_explicit(&r->head, 0, memory_order_relaxed);
        atomic_store_explicit(&r->epoch, now, memory_order_release);
    }
    *ring = r;
    return &r->events[atomic_load_explicit(&r->head, memory_order_relaxed) % room];
}

static void done(struct co4__ring *r)
{
    /* Release: pairs with the reader's acquire, for the event. */
    atomic_store_explicit(&r->head, atomic_load_explicit(&r->head, memory_order_relaxed) + 1,
                          memory_order_release);
}

static void record(const co4_runtime *rt, const struct co4__task_record *x, enum kind kind,
                   const char *name)
{
    struct co4__ring *r;
    struct event *e = event_take(&r);
    if (!e)
        return;
    const struct co4__worker *w = co4__local()->worker;
    const co4_runtime *from = w ? w->rt : rt; /* the arrow begins where the waker runs */
    *e = (struct event){ .at = co4__record_clock(rt),
                         .function = x->function,
                         .task = x->number,
                         .wakes = x->wakes,
                         .runtime = from->registry.number,
                         .worker = w ? (uint16_t)w->index : OUTSIDE,
                         .kind = (uint8_t)kind,
                         .in_step = co4__local()->current != NULL,
                         .local = from->local };
    if (kind == NAME)
        memcpy(e->name, name, sizeof e->name);
    done(r);
}

void co4__trace_entered(co4_runtime *rt, co4_task *t, const struct co4__task_record *x)
{
    char name[CO4_TASK_NAME_BYTES] = "";
    record(rt, x, SPAWN, NULL);
    if (co4_task_name(t, name, sizeof name) > 0)
        record(rt, x, NAME, name);
}

void co4__trace_woken(co4_runtime *rt, const struct co4__task_record *x)
{
    record(rt, x, WAKE, NULL);
}

void co4__trace_named(co4_task *t)
{
    char name[CO4_TASK_NAME_BYTES] = "";
    co4_runtime *rt = co4__runtime_of(t);
    struct co4__task_record *x = co4__record_of(t);
    if (!rt || !x || !(co4__hook_bits_of(rt) & CO4__TRACED))
        return;
    co4_task_name(t, name, sizeof name);
    record(rt, x, NAME, name);
}

void co4__trace_step(struct co4__worker *w, const struct co4__task_record *x, const char *waited)
{
    w->trace.began = co4__record_clock(w->rt);
    w->trace.waited = waited;
    w->trace.wakes = x->wakes;
}

void co4__trace_stepped(struct co4__worker *w, const struct co4__task_record *x, co4_task *t,
                        int why)
{
    struct co4__ring *r;
    struct event *e = w->trace.began >= 0 ? event_take(&r) : NULL;
    if (!e)
        return;
    int64_t step = w->rt->simulate.state ? w->rt->simulate.state->step_ns : 0;
    *e = (struct event){ .at = w->trace.began,
                         .ns = co4__record_clock(w->rt) + step - w->trace.began,
                         .task = x->number,
                         .text = why == CO4_ABI_WAITING ? co4__record_reason(t) : NULL,
                         .waited = w->trace.waited,
                         .wakes = w->trace.wakes,
                         .function = x->function,
                         .runtime = w->rt->registry.number,
                         .worker = (uint16_t)w->index,
                         .kind = STEP,
                         .why = (uint8_t)why,
                         .local = w->rt->local };
    w->trace.began = -1;
    done(r);
}

/* ---- begin and end ---- */

int co4_trace_begin(size_t events)
{
    if (events == 0)
        events = CO4_TRACE_EVENTS;
    if (events > UINT32_MAX)
        return CO4_EINVAL;
    size_t none = 0;
    co4__lock_take(&lock);
    bool first = atomic_load_explicit(&wanted, memory_order_relaxed) == none;
    if (first) {
        atomic_store_explicit(&lost, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
        atomic_store_explicit(&wanted, events, memory_order_relaxed);
    }
    co4__lock_give(&lock);
    if (!first)
        return CO4_ESTATE;
    co4__hook_bits_set(CO4__TRACED, true);
    return CO4_OK;
}

int co4_trace_end(void)
{
    co4__hook_bits_set(CO4__TRACED, false);
    return atomic_exchange_explicit(&wanted, 0, memory_order_relaxed) > 0 ? CO4_OK : CO4_ESTATE;
}

/* ---- as JSON ---- */

struct named {
    uint32_t task;
    const char *name;
};

struct lane {
    uint32_t runtime;
    uint16_t worker;
    bool named;
};

struct writer {
    struct co4__text out;
    bool any;
    struct named *names; /* sorted by task */
    size_t nnames;
    struct lane *lanes; /* open addressing, a power of two */
    size_t nlanes, room;
};

static void put_string(struct co4__text *x, const char *s)
{
    co4__put(x, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\') {
            co4__put(x, "\\");
            co4__put_bytes(x, s, 1);
        } else {
            co4__put_bytes(x, (unsigned char)*s < ' ' ? " " : s, 1);
        }
    co4__put(x, "\"");
}

/* Writes microseconds with three decimal places. */
static void put_us(struct co4__text *x, int64_t ns)
{
    char digits[3] = { (char)('0' + ns % 1000 / 100), (char)('0' + ns % 100 / 10),
                       (char)('0' + ns % 10) };
    co4__put_signed(x, ns / 1000);
    co4__put(x, ".");
    co4__put_bytes(x, digits, 3);
}

static void put_lane(struct writer *w, uint32_t runtime, uint32_t thread)
{
    co4__put(&w->out, ",\"pid\":");
    co4__put_number(&w->out, runtime);
    co4__put(&w->out, ",\"tid\":");
    co4__put_number(&w->out, thread);
}

/* Writes {"ph":"X","name":NAME,"ts":…,"pid":…,"tid":… without the end. */
static void open_event(struct writer *w, const char *phase, const char *name, int64_t at,
                       const struct event *e, const struct co4__ring *r)
{
    co4__put(&w->out, w->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    w->any = true;
    co4__put(&w->out, phase);
    co4__put(&w->out, "\",\"name\":");
    put_string(&w->out, name);
    co4__put(&w->out, ",\"ts\":");
    put_us(&w->out, at);
    if (e->worker == OUTSIDE)
        put_lane(w, 0, r->number);
    else
        put_lane(w, e->runtime, e->worker);
}

static void close_event(struct writer *w)
{
    co4__put(&w->out, "}");
}

static int by_task(const void *a, const void *b)
{
    uint32_t x = ((const struct named *)a)->task, y = ((const struct named *)b)->task;
    return x < y ? -1 : x > y;
}

static const char *name_of(const struct writer *w, const struct event *e)
{
    struct named key = { e->task, NULL };
    const struct named *found = w->nnames > 0
                                    ? bsearch(&key, w->names, w->nnames, sizeof key, by_task)
                                    : NULL;
    return found ? found->name : e->function[0] ? e->function : "task";
}

static void put_meta(struct writer *w, const char *what, const struct event *e,
                     const struct co4__ring *r, const char *name, uint64_t n)
{
    open_event(w, "M", what, 0, e, r);
    co4__put(&w->out, ",\"args\":{\"name\":\"");
    co4__put(&w->out, name);
    co4__put_number(&w->out, n);
    co4__put(&w->out, "\"}");
    close_event(w);
}

/* Returns the entry of the lane, or a free one. */
static struct lane *lane_of(struct lane *lanes, size_t room, uint32_t runtime, uint16_t worker)
{
    size_t at = ((size_t)runtime * 2654435761u + worker) & (room - 1);
    while (lanes[at].named && (lanes[at].runtime != runtime || lanes[at].worker != worker))
        at = (at + 1) & (room - 1);
    return &lanes[at];
}

/* Doubles the table. False: allocation failed. */
static bool more_lanes(struct writer *w)
{
    size_t room = w->room ? 2 * w->room : 64;
    struct lane *more = calloc(room, sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < w->room; i++)
        if (w->lanes[i].named)
            *lane_of(more, room, w->lanes[i].runtime, w->lanes[i].worker) = w->lanes[i];
    free(w->lanes);
    w->lanes = more;
    w->room = room;
    return true;
}

/* False: this is the first event of the lane. If allocation fails, the lane is named again. */
static bool is_named(struct writer *w, uint32_t runtime, uint16_t worker)
{
    if (2 * w->nlanes >= w->room && !more_lanes(w))
        return false;
    struct lane *lane = lane_of(w->lanes, w->room, runtime, worker);
    bool named = lane->named;
    *lane = (struct lane){ runtime, worker, true };
    w->nlanes += !named;
    return named;
}

/* Writes the name of the event's lane, once. */
static void put_lane_name(struct writer *w, const struct event *e, const struct co4__ring *r)
{
    uint32_t runtime = e->worker == OUTSIDE ? 0 : e->runtime;
    uint16_t worker = e->worker == OUTSIDE ? (uint16_t)r->number : e->worker;
    if (is_named(w, runtime, worker))
        return;
    if (e->worker == OUTSIDE) {
        open_event(w, "M", "process_name", 0, e, r);
        co4__put(&w->out, ",\"args\":{\"name\":\"other threads\"}");
        close_event(w);
        put_meta(w, "thread_name", e, r, "thread ", r->number);
        return;
    }
    put_meta(w, "process_name", e, r, e->local ? "co4_run " : "runtime ", e->runtime);
    put_meta(w, "thread_name", e, r, "worker ", e->worker);
}

/* Writes one end of an arrow: "s" at a wake, "f" at the step that follows. */
static void put_arrow(struct writer *w, const char *phase, int64_t at, const struct event *e,
                      const struct co4__ring *r)
{
    open_event(w, phase, "wake", at, e, r);
    co4__put(&w->out, ",\"cat\":\"wake\",\"bp\":\"e\",\"id\":\"");
    co4__put_number(&w->out, e->task);
    co4__put(&w->out, ".");
    co4__put_number(&w->out, e->wakes);
    co4__put(&w->out, "\"");
    close_event(w);
}

/* Writes to the task's own lane: "b" and "e" for its life, and inside it for each wait. */
static void put_life(struct writer *w, const char *phase, const char *name, int64_t at,
                     const struct event *e, const struct co4__ring *r)
{
    open_event(w, phase, name, at, e, r);
    co4__put(&w->out, ",\"cat\":\"task\",\"id\":");
    co4__put_number(&w->out, e->task);
    close_event(w);
}

static const char *waiting(const char *callee)
{
    return callee[0] ? callee : "ready";
}

static void put_step(struct writer *w, const struct event *e, const struct co4__ring *r)
{
    if (e->waited)
        put_life(w, "e", waiting(e->waited), e->at, e, r);
    open_event(w, "X", name_of(w, e), e->at, e, r);
    co4__put(&w->out, ",\"dur\":");
    put_us(&w->out, e->ns);
    co4__put(&w->out, ",\"args\":{\"task\":");
    co4__put_number(&w->out, e->task);
    co4__put(&w->out, ",\"then\":");
    put_string(&w->out, e->why == CO4_ABI_WAITING ? waiting(e->text)
                        : e->why == CO4_ABI_READY ? "ready"
                                                  : "stopped");
    co4__put(&w->out, "}");
    close_event(w);
    if (e->waited && e->wakes > 0)
        put_arrow(w, "f", e->at, e, r);
    if (e->why == CO4_ABI_WAITING)
        put_life(w, "b", waiting(e->text), e->at + e->ns, e, r);
    else if (e->why != CO4_ABI_READY)
        put_life(w, "e", name_of(w, e), e->at + e->ns, e, r);
}

static void put_event(struct writer *w, const struct event *e, const struct co4__ring *r)
{
    put_lane_name(w, e, r);
    switch (e->kind) {
    case STEP:
        put_step(w, e, r);
        break;
    case SPAWN:
        put_life(w, "b", name_of(w, e), e->at, e, r);
        put_life(w, "b", waiting(""), e->at, e, r);
        break;
    case WAKE:
        if (!e->in_step) { /* an arrow needs a slice to begin in */
            open_event(w, "X", "wakes", e->at, e, r);
            co4__put(&w->out, ",\"dur\":0.001");
            close_event(w);
        }
        put_arrow(w, "s", e->at, e, r);
        break;
    default:
        break;
    }
}

/* Calls `each` for each complete event. Returns how many were overwritten. */
static uint64_t each_event(struct writer *w, void (*each)(struct writer *, const struct event *,
                                                          const struct co4__ring *))
{
    uint64_t gone = 0;
    for (struct co4__ring *r = newest_ring(); r; r = r->next) {
        if (atomic_load_explicit(&r->epoch, memory_order_acquire) !=
            atomic_load_explicit(&epoch, memory_order_relaxed))
            continue;
        uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
        uint64_t from = head >= r->room ? head - r->room + 1 : 0;
        gone += from;
        for (; from < head; from++)
            each(w, &r->events[from % r->room], r);
    }
    return gone;
}

static void count_name(struct writer *w, const struct event *e, const struct co4__ring *r)
{
    (void)r;
    w->nnames += e->kind == NAME;
}

static void add_name(struct writer *w, const struct event *e, const struct co4__ring *r)
{
    (void)r;
    if (e->kind == NAME)
        w->names[w->nnames++] = (struct named){ e->task, e->name };
}

int co4_trace_write(co4_writer *write, void *data)
{
    struct writer w = { .any = false };
    if (!write)
        return CO4_EINVAL;
    if (atomic_load_explicit(&epoch, memory_order_relaxed) == 0)
        return CO4_ESTATE;
    atomic_fetch_add(&reading, 1); /* threads record nothing meanwhile */
    co4__text_begin(&w.out, write, data);
    each_event(&w, count_name);
    w.names = calloc(w.nnames + 1, sizeof *w.names);
    if (w.names) {
        w.nnames = 0;
        each_event(&w, add_name);
        qsort(w.names, w.nnames, sizeof *w.names, by_task);
    } else {
        w.nnames = 0;
    }
    co4__put(&w.out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    uint64_t gone = each_event(&w, put_event);
    co4__put(&w.out, "\n],\"otherData\":{\"overwritten\":");
    co4__put_number(&w.out, gone);
    co4__put(&w.out, ",\"lost\":");
    co4__put_number(&w.out, atomic_load_explicit(&lost, memory_order_relaxed));
    co4__put(&w.out, "}}\n");
    free(w.names);
    free(w.lanes);
    atomic_fetch_sub_explicit(&reading, 1, memory_order_release); /* pairs with event_take() */
    return co4__text_end(&w.out);
}

/* ---- files ---- */

static int write_file(void *data, const char *text, size_t n)
{
    return fwrite(text, 1, n, data) == n ? CO4_OK : CO4_ECLOSED;
}

static int save(FILE *out)
{
    int err = co4_trace_write(write_file, out);
    return fclose(out) == 0 || err != CO4_OK ? err : CO4_ECLOSED;
}

int co4_trace_save(const char *path)
{
    FILE *out = path ? fopen(path, "w") : NULL;
    return out ? save(out) : path ? CO4_ECLOSED : CO4_EINVAL;
}

static void save_at_exit(void)
{
    FILE *out = file[0] && atomic_load_explicit(&wanted, memory_order_relaxed) > 0
                    ? co4__create_file(file)
                    : NULL;
    if (out)
        save(out);
}

/* Called once, before the first runtime is enrolled. The name is copied, as the environment may
 * change. A symbolic link is not followed. */
void co4__trace_to(const char *name)
{
    if (strlen(name) >= sizeof file || atexit(save_at_exit) != 0)
        return;
    memcpy(file, name, strlen(name) + 1);
    co4_trace_begin(0);
}

/* ---- forks ---- */

void co4__trace_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&lock);
    for (struct co4__ring *r = how == CO4__FORK_CHILD ? rings : NULL; r; r = r->next)
        if (r != co4__local()->trace.ring)
            atomic_store_explicit(&r->owned, false, memory_order_relaxed);
    if (how == CO4__FORK_CHILD) { /* the parent writes the recorded events */
        atomic_store_explicit(&reading, 0, memory_order_relaxed);
        atomic_store_explicit(&wanted, 0, memory_order_relaxed);
        file[0] = '\0';
    }
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&lock);
}
