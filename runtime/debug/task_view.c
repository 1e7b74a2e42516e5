/* task_view.c - copies what a task is doing, for dumps and the console.
 *
 * Concurrency: a look reads the frames of a paused task, and the task's next wake may come at any
 * time. So the look holds the task: it sets the claim word to BUSY, as sources do (source.c). A
 * thread that wants to wake the task waits for the few instructions that copy the task's data. A
 * task that is not paused cannot be held. While it is ready or running, only its state is shown,
 * unless the caller is the thread that drives its runtime: then no task of that runtime runs.
 *
 * Who looks at all runtimes has a cursor in the registry, which the end of a runtime advances. The
 * fields of a runtime are copied, and its tasks are found by the runtime id. If the runtime ends
 * meanwhile, the remaining tasks are not shown.
 *
 * Rejected: stopping all workers (a dump is needed when workers do not respond); a lock or a
 * generation count in each task. */
#include "debug/task_view.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/blocker.h"
#include "core/fiber.h"
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
#include "sync/mailbox.h"
#include "sync/source.h"
#include "sync/sync.h"

/* A program that lacks the module has no source with these operations. */
extern CO4__IF_LINKED const co4_source_ops co4__mailbox_ops, co4__direction_ops[2];
/* Nor has it waits with words of their own. */
extern CO4__IF_LINKED const char *co4__words_of_call(const co4_abi_point *const *frames,
                                                     unsigned count);

static struct co4__case_view look_at_case(const co4_source *source)
{
    if (source->ops == &co4__mailbox_ops)
        return (struct co4__case_view){ " mailbox", source, -1 };
    if (source->ops != &co4__direction_ops[CO4__READING] &&
        source->ops != &co4__direction_ops[CO4__WRITING])
        return (struct co4__case_view){ " source", source, -1 };
    int direction;
    int fd = co4__descriptor_of_source(source, &direction)->fd;
    const char *what = direction == CO4__READING ? " readable " : " writable ";
    return (struct co4__case_view){ what, NULL, fd };
}

/* The cases of a select are in the frame of the woven wait. */
static void look_at_select(struct co4__task_view *v, const co4_frame *f)
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
        v->ncases = now.count;
        for (int k = 0; k < now.count && k < CO4__VIEW_CASES; k++)
            if (now.cases[k].source)
                v->cases[k] = look_at_case(now.cases[k].source);
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

/* The name of the task's outermost call that is the user's: not co4_scope_run() around it. */
static const char *name_of_root(const struct co4__task_view *v)
{
    const char *name = v->function;
    for (unsigned i = v->nframes; i-- > 0 && strncmp(name, "co4_", 4) == 0;)
        if (strncmp(co4_abi_func_of(v->frames[i])->name, "co4_", 4) != 0)
            return co4_abi_func_of(v->frames[i])->name;
    return co4__name_in_source(name);
}

/* Called for a task that is held, or whose runtime only the caller drives. */
static void look_inside(co4_task *t, struct co4__task_view *v, uint8_t wait)
{
    const struct co4__task_record *x = co4__record_of(t);
    v->whole = true;
    co4_task_name(t, v->name, sizeof v->name);
    if (x) {
        v->number = x->number;
        v->function = x->function;
        v->since = x->since;
    }
    v->cancelled = atomic_load_explicit(&t->cancel, memory_order_relaxed) != 0;
    /* The frames of a running task are on the C stack. */
    const co4_frame *leaf = v->state != CO4_TASK_RUNNING ? t->fiber.leaf : NULL;
    for (const co4_frame *f = leaf; f && v->deeper < CO4__VIEW_DEEPER; f = f->caller) {
        if (!x && !f->caller)
            v->function = co4_abi_func_of(f->at)->name;
        if (v->nframes == CO4__VIEW_DEPTH) {
            v->deeper++;
            continue;
        }
        v->frames[v->nframes++] = f->at;
    }
    v->function = name_of_root(v);
    v->deadline = CO4_NEVER;
    v->descriptor = -1;
    if (v->state != CO4_TASK_PAUSED)
        return;
    const co4_abi_wait *w = &t->waiter.result.wait;
    const struct co4__wait_queue *p = w->where;
    if (wait & CO4__TIMED) {
        const struct co4__timer *timer = w->where;
        v->deadline = timer->deadline;
        p = timer->wait_queue;
    }
    v->kind = wait & CO4__WHAT_FOR;
    if (p && p->gate == CO4__GATE_DESCRIPTOR) {
        int direction;
        v->descriptor =
            co4__descriptor_of_queue((struct co4__wait_queue *)(uintptr_t)p, &direction)->fd;
        return;
    }
    v->object = object_of(v->kind, w, p);
    if (v->kind == CO4__WAIT_SELECT)
        look_at_select(v, t->fiber.leaf);
    v->words = co4__words_of_call ? co4__words_of_call(v->frames, v->nframes) : NULL;
    if (v->words && v->kind == CO4__WAIT_SELECT) {
        v->kind = CO4__WAIT_WRITE; /* at one object, whose first member is the source */
        v->object = v->cases[0].source;
    }
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
static bool view_task_of(co4_task *t, unsigned runtime_id, bool driven_here,
                         struct co4__task_view *v)
{
    uint8_t was = CO4__WAIT_NONE;
    if (co4__runtime_id_of(t) != runtime_id)
        return false;
    *v = (struct co4__task_view){ .task = t, .function = "" };
    co4__claims_begin();
    bool held = hold(t, &was);
    v->state = co4_task_state_of(t);
    bool ours = co4__runtime_id_of(t) == runtime_id;
    if (ours && ((held && v->state == CO4_TASK_PAUSED) || driven_here))
        look_inside(t, v, was);
    if (held)
        atomic_store_explicit(&t->waiter.claim, was, memory_order_release);
    co4__claims_end();
    return ours && v->state != CO4_TASK_STOPPED;
}

/* ---- all tasks ---- */

struct tour {
    const struct co4__runtime_view *of;
    int (*see)(void *arg, const struct co4__task_view *t);
    void *arg;
    int code;
};

static void see_task(co4_task *t, void *arg)
{
    struct tour *tour = arg;
    struct co4__task_view v;
    unsigned id = co4__runtime_id_of(t);
    if (tour->code != CO4_OK || id == 0 || (tour->of && id != tour->of->runtime_id))
        return;
    uintptr_t rt = atomic_load_explicit(co4__words_at(&co4__runtimes_by_id, id),
                                        memory_order_relaxed);
    if (tour->of ? rt != (uintptr_t)tour->of->rt : rt % 2 != 0) /* it has ended */
        return;
    if (view_task_of(t, id, tour->of && tour->of->driven_here, &v))
        tour->code = tour->see(tour->arg, &v);
}

void co4__view_tasks(const struct co4__runtime_view *of,
                     int (*see)(void *arg, const struct co4__task_view *t), void *arg)
{
    struct tour tour = { of, see, arg, CO4_OK };
    co4__task_each(see_task, &tour);
}

void co4__view_runtime(struct co4__runtime_view *v, co4_runtime *rt)
{
    v->rt = rt;
    v->runtime_id = rt->runtime_id;
    v->number = rt->registry.number;
    v->nworkers = co4__nworkers(rt);
    v->local = rt->local;
    v->threaded = rt->threaded;
    v->simulated = rt->simulate.state != NULL;
    v->simulated_now = v->simulated ? rt->simulate.state->ops->now(rt->simulate.state) : 0;
    /* The events of a page find no step under way that another thread makes. */
    v->driven_here = !co4__has_threads ||
                     atomic_load_explicit(&rt->run.driver, memory_order_relaxed) == co4__local() ||
                     (rt->simulate.state && rt->simulate.state == co4__local()->simulate.state);
    v->alive = co4__runtime_alive(rt) + (rt->run.main != NULL);
    co4_stats_of(rt, &v->stats);
    v->has_main = rt->run.main &&
                  view_task_of(rt->run.main, v->runtime_id, v->driven_here, &v->main);
}

bool co4__view_next_runtime(struct co4__cursor *c, const co4_runtime *only,
                            struct co4__runtime_view *v)
{
    bool found = false;
    co4__lock_take(&co4__runtimes_lock);
    for (unsigned n = 1; c->at && !found; n++) {
        co4_runtime *rt = c->at;
        c->at = rt->registry.next;
        found = !only || rt == only;
        if (found)
            co4__view_runtime(v, rt);
        else if (n % CO4__BATCH == 0)
            co4__lock_yield(&co4__runtimes_lock);
    }
    co4__lock_give(&co4__runtimes_lock);
    return found;
}

/* ---- words ---- */

const char *co4__view_wait(const struct co4__task_view *v)
{
    if (v->words)
        return v->words;
    switch (v->kind) {
    case CO4__WAIT_TIMER:
        return "sleeps";
    case CO4__WAIT_RECEIVE:
        return "receives from mailbox";
    case CO4__WAIT_SEND:
        return "sends to mailbox";
    case CO4__WAIT_JOIN:
        return v->object ? "joins task" : "waits for its scope's tasks";
    case CO4__WAIT_SELECT:
        return v->ncases == 1 ? "waits for" : "selects among";
    case CO4__WAIT_READ:
        return v->descriptor >= 0 ? "reads from descriptor" : "waits at";
    case CO4__WAIT_WRITE:
        return v->descriptor >= 0 ? "writes to descriptor" : "waits at";
    default:
        return "waits";
    }
}

const char *co4__name_in_source(const char *name)
{
    if (strcmp(name, "co4_abi_scope_run") == 0)
        return "co4_scope_run";
    return strcmp(name, "co4__select_wait") == 0 ? "co4_select_until" : name;
}

bool co4__frame_is_hidden(const co4_abi_point *at)
{
    const co4_abi_func *func = co4_abi_func_of(at);
    const co4_abi_site *site = co4__site_of(at);
    bool known = site && func->name[site->callee];
    return at->id == 0 || (!known && (func->result_bytes & CO4_ABI_MADE) != 0);
}
