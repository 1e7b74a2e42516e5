/* dump.c - writes as text what the tasks of the process wait for.
 *
 * Concurrency: a dump reads the frames of a paused task, and the task's next wake may come at any
 * time. So the dump holds the task: it sets the claim word to BUSY, as sources do (source.c). A
 * thread that wants to wake the task waits for the few instructions that copy the task's data. A
 * task that is not paused cannot be held. While it is ready or running, only its state is shown,
 * unless the caller is the thread that drives its runtime: then no task of that runtime runs.
 *
 * A dump writes with no lock held: `write` may be slow, and runtimes begin and end meanwhile. It
 * has a cursor in the registry, which the end of a runtime advances. It copies the fields of each
 * runtime that it shows, and finds the runtime's tasks by the runtime id. If the runtime ends
 * during its dump, the remaining tasks are not shown.
 *
 * Rejected: stopping all workers (a dump is needed when workers do not respond); a lock or a
 * generation count in each task. */
#include "debug/dump.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "base/text.h"
#include "core/runtime_id.h"
#include "core/task_pool.h"
#include "core/timers.h"
#include "core/wait.h"
#include "debug/registry.h"
#include "debug/task_record.h"
#include "io/descriptor.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/count.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"
#include "sync/mailbox.h"
#include "sync/source.h"
#include "sync/sync.h"

/* A program that lacks the module has no source with these operations. */
extern CO4__IF_LINKED const co4_source_ops co4__mailbox_ops, co4__direction_ops[2];

/* ---- reading a task ---- */

#define DEPTH  64   /* frames that are shown */
#define DEEPER 1000 /* frames that are counted: the thread that wakes the task waits meanwhile */

/* The data of a task that are copied while it is held. */
struct seen {
    uint32_t number;
    co4_task_state state;
    bool whole; /* the fields below are known */
    char name[CO4_TASK_NAME_BYTES];
    const char *function;
    int64_t since, deadline; /* 0: not known; CO4_NEVER: none */
    unsigned kind;           /* what it waits for: enum co4__wait */
    const void *object;      /* where it waits; or NULL */
    int descriptor;          /* likewise; or -1 */
    bool cancelled;
    unsigned nframes, deeper;
    const co4_abi_point *frames[DEPTH];
    int ncases;
    struct seen_case {
        const char *what;
        const co4_source *source; /* or NULL: `descriptor` */
        int descriptor;
    } cases[8];
};

static struct seen_case look_at_case(const co4_source *source)
{
    if (source->ops == &co4__mailbox_ops)
        return (struct seen_case){ " mailbox", source, -1 };
    if (source->ops != &co4__direction_ops[CO4__READING] &&
        source->ops != &co4__direction_ops[CO4__WRITING])
        return (struct seen_case){ " source", source, -1 };
    int direction;
    int fd = co4__descriptor_of_source(source, &direction)->fd;
    const char *what = direction == CO4__READING ? " readable " : " writable ";
    return (struct seen_case){ what, NULL, fd };
}

/* The cases of a select are in the frame of the woven wait. */
static void look_at_select(struct seen *s, const co4_frame *f)
{
    const co4_abi_func *func = f ? co4_abi_func_of(f->at) : NULL;
    const co4_abi_info *info = func ? func->info : NULL;
    for (uint32_t i = 0; info && strcmp(func->name, "co4__select_wait") == 0 && i < info->nfields;
         i++) {
        const co4_abi_field *field = &info->fields[i];
        if (strcmp(func->name + field->name, "s") != 0 ||
            field->size != sizeof(struct co4__selecting))
            continue;
        struct co4__selecting now;
        memcpy(&now, (const char *)f + field->offset, sizeof now);
        s->ncases = now.count;
        for (int k = 0; k < now.count && k < 8; k++)
            if (now.cases[k].source)
                s->cases[k] = look_at_case(now.cases[k].source);
        return;
    }
}

static const void *object_of(unsigned kind, const co4_abi_wait *w, const struct co4__wait_queue *p)
{
    switch (kind) {
    case CO4__WAIT_RECEIVE:
    case CO4__WAIT_SEND:
        return p ? (const char *)co4__wait_queue_first((struct co4__wait_queue *)(uintptr_t)p) -
                       offsetof(struct co4_mailbox, queues)
                 : NULL;
    case CO4__WAIT_READ:
    case CO4__WAIT_WRITE:
        return p ? (const char *)p - offsetof(struct co4__sync, wait_queue) : NULL;
    case CO4__WAIT_JOIN:
        return w->buffer;
    default:
        return NULL;
    }
}

/* Called for a task that is held, or whose runtime only the caller drives. */
static void look_inside(co4_task *t, struct seen *s, uint8_t wait)
{
    const struct co4__task_record *x = co4__record_of(t);
    s->whole = true;
    co4_task_name(t, s->name, sizeof s->name);
    if (x) {
        s->number = x->number;
        s->function = x->function;
        s->since = x->since;
    }
    s->cancelled = atomic_load_explicit(&t->cancel, memory_order_relaxed) != 0;
    /* The frames of a running task are on the C stack. */
    const co4_frame *leaf = s->state != CO4_TASK_RUNNING ? t->fiber.leaf : NULL;
    for (const co4_frame *f = leaf; f && s->deeper < DEEPER; f = f->caller) {
        if (!x && !f->caller)
            s->function = co4_abi_func_of(f->at)->name;
        if (s->nframes == DEPTH) {
            s->deeper++;
            continue;
        }
        s->frames[s->nframes++] = f->at;
    }
    s->deadline = CO4_NEVER;
    s->descriptor = -1;
    if (s->state != CO4_TASK_PAUSED)
        return;
    const co4_abi_wait *w = &t->waiter.result.wait;
    const struct co4__wait_queue *p = w->where;
    if (wait & CO4__TIMED) {
        const struct co4__timer *timer = w->where;
        s->deadline = timer->deadline;
        p = timer->wait_queue;
    }
    s->kind = wait & CO4__WHAT_FOR;
    if (p && p->gate == CO4__GATE_DESCRIPTOR) {
        int direction;
        s->descriptor =
            co4__descriptor_of_queue((struct co4__wait_queue *)(uintptr_t)p, &direction)->fd;
        return;
    }
    s->object = object_of(s->kind, w, p);
    if (s->kind == CO4__WAIT_SELECT)
        look_at_select(s, t->fiber.leaf);
}

/* False: the task does not wait now. */
static bool hold(co4_task *t, uint8_t *was)
{
    *was = atomic_load_explicit(&t->waiter.claim, memory_order_relaxed);
    unsigned tries = 0;
    while (*was & (CO4__QUEUED | CO4__BUSY)) {
        if (*was & CO4__BUSY) {
            co4__back_off(tries++);
            *was = atomic_load_explicit(&t->waiter.claim, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak_explicit(
                       &t->waiter.claim, was, (uint8_t)((*was & ~CO4__QUEUED) | CO4__BUSY),
                       memory_order_acq_rel, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

/* False: the task does not belong to that runtime. `driven_here`: only the caller drives that. */
static bool dump_task_of(co4_task *t, unsigned runtime_id, bool driven_here, struct seen *s)
{
    uint8_t was = CO4__WAIT_NONE;
    if (co4__runtime_id_of(t) != runtime_id)
        return false;
    *s = (struct seen){ .function = "" };
    co4__claims_begin();
    bool held = hold(t, &was);
    s->state = co4_task_state_of(t);
    bool ours = co4__runtime_id_of(t) == runtime_id;
    if (ours && ((held && s->state == CO4_TASK_PAUSED) || driven_here))
        look_inside(t, s, was);
    if (held)
        atomic_store_explicit(&t->waiter.claim, was, memory_order_release);
    co4__claims_end();
    return ours && s->state != CO4_TASK_STOPPED;
}

/* ---- writing a task ---- */

void co4__put_object(struct co4__text *x, const char *what, const void *p)
{
    co4__put(x, what);
    if (p) {
        co4__put(x, " ");
        co4__put_hex(x, (uint64_t)(uintptr_t)p);
    }
}

static void put_descriptor(struct co4__text *x, const char *what, int fd)
{
    co4__put(x, what);
    co4__put_number(x, (uint64_t)(unsigned)fd);
}

static void put_cases(struct co4__text *x, const struct seen *s)
{
    co4__put(x, s->ncases == 1 ? "waits for" : "selects among");
    for (int i = 0; i < s->ncases && i < 8; i++) {
        const struct seen_case *c = &s->cases[i];
        if (c->source)
            co4__put_object(x, c->what, c->source);
        else if (c->what)
            put_descriptor(x, c->what, c->descriptor);
    }
    if (s->ncases > 8)
        co4__put(x, " …");
    if (s->ncases == 0)
        co4__put(x, " nothing that is known");
}

static void put_wait(struct co4__text *x, const struct seen *s, int64_t now)
{
    switch (s->kind) {
    case CO4__WAIT_TIMER:
        co4__put(x, "sleeps");
        break;
    case CO4__WAIT_RECEIVE:
        co4__put_object(x, "receives from mailbox", s->object);
        break;
    case CO4__WAIT_SEND:
        co4__put_object(x, "sends to mailbox", s->object);
        break;
    case CO4__WAIT_JOIN:
        co4__put_object(x, s->object ? "joins task" : "waits for its scope's tasks", s->object);
        break;
    case CO4__WAIT_SELECT:
        put_cases(x, s);
        break;
    case CO4__WAIT_READ:
        if (s->descriptor >= 0)
            put_descriptor(x, "reads from descriptor ", s->descriptor);
        else
            co4__put_object(x, "waits to read at", s->object);
        break;
    case CO4__WAIT_WRITE:
        if (s->descriptor >= 0)
            put_descriptor(x, "writes to descriptor ", s->descriptor);
        else
            co4__put_object(x, "waits at", s->object);
        break;
    default:
        co4__put(x, "waits");
    }
    if (s->deadline != CO4_NEVER) {
        co4__put(x, s->deadline >= now ? ", for " : ", overdue by ");
        co4__put_time(x, s->deadline >= now ? s->deadline - now : now - s->deadline);
    }
}

/* Writes the name in the user's source. */
static void put_function(struct co4__text *x, const char *name)
{
    if (strcmp(name, "co4_abi_scope_run") == 0)
        name = "co4_scope_run";
    else if (strcmp(name, "co4__select_wait") == 0)
        name = "co4_select_until";
    co4__put(x, name);
}

static void put_frames(struct co4__text *x, const struct seen *s)
{
    for (unsigned i = 0; i < s->nframes; i++) {
        const co4_abi_point *at = s->frames[i];
        const co4_abi_func *func = co4_abi_func_of(at);
        const co4_abi_site *site = co4__site_of(at);
        const char *callee = site ? func->name + site->callee : "";
        bool known = callee[0] != '\0';
        if (at->id == 0 || (!known && (func->result_bytes & CO4_ABI_MADE) != 0))
            continue; /* a call that has not begun, or one that the weaver made */
        co4__put(x, "    #");
        co4__put_number(x, i);
        co4__put(x, i < 10 ? "  " : " ");
        put_function(x, func->name);
        co4__put(x, func->info ? " () at " : " ()\n"); /* woven with --tables=none */
        if (!func->info)
            continue;
        co4__put(x, func->info->file);
        co4__put(x, ":");
        co4__put_number(x, known ? site->line : func->info->line);
        co4__put(x, known ? " in " : "\n");
        co4__put(x, callee);
        co4__put(x, known ? "()\n" : "");
    }
    if (s->deeper > 0) {
        co4__put(x, s->deeper < DEEPER ? "    and " : "    and at least ");
        co4__put_number(x, s->deeper);
        co4__put(x, " more\n");
    }
}

static void put_seen(struct co4__text *x, const co4_task *t, const struct seen *s, int64_t now)
{
    co4__put(x, "  task");
    if (s->number > 0) {
        co4__put(x, " ");
        co4__put_number(x, s->number);
    }
    co4__put_object(x, "", t);
    if (s->name[0]) {
        co4__put(x, " '");
        co4__put(x, s->name);
        co4__put(x, "'");
    }
    if (s->function[0]) {
        co4__put(x, " ");
        co4__put(x, s->function);
    }
    co4__put(x, ": ");
    co4__put(x, co4_task_state_name(s->state));
    if (s->since > 0) {
        co4__put(x, " for ");
        co4__put_time(x, now - s->since);
    }
    if (s->cancelled)
        co4__put(x, ", cancelled");
    if (s->whole && s->state == CO4_TASK_PAUSED) {
        co4__put(x, ", ");
        put_wait(x, s, now);
    }
    co4__put(x, "\n");
    put_frames(x, s);
}

/* ---- dumps ---- */

/* Copies of a runtime's fields. The runtime may end while it is shown, so its address is only
 * compared. */
struct dump {
    struct co4__text out;
    const co4_runtime *rt;
    unsigned runtime_id, number, nworkers;
    bool local, threaded, driven_here, simulated, main_seen;
    int64_t now; /* simulated */
    uint64_t alive;
    struct seen main; /* of a co4_run */
    const co4_task *main_task;
    unsigned long long shown;
};

static void put_task(struct dump *d, const co4_task *t, const struct seen *s)
{
    put_seen(&d->out, t, s, d->simulated ? d->now : co4__clock());
    d->shown++;
}

static void dump_task(co4_task *t, void *arg)
{
    struct dump *d = arg;
    struct seen s;
    if (d->out.err != CO4_OK || co4__runtime_id_of(t) != d->runtime_id ||
        atomic_load_explicit(co4__words_at(&co4__runtimes_by_id, d->runtime_id),
                             memory_order_relaxed) != (uintptr_t)d->rt)
        return;
    if (dump_task_of(t, d->runtime_id, d->driven_here, &s))
        put_task(d, t, &s);
}

/* The runtime exists until this returns: the caller holds the lock of the list, or owns the
 * runtime. */
static void look_at_runtime(struct dump *d, co4_runtime *rt)
{
    d->rt = rt;
    d->runtime_id = rt->runtime_id;
    d->number = rt->registry.number;
    d->nworkers = rt->nworkers;
    d->local = rt->local;
    d->threaded = rt->threaded;
    d->simulated = rt->simulate.state != NULL;
    d->now = d->simulated ? rt->simulate.state->ops->now(rt->simulate.state) : 0;
    d->driven_here = atomic_load_explicit(&rt->run.driver, memory_order_relaxed) == co4__local() ||
                     (rt->simulate.state && rt->simulate.state == co4__local()->simulate.state);
    d->alive = co4__runtime_alive(rt) + (rt->run.main != NULL);
    d->main_task = rt->run.main;
    d->main_seen = rt->run.main &&
                   dump_task_of(rt->run.main, d->runtime_id, d->driven_here, &d->main);
}

/* Called without any lock, since `write` may be slow. */
static void put_runtime(struct dump *d)
{
    co4__put(&d->out, d->local ? "co4_run " : "runtime ");
    co4__put_number(&d->out, d->number);
    co4__put(&d->out, ": ");
    co4__put_number(&d->out, d->alive);
    co4__put(&d->out, d->alive == 1 ? " task" : " tasks");
    if (!d->local) {
        co4__put(&d->out, d->threaded ? ", workers: " : ", workers without a thread: ");
        co4__put_number(&d->out, d->nworkers);
    }
    co4__put(&d->out, "\n");
    if (d->main_seen)
        put_task(d, d->main_task, &d->main);
    if (d->alive > (d->main_task != NULL)) /* otherwise it has no other task */
        co4__task_each(dump_task, d);
}

/* Finds the next runtime, and yields the lock after each CO4__BATCH. False: there is none. */
static bool next_runtime(struct co4__cursor *c, const co4_runtime *only, struct dump *d)
{
    bool found = false;
    co4__lock_take(&co4__runtimes_lock);
    for (unsigned n = 1; c->at && !found; n++) {
        co4_runtime *rt = c->at;
        c->at = rt->registry.next;
        found = !only || rt == only;
        if (found)
            look_at_runtime(d, rt);
        else if (n % CO4__BATCH == 0)
            co4__lock_yield(&co4__runtimes_lock);
    }
    co4__lock_give(&co4__runtimes_lock);
    return found;
}

int co4_dump(co4_runtime *rt, co4_writer *write, void *data)
{
    struct dump d = { .shown = 0 };
    if (!write)
        return CO4_EINVAL;
    const struct co4__worker *here = co4__local()->worker;
    if (here && !here->rt->registry.link) /* a co4_run whose call has not paused yet */
        co4__step_hooks.runtime_begins(here->rt);
    co4__text_begin(&d.out, write, data);
    co4__lock_take(&co4__runtimes_lock);
    struct co4__cursor c;
    co4__cursor_begin(&c);
    co4__lock_give(&co4__runtimes_lock);
    while (d.out.err == CO4_OK && next_runtime(&c, rt, &d))
        put_runtime(&d);
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
    return co4__text_end(&d.out);
}

void co4__dump_runtime(struct co4__text *out, co4_runtime *rt)
{
    struct dump d = { .out = *out };
    look_at_runtime(&d, rt);
    put_runtime(&d);
    *out = d.out;
}
