/* console.c - answers questions about the tasks of the process, for co4top and other programs.
 *
 * Purpose: a client sends a line, and reads the answer to its end: text as that of dumps, which a
 * person can read by nc -U. `dump` is answered by co4_dump(). `look` is answered with the runtimes
 * and their counters, the memory of tasks, the longest steps, and the *places*: tasks that wait in
 * the same way, behind the same calls, are one place with a count. So the answer is small when
 * there are a million tasks. Its last line begins with "end", and says how long the look took.
 *
 * Cost: the walk over all tasks holds each paused task while its data are copied. A look that took
 * some time is followed by a hundred times as much without one: meanwhile its answer is given
 * again. So looks cost at most a hundredth of one processor, however many tasks there are.
 *
 * Concurrency: the observer's thread (observer.c) alone calls what is here. */
#include "debug/console.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/count.h"
#include "base/public.h"
#include "base/text.h"
#include "core/wait.h"
#include "debug/dump.h"
#include "debug/registry.h"
#include "debug/task_view.h"
#include "platform/local_server.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sched/queue.h"
#include "sched/runtime.h"
#include "sched/step_hooks.h"
#include "sched/worker.h"

enum { REST = 100 }; /* times the duration of a look, until the next one */

/* ---- the answer, which is kept ---- */

static struct {
    char *text;
    size_t bytes, room;
    bool is_cut;  /* out of memory */
    int64_t next; /* when the tasks may be looked at again */
} answer;

static int keep_text(void *unused, const char *text, size_t bytes)
{
    (void)unused;
    if (answer.room - answer.bytes < bytes) {
        size_t room = (answer.bytes + bytes) * 2;
        char *grown = co4__heap_grow(answer.text, room);
        if (!grown) {
            answer.is_cut = true;
            return CO4_ENOMEM;
        }
        answer.text = grown;
        answer.room = room;
    }
    memcpy(answer.text + answer.bytes, text, bytes);
    answer.bytes += bytes;
    return CO4_OK;
}

/* " NAME NUMBER" */
static void put_count(struct co4__text *x, const char *name, uint64_t n)
{
    co4__put(x, " ");
    co4__put(x, name);
    co4__put(x, " ");
    co4__put_number(x, n);
}

/* ---- places ---- */

struct place {
    uint64_t hash, count, cancelled, due; /* due: with a deadline */
    int64_t oldest;                       /* since when the longest of them waits; 0: not known */
    struct co4__task_view first;          /* one of them, the longest waiting if that is known */
};

static struct {
    struct place *all; /* a table by hash; count 0: a free entry */
    size_t used, room;
    uint64_t others; /* tasks for which there was no memory */
} places;

static uint64_t hash_of(const struct co4__task_view *v)
{
    uint64_t h = v->state * 31u + v->kind;
    for (const char *s = v->nframes == 0 ? v->function : ""; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    for (unsigned i = 0; i < v->nframes; i++)
        h = (h ^ (uintptr_t)v->frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static bool is_same_place(const struct co4__task_view *a, const struct co4__task_view *b)
{
    return a->state == b->state && a->kind == b->kind && a->nframes == b->nframes &&
           memcmp(a->frames, b->frames, a->nframes * sizeof *a->frames) == 0 &&
           (a->nframes > 0 || strcmp(a->function, b->function) == 0);
}

static struct place *find_place(struct place *all, size_t room, uint64_t hash,
                                const struct co4__task_view *v)
{
    size_t at = hash & (room - 1);
    while (all[at].count > 0 && (all[at].hash != hash || !is_same_place(&all[at].first, v)))
        at = (at + 1) & (room - 1);
    return &all[at];
}

static bool grow_places(void)
{
    size_t room = places.room ? places.room * 2 : 64;
    struct place *all = co4__alloc(room * sizeof *all);
    for (size_t i = 0; all && i < places.room; i++)
        if (places.all[i].count > 0)
            *find_place(all, room, places.all[i].hash, &places.all[i].first) = places.all[i];
    if (!all)
        return false;
    co4__free(places.all);
    places.all = all;
    places.room = room;
    return true;
}

static int add_to_place(void *unused, const struct co4__task_view *v)
{
    (void)unused;
    if (places.used * 4 >= places.room * 3 && !grow_places() && places.used == places.room) {
        places.others++;
        return CO4_OK;
    }
    uint64_t hash = hash_of(v);
    struct place *p = find_place(places.all, places.room, hash, v);
    if (p->count == 0) {
        *p = (struct place){ .hash = hash, .oldest = v->since, .first = *v };
        places.used++;
    } else if (v->since > 0 && (p->oldest == 0 || v->since < p->oldest)) {
        p->oldest = v->since;
        p->first = *v;
    }
    p->count++;
    p->cancelled += v->cancelled;
    p->due += v->whole && v->state == CO4_TASK_PAUSED && v->deadline != CO4_NEVER;
    return CO4_OK;
}

static void put_places(struct co4__text *x, int64_t now)
{
    for (size_t i = 0; i < places.room; i++) {
        const struct place *p = &places.all[i];
        if (p->count == 0)
            continue;
        co4__put(x, "place");
        put_count(x, "tasks", p->count);
        put_count(x, "cancelled", p->cancelled);
        put_count(x, "with_deadline", p->due);
        co4__put(x, "\n");
        co4__put_task(x, &p->first, now);
    }
    co4__put(x, "others");
    put_count(x, "tasks", places.others);
    co4__put(x, "\n");
    co4__free(places.all);
    places.all = NULL;
    places.used = places.room = 0;
    places.others = 0;
}

/* ---- steps that last ---- */

enum { WORKERS = 64, LONGEST = 8 };

static struct {
    struct watched {
        unsigned runtime, worker; /* numbers; 0: a free entry */
        uint64_t steps;
        int64_t since; /* when it was first seen in this step */
    } seen[WORKERS];
    struct long_step {
        int64_t ns;
        unsigned runtime, worker;
        uint64_t step;
    } longest[LONGEST]; /* the longest first */
} steps;

static void note_long_step(const struct watched *w, int64_t ns)
{
    int at = 0;
    while (at < LONGEST &&
           (steps.longest[at].runtime != w->runtime || steps.longest[at].worker != w->worker ||
            steps.longest[at].step != w->steps))
        at++;
    if (at == LONGEST && steps.longest[--at].ns >= ns)
        return;
    for (; at > 0 && steps.longest[at - 1].ns < ns; at--)
        steps.longest[at] = steps.longest[at - 1];
    steps.longest[at] = (struct long_step){ ns, w->runtime, w->worker, w->steps };
}

static void note_step(unsigned runtime, const struct co4__worker *w, int64_t now)
{
    struct watched *s = &steps.seen[(runtime * 31 + w->index) % WORKERS];
    uint64_t n = co4__counted(&w->stats.steps);
    if (s->runtime != runtime || s->worker != w->index || s->steps != n ||
        co4__queue_sleeps(&w->queue))
        *s = (struct watched){ runtime, w->index, n, now };
    else
        note_long_step(s, now - s->since);
}

void co4__console_note_steps(int64_t now)
{
    struct co4__cursor c;
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_begin(&c);
    for (unsigned n = 1; c.at; n++) {
        co4_runtime *rt = c.at;
        c.at = rt->registry.next;
        for (unsigned i = 0; i < co4__nworkers(rt) && i < WORKERS; i++)
            note_step(rt->registry.number, &rt->workers[i], now);
        if (n % CO4__BATCH == 0)
            co4__lock_yield(&co4__runtimes_lock);
    }
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
}

static void put_long_steps(struct co4__text *x)
{
    for (int i = 0; i < LONGEST && steps.longest[i].ns > 0; i++) {
        co4__put(x, "step");
        put_count(x, "ns", (uint64_t)steps.longest[i].ns);
        put_count(x, "runtime", steps.longest[i].runtime);
        put_count(x, "worker", steps.longest[i].worker);
        co4__put(x, "\n");
    }
}

/* ---- a look ---- */

static void put_stats(struct co4__text *x, const co4_stats *s)
{
    static const char names[][12] = { "spawned",    "stopped",   "steps",    "pauses",    "yields",
                                      "kept",       "sent",      "received", "timers",    "sleeps",
                                      "looks",      "events",    "spins",    "spins_won", "rescued",
                                      "pool_calls", "ring_calls" };
    enum { COUNTERS = sizeof names / sizeof *names };
    unsigned long long n[COUNTERS];
    _Static_assert(sizeof n == sizeof *s, "a name for each counter, in their order");
    memcpy(n, s, sizeof n);
    co4__put(x, "counters");
    for (int i = 0; i < COUNTERS; i++)
        put_count(x, names[i], n[i]);
    co4__put(x, "\n");
}

static void put_runtimes(struct co4__text *x)
{
    struct co4__runtime_view rt;
    struct co4__cursor c;
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_begin(&c);
    co4__lock_give(&co4__runtimes_lock);
    while (co4__view_next_runtime(&c, NULL, &rt)) {
        co4__put_runtime(x, &rt);
        put_stats(x, &rt.stats);
        if (rt.has_main)
            add_to_place(NULL, &rt.main);
    }
    co4__lock_take(&co4__runtimes_lock);
    co4__cursor_end(&c);
    co4__lock_give(&co4__runtimes_lock);
}

static void put_memory(struct co4__text *x)
{
    co4_memory m;
    co4_memory_of_process(&m);
    co4__put(x, "memory");
    put_count(x, "tasks", m.tasks);
    put_count(x, "task_bytes", m.task_bytes);
    put_count(x, "blocks", m.blocks);
    put_count(x, "block_bytes", m.block_bytes);
    put_count(x, "reserved_bytes", m.reserved_bytes);
    co4__put(x, "\n");
}

static void look(int64_t now)
{
    struct co4__text x;
    bool watches = (atomic_load_explicit(&co4__hook_bits, memory_order_relaxed) & CO4__AGED) != 0;
    answer.bytes = 0;
    answer.is_cut = false;
    co4__text_begin(&x, keep_text, NULL);
    co4__put(&x, "co4 " CO4_VERSION);
    put_count(&x, "at_ns", (uint64_t)now);
    put_count(&x, "watch", watches);
    co4__put(&x, "\n");
    put_memory(&x);
    put_runtimes(&x);
    put_long_steps(&x);
    co4__view_tasks(NULL, add_to_place, NULL);
    put_places(&x, now);
    int64_t took = co4__clock() - now;
    co4__put(&x, "end");
    put_count(&x, "took_ns", (uint64_t)took);
    co4__put(&x, "\n");
    co4__text_end(&x);
    answer.next = now + REST * took;
}

void co4__console_answer(int client, const char *request)
{
    static const char help[] = "look, dump, watch on, watch off\n";
    int64_t now = co4__clock();
    if (strcmp(request, "look") == 0) {
        if (now >= answer.next)
            look(now);
        if (!answer.is_cut)
            co4__local_client_write(&client, answer.text, answer.bytes);
        else
            co4__local_client_write(&client, "no memory\n", 10);
    } else if (strcmp(request, "dump") == 0) {
        co4_dump(NULL, co4__local_client_write, &client);
    } else if (strcmp(request, "watch on") == 0 || strcmp(request, "watch off") == 0) {
        co4_watch(request[7] == 'n');
        answer.next = 0; /* the next look must not show the state before */
        co4__local_client_write(&client, "ok\n", 3);
    } else {
        co4__local_client_write(&client, help, sizeof help - 1);
    }
}
