/* dump.c - writes as text what the tasks of the process wait for.
 *
 * A dump writes with no lock held: `write` may be slow, and runtimes begin and end meanwhile
 * (task_view.c). */
#include "debug/dump.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "base/text.h"
#include "core/fiber.h"
#include "core/wait.h"
#include "debug/registry.h"
#include "debug/task_record.h"
#include "debug/task_view.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

/* ---- writing a task ---- */

void co4__put_object(struct co4__text *x, const char *what, const void *p)
{
    co4__put(x, what);
    if (p) {
        co4__put(x, " ");
        co4__put_hex(x, (uint64_t)(uintptr_t)p);
    }
}

static void put_cases(struct co4__text *x, const struct co4__task_view *v)
{
    for (int i = 0; i < v->ncases && i < CO4__VIEW_CASES; i++) {
        const struct co4__case_view *c = &v->cases[i];
        co4__put_object(x, c->what ? c->what : "", c->source);
        if (c->what && !c->source)
            co4__put_number(x, (uint64_t)(unsigned)c->descriptor);
    }
    if (v->ncases > CO4__VIEW_CASES)
        co4__put(x, " …");
    if (v->ncases == 0)
        co4__put(x, " nothing that is known");
}

static void put_wait(struct co4__text *x, const struct co4__task_view *v, int64_t now)
{
    co4__put_object(x, co4__view_wait(v), v->object);
    if (v->descriptor >= 0) {
        co4__put(x, " ");
        co4__put_number(x, (uint64_t)(unsigned)v->descriptor);
    }
    if (v->kind == CO4__WAIT_SELECT)
        put_cases(x, v);
    if (v->deadline != CO4_NEVER) {
        co4__put(x, v->deadline >= now ? ", for " : ", overdue by ");
        co4__put_time(x, v->deadline >= now ? v->deadline - now : now - v->deadline);
    }
}

#ifdef __EMSCRIPTEN__
void co4__put_wait(struct co4__text *x, const struct co4__task_view *v, int64_t now)
{
    put_wait(x, v, now);
}
#endif

static void put_place(struct co4__text *x, const co4_abi_point *at)
{
    const co4_abi_func *func = co4_abi_func_of(at);
    const co4_abi_site *site = co4__site_of(at);
    const char *callee = site ? func->name + site->callee : "";
    bool known = callee[0] != '\0';
    bool decides = callee[0] == ' '; /* " before …": a decision, and no call */
    co4__put(x, co4__name_in_source(func->name));
    co4__put(x, func->info ? " () at " : " ()"); /* woven with --tables=none */
    if (!func->info)
        return;
    co4__put(x, func->info->file);
    co4__put(x, ":");
    co4__put_number(x, known ? site->line : func->info->line);
    co4__put(x, known && !decides ? " in " : "");
    co4__put(x, callee);
    co4__put(x, known && !decides ? "()" : "");
}

void co4__put_place_of(struct co4__text *x, const co4_task *t)
{
    const co4_frame *f = t->fiber.leaf;
    while (f && co4__frame_is_hidden(f->at))
        f = f->caller;
    if (f)
        put_place(x, f->at);
}

static void put_frames(struct co4__text *x, const struct co4__task_view *v)
{
    for (unsigned i = 0; i < v->nframes; i++) {
        const co4_abi_point *at = v->frames[i];
        if (co4__frame_is_hidden(at))
            continue;
        co4__put(x, "    #");
        co4__put_number(x, i);
        co4__put(x, i < 10 ? "  " : " ");
        put_place(x, at);
        co4__put(x, "\n");
    }
    if (v->deeper > 0) {
        co4__put(x, v->deeper < CO4__VIEW_DEEPER ? "    and " : "    and at least ");
        co4__put_number(x, v->deeper);
        co4__put(x, " more\n");
    }
}

void co4__put_task(struct co4__text *x, const struct co4__task_view *v, int64_t now)
{
    co4__put(x, "  task");
    if (v->number > 0) {
        co4__put(x, " ");
        co4__put_number(x, v->number);
    }
    co4__put_object(x, "", v->task);
    if (v->name[0]) {
        co4__put(x, " '");
        co4__put(x, v->name);
        co4__put(x, "'");
    }
    if (v->function[0]) {
        co4__put(x, " ");
        co4__put(x, v->function);
    }
    co4__put(x, ": ");
    co4__put(x, co4_task_state_name(v->state));
    if (v->since > 0) {
        co4__put(x, " for ");
        co4__put_time(x, now - v->since);
    }
    if (v->cancelled)
        co4__put(x, ", cancelled");
    if (v->whole && v->state == CO4_TASK_PAUSED) {
        co4__put(x, ", ");
        put_wait(x, v, now);
    }
    co4__put(x, "\n");
    put_frames(x, v);
}

void co4__put_runtime(struct co4__text *x, const struct co4__runtime_view *rt)
{
    co4__put(x, rt->local ? "co4_run " : "runtime ");
    co4__put_number(x, rt->number);
    co4__put(x, ": ");
    co4__put_number(x, rt->alive);
    co4__put(x, rt->alive == 1 ? " task" : " tasks");
    if (!rt->local) {
        co4__put(x, rt->threaded ? ", workers: " : ", workers without a thread: ");
        co4__put_number(x, rt->nworkers);
    }
    co4__put(x, "\n");
}

/* ---- dumps ---- */

struct dump {
    struct co4__text out;
    struct co4__runtime_view rt;
};

static int dump_task(void *dump, const struct co4__task_view *v)
{
    struct dump *d = dump;
    co4__put_task(&d->out, v, d->rt.simulated ? d->rt.simulated_now : co4__clock());
    return d->out.err;
}

/* Called without any lock, since `write` may be slow. */
static void dump_runtime(struct dump *d)
{
    co4__put_runtime(&d->out, &d->rt);
    if (d->rt.has_main)
        dump_task(d, &d->rt.main);
    if (d->rt.alive > d->rt.has_main) /* otherwise it has no other task */
        co4__view_tasks(&d->rt, dump_task, d);
}

int co4_dump(co4_runtime *rt, co4_writer *write, void *data)
{
    struct dump d;
    if (!write)
        return CO4_EINVAL;
    const struct co4__worker *here = co4__local()->worker;
    if (here)
        co4__run_begins_once(here->rt); /* a co4_run whose call has not paused yet */
    co4__text_begin(&d.out, write, data);
    struct co4__cursor c;
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_begin(&c);
    co4__lock_give(&co4__runtimes_lock);
    while (d.out.err == CO4_OK && co4__view_next_runtime(&c, rt, &d.rt))
        dump_runtime(&d);
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
    return co4__text_end(&d.out);
}

void co4__dump_runtime(struct co4__text *out, co4_runtime *rt)
{
    struct dump d = { .out = *out };
    co4__view_runtime(&d.rt, rt);
    dump_runtime(&d);
    *out = d.out;
}
