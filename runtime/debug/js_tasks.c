/* js_tasks.c - the tasks of a program, for the JavaScript that has loaded it.
 *
 * Purpose: a page shows a list of all tasks: each with its wait, the chain of calls that wait, and
 * their locals. web/co4.mjs reads it by Program.tasks(). A page may also hold the program, and let
 * it make single steps.
 *
 * Invariants: a program has this file if its link asks for it, by -Wl,-u,co4__js_tasks. JavaScript
 * runs between steps, or below a call of C: then that task runs, and has no frames.
 *
 * Concurrency: there is one thread.
 *
 * The list is text in JSON. Values are addresses there, which JavaScript reads at once: it knows
 * how to show a type that is a word of C's, and needs no code in the module for it. */
#ifdef __EMSCRIPTEN__
#include "debug/dump.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <emscripten.h>

#include "base/public.h"
#include "base/text.h"
#include "core/fiber.h"
#include "core/task.h"
#include "debug/registry.h"
#include "debug/task_view.h"
#include "platform/clock.h"
#include "sched/host.h"

/* clang-format off */
EM_JS(void, co4__js_says, (const char *text, size_t bytes), {
    var c = Module.co4;
    c.heap = HEAPU8; /* it is another one when the memory has grown */
    c.said.push(HEAPU8.slice(text, text + bytes));
});
/* clang-format on */

struct list {
    struct co4__text out;
    bool any; /* a task is there: a comma goes before the next */
};

static int say(void *data, const char *text, size_t bytes)
{
    (void)data;
    co4__js_says(text, bytes);
    return CO4_OK;
}

/* The inside of a string of JSON. */
static void put_escaped(struct co4__text *x, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < ' ')
            co4__put(x, " ");
        else if (c == '"' || c == '\\')
            co4__put_bytes(x, (const char[2]){ '\\', *s }, 2);
        else
            co4__put_bytes(x, s, 1);
    }
}

static void put_text(struct co4__text *x, const char *before, const char *value)
{
    co4__put(x, before);
    co4__put(x, "\"");
    put_escaped(x, value);
    co4__put(x, "\"");
}

static void put_count(struct co4__text *x, const char *before, uint64_t value)
{
    co4__put(x, before);
    co4__put_number(x, value);
}

/* A name that the weaver has made is of no use. */
static bool is_made(const char *name)
{
    return strncmp(name, "co4_", 4) == 0;
}

static void put_locals(struct co4__text *x, const co4_frame *f)
{
    const co4_abi_func *func = co4_abi_func_of(f->at);
    const co4_abi_info *info = func->info;
    const co4_abi_site *site = co4__site_of(f->at);
    if (!site || !info->live || !info->fields)
        return;
    const unsigned short *live = &info->live[site->live];
    const char *comma = "";
    for (unsigned i = 1; i <= live[0]; i++) {
        const co4_abi_field *field = &info->fields[live[i]];
        if (is_made(func->name + field->name))
            continue;
        co4__put(x, comma);
        put_text(x, "{\"name\":", func->name + field->name);
        put_text(x, ",\"type\":", func->name + field->type);
        put_count(x, ",\"at\":", (uintptr_t)f + field->offset);
        put_count(x, ",\"bytes\":", field->size);
        co4__put(x, "}");
        comma = ",";
    }
}

static void put_frame(struct co4__text *x, const co4_frame *f)
{
    const co4_abi_func *func = co4_abi_func_of(f->at);
    const co4_abi_site *site = co4__site_of(f->at);
    put_text(x, "{\"function\":", co4__name_in_source(func->name));
    put_text(x, ",\"file\":", func->info ? func->info->file : "");
    put_count(x, ",\"line\":", site ? site->line : 0);
    put_text(x, ",\"callee\":", site ? func->name + site->callee : "");
    co4__put(x, ",\"locals\":[");
    put_locals(x, f);
    co4__put(x, "]}");
}

static void put_frames(struct co4__text *x, const co4_task *t)
{
    const char *comma = "";
    unsigned n = 0;
    for (const co4_frame *f = t->fiber.leaf; f && n < CO4__VIEW_DEPTH; f = f->caller) {
        if (co4__frame_is_hidden(f->at))
            continue;
        co4__put(x, comma);
        put_frame(x, f);
        comma = ",";
        n++;
    }
}

static int put_task(void *list, const struct co4__task_view *v)
{
    struct list *l = list;
    struct co4__text *x = &l->out;
    put_count(x, l->any ? ",\n{\"id\":" : "{\"id\":", (uintptr_t)v->task);
    l->any = true;
    put_count(x, ",\"number\":", v->number);
    put_text(x, ",\"name\":", v->name);
    put_text(x, ",\"function\":", v->function);
    put_text(x, ",\"state\":", co4_task_state_name(v->state));
    co4__put(x, v->cancelled ? ",\"cancelled\":true" : ",\"cancelled\":false");
    co4__put(x, ",\"wait\":\"");
    if (v->whole && v->state == CO4_TASK_PAUSED)
        co4__put_wait(x, v, co4__clock());
    co4__put(x, "\",\"frames\":[");
    if (v->whole && v->state != CO4_TASK_RUNNING)
        put_frames(x, v->task);
    co4__put(x, "]}");
    return x->err;
}

/* Says all tasks, as an array of JSON. */
EMSCRIPTEN_KEEPALIVE void co4__js_tasks(void)
{
    struct list l = { .any = false };
    struct co4__cursor c;
    struct co4__runtime_view rt;
    co4__text_begin(&l.out, say, NULL);
    co4__put(&l.out, "[");
    co4__cursor_begin(&c);
    while (co4__view_next_runtime(&c, NULL, &rt)) {
        if (rt.has_main)
            put_task(&l, &rt.main);
        if (rt.alive > rt.has_main) /* otherwise it has no other task */
            co4__view_tasks(&rt, put_task, &l);
    }
    co4__cursor_end(&c);
    co4__put(&l.out, "]");
    co4__text_end(&l.out);
}

/* Numbers tasks from now on. */
EMSCRIPTEN_KEEPALIVE void co4__js_number_tasks(void)
{
    co4_watch(1);
}

/* One step of a program that is held. Returns the task's address, or 0. */
EMSCRIPTEN_KEEPALIVE uintptr_t co4__js_step(void)
{
    return (uintptr_t)co4__host_step();
}
#endif
