/* source_operators.c - sources made of sources.
 *
 * Purpose: a combined source adds its own listeners to the sources below. Such a listener passes
 * everything on to the listener above (`outer`), and changes the value and the code on the way. So
 * only the outer has a claim (source.c): all sources compete for it, and exactly one wins. Its
 * owner is the outer's, too: a rendezvous sees that two listeners belong to the same select.
 *
 * Memory: a listener may be used until it has been woken, if it was completed, or dropped. Both end
 * with the outer's: its owner waits for the wake, and drops all it has added. So nothing here is
 * used after the outer's wake. An add that fails changes nothing before the drop: another racer may
 * have been completed by then, and its wake will come.
 *
 * Concurrency: functions of maps and filters run on the waiting thread, without a lock (source.h).
 * A map keeps its function's result until the wait ends or the next call. Only the waiting thread
 * writes it; the thread that completes the listener reads it, and is the same, or has taken the
 * source's lock later. Above a race, several sources share that result, so each answer ends the one
 * before. After all racers have been added, `asked` is the one that has asked last. Its result is
 * valid until the wait ends, and only that racer may be acquired by CO4__KEPT. A notified racer is
 * added last the next time, so that its answer holds. Model: tests/model/kept.pml.
 *
 * A user's own source calls acquire, without look. On the waiting thread, inside poll or add,
 * acquire calls the function itself. On another it notifies the listener, wakes its task, and
 * refuses. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "co4/combine.h"
#include "platform/thread.h"
#include "sync/source.h"

/* ---- common to all: the listener above ---- */

struct above {
    co4_source source;
    _Atomic(co4_listener *) outer; /* NULL: none */
};

static bool above_enter(struct above *a, co4_listener *outer)
{
    co4_listener *nobody = NULL;
    return atomic_compare_exchange_strong_explicit(&a->outer, &nobody, outer, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static void above_leave(struct above *a)
{
    atomic_store_explicit(&a->outer, NULL, memory_order_release);
}

static bool is_above(struct above *a, const co4_listener *outer)
{
    return atomic_load_explicit(&a->outer, memory_order_acquire) == outer;
}

static co4_listener *outer_of(struct above *a)
{
    return atomic_load_explicit(&a->outer, memory_order_relaxed);
}

static int outer_acquire(struct above *a, int code, const void *value)
{
    return outer_of(a)->ops->acquire(outer_of(a), code, value);
}

/* If the source below has asked already (`asked`), the listener above is not asked again. */
static int outer_acquire_asked(struct above *a, int asked, int code, const void *value)
{
    return outer_acquire(a, code == CO4_OK && outer_of(a)->ops->look ? asked : code, value);
}

static bool is_value(int code)
{
    return code == CO4_OK || code == CO4__ASKED || code == CO4__KEPT;
}

/* For a listener that looks. A source that has not asked gives CO4_OK; the listeners above get
 * CO4__ASKED. */
static int asked_by(int code)
{
    return code == CO4__KEPT ? CO4__KEPT : CO4__ASKED;
}

static int outer_look(struct above *a, int code, const void *value)
{
    co4_listener *outer = outer_of(a);
    return outer->ops->look ? outer->ops->look(outer, code, value) : CO4__WANTS;
}

static void outer_complete(struct above *a, int code, const void *value)
{
    outer_of(a)->ops->complete(outer_of(a), code, value);
}

static void outer_release(struct above *a)
{
    outer_of(a)->ops->release(outer_of(a));
}

static void outer_wake(struct above *a)
{
    outer_of(a)->ops->wake(outer_of(a));
}

static const void *outer_owner(struct above *a)
{
    return outer_of(a)->ops->owner(outer_of(a));
}

/* ---- one below: map and filter ---- */

struct CO4__MAY_ALIAS stage {
    struct above above; /* first */
    co4_source *of;
    co4_listener listener;
    void *arg;
    /* The thread whose poll or add is under way; it writes the field. Other threads only compare it
     * with themselves. */
    _Atomic(const struct co4__local *) asking;
    unsigned depth; /* of combined sources below it */
};

struct CO4__MAY_ALIAS mapping {
    struct stage stage;
    int (*f)(void *arg, const void *in, void *out);
    size_t size;
    void *buffer;
    int code; /* of the last call of f; the buffer has its value */
};
_Static_assert(sizeof(struct mapping) <= sizeof(co4_mapping), "the public type has room");

struct CO4__MAY_ALIAS filtering {
    struct stage stage;
    int (*wanted)(void *arg, const void *value);
};
_Static_assert(sizeof(struct filtering) <= sizeof(co4_filtering), "the public type has room");

static struct stage *stage_of(const co4_source *source)
{
    return (struct stage *)(uintptr_t)source; /* its first member */
}

static struct stage *stage_below(co4_listener *l)
{
    return (struct stage *)(void *)((char *)l - offsetof(struct stage, listener));
}

static void set_asking(struct stage *s, const struct co4__local *thread)
{
    atomic_store_explicit(&s->asking, thread, memory_order_relaxed);
}

static int stage_poll(co4_source *source, co4_listener *outer)
{
    struct stage *s = stage_of(source);
    if (!above_enter(&s->above, outer))
        return 0;
    set_asking(s, co4__local());
    int given = s->of->ops->poll(s->of, &s->listener);
    set_asking(s, NULL);
    above_leave(&s->above);
    return given;
}

static int stage_add(co4_source *source, co4_listener *outer)
{
    struct stage *s = stage_of(source);
    if (!above_enter(&s->above, outer))
        return CO4_ESTATE;
    set_asking(s, co4__local());
    int added = co4__source_add(s->of, &s->listener);
    set_asking(s, NULL);
    if (added > 0)
        above_leave(&s->above);
    return added;
}

static void stage_drop(co4_source *source, co4_listener *outer)
{
    struct stage *s = stage_of(source);
    if (!is_above(&s->above, outer))
        return;
    co4__source_drop(s->of, &s->listener);
    above_leave(&s->above);
}

static void stage_wake(co4_listener *l)
{
    outer_wake(&stage_below(l)->above);
}

static const void *stage_owner(const co4_listener *l)
{
    return outer_owner(&stage_below((co4_listener *)(uintptr_t)l)->above);
}

/* For a source that has not asked. Returns the answer of the listener's look; or false, and the
 * task will look. */
static bool asked_now(co4_listener *l, const void *value)
{
    struct stage *s = stage_below(l);
    if (atomic_load_explicit(&s->asking, memory_order_relaxed) == co4__local())
        return l->ops->look(l, CO4_OK, value) != CO4__REFUSES;
    co4_listener *outer = outer_of(&s->above);
    if (co4_listener_offer(outer, CO4_LOOK, NULL))
        outer->ops->wake(outer);
    return false;
}

/* Combined sources down to the last one. */
static unsigned depth_of(const co4_source *source);

static void stage_init(struct stage *s, const co4_source_ops *ops, const co4_listener_ops *below,
                       co4_source *of, void *arg)
{
    s->above.source.ops = ops;
    above_leave(&s->above);
    s->of = of;
    s->depth = depth_of(of);
    s->listener.ops = below;
    s->arg = arg;
    set_asking(s, NULL);
}

/* ---- map ---- */

static struct mapping *mapping_below(co4_listener *l)
{
    return (struct mapping *)(void *)stage_below(l);
}

static const void *mapped(const struct mapping *m, int code)
{
    return code == CO4_OK && m->size > 0 ? m->buffer : NULL;
}

static int map_look(co4_listener *l, int code, const void *value)
{
    struct mapping *m = mapping_below(l);
    if (code == CO4_OK)
        code = m->code = m->f(m->stage.arg, value, m->buffer);
    return outer_look(&m->stage.above, code, mapped(m, code));
}

static int map_acquire(co4_listener *l, int code, const void *value)
{
    struct mapping *m = mapping_below(l);
    int asked = asked_by(code);
    if (code == CO4_OK && !asked_now(l, value))
        return 0;
    if (is_value(code))
        code = m->code;
    return outer_acquire_asked(&m->stage.above, asked, code, mapped(m, code));
}

/* A send that fails is acquired before its code is known. Then that code counts. */
static void map_complete(co4_listener *l, int code, const void *value)
{
    struct mapping *m = mapping_below(l);
    (void)value;
    if (code == CO4_OK)
        code = m->code;
    outer_complete(&m->stage.above, code, mapped(m, code));
}

static void stage_release(co4_listener *l)
{
    outer_release(&stage_below(l)->above);
}

static size_t map_size(const co4_source *source)
{
    return ((struct mapping *)stage_of(source))->size;
}

static const co4_source_ops map_ops = { stage_poll, stage_add, stage_drop, map_size };
static const co4_listener_ops map_below = { map_acquire, map_complete, stage_release,
                                            stage_wake,  stage_owner,  map_look };

co4_source *co4_source_map(co4_mapping *mapping, co4_source *of, size_t size, void *buffer,
                           int (*f)(void *arg, const void *in, void *out), void *arg)
{
    struct mapping *m = (struct mapping *)(void *)mapping;
    if (!m || !of || !f || (size > 0 && !buffer) || co4__nests_too_deep(depth_of(of) + 1))
        return NULL;
    memset(m, 0, sizeof *m);
    stage_init(&m->stage, &map_ops, &map_below, of, arg);
    m->f = f;
    m->size = size;
    m->buffer = buffer;
    return &m->stage.above.source;
}

/* ---- filter ---- */

static int filter_look(co4_listener *l, int code, const void *value)
{
    struct filtering *f = (struct filtering *)(void *)stage_below(l);
    if (code == CO4_OK && !f->wanted(f->stage.arg, value))
        return CO4__REFUSES;
    return outer_look(&f->stage.above, code, value);
}

static int filter_acquire(co4_listener *l, int code, const void *value)
{
    struct stage *s = stage_below(l);
    if (code == CO4_OK && !asked_now(l, value))
        return 0;
    return outer_acquire_asked(&s->above, asked_by(code), is_value(code) ? CO4_OK : code, value);
}

static void filter_complete(co4_listener *l, int code, const void *value)
{
    outer_complete(&stage_below(l)->above, code, value);
}

static size_t filter_size(const co4_source *source)
{
    return co4_source_size(stage_of(source)->of);
}

static const co4_source_ops filter_ops = { stage_poll, stage_add, stage_drop, filter_size };
static const co4_listener_ops filter_below = { filter_acquire, filter_complete, stage_release,
                                               stage_wake,     stage_owner,     filter_look };

co4_source *co4_source_filter(co4_filtering *filtering, co4_source *of,
                              int (*wanted)(void *arg, const void *value), void *arg)
{
    struct filtering *f = (struct filtering *)(void *)filtering;
    if (!f || !of || !wanted || co4__nests_too_deep(depth_of(of) + 1))
        return NULL;
    memset(f, 0, sizeof *f);
    stage_init(&f->stage, &filter_ops, &filter_below, of, arg);
    f->wanted = wanted;
    return &f->stage.above.source;
}

/* ---- several below: race, either, timeout ---- */

struct CO4__MAY_ALIAS racing {
    struct above above; /* first */
    co4_racer *racers;  /* the user's array; each has a struct racer, which may be smaller */
    int count, added;
    int winner;   /* written by the thread that has acquired the outer listener */
    int notified; /* likewise: the racer that will look */
    /* The racer to be added last; -1: no other order. Only the waiting thread uses it and
     * `asks`. */
    int last;
    int asks;         /* the racer that has asked last; -1: none */
    atomic_int asked; /* the same, once all have been added */
    unsigned depth;   /* of combined sources below it */
    size_t size;
};
_Static_assert(sizeof(struct racing) <= sizeof(co4_racing), "the public type has room");

struct CO4__MAY_ALIAS racer {
    co4_source *source;
    struct racing *race;
    co4_listener listener;
    void *out;  /* of either: the place of its value */
    int code;   /* in place of CO4_OK */
    int either; /* it gives its index instead of the value */
};
_Static_assert(sizeof(struct racer) <= sizeof(co4_racer), "the public type has room");

static struct racing *race_of(const co4_source *source)
{
    return (struct racing *)(uintptr_t)source; /* its first member */
}

static struct racer *racer_below(co4_listener *l)
{
    return (struct racer *)(void *)((char *)l - offsetof(struct racer, listener));
}

static struct racer *racer_at(const struct racing *race, int index)
{
    return (struct racer *)(void *)&race->racers[index];
}

static int index_of(const struct racer *r)
{
    return (int)((const co4_racer *)(const void *)r - r->race->racers);
}

/* Returns the n-th racer that is added; the notified one is the last. */
static struct racer *racer_nth(const struct racing *race, int n)
{
    if (race->last < 0 || n < race->last)
        return racer_at(race, n);
    return racer_at(race, n + 1 < race->count ? n + 1 : race->last);
}

static void drop_added(struct racing *race)
{
    for (; race->added > 0; race->added--) {
        struct racer *r = racer_nth(race, race->added - 1);
        if (r->source)
            co4__source_drop(r->source, &r->listener);
    }
}

static const co4_listener_ops racer_ops, asked_racer_ops;

/* Its listeners ask only if the listener above does. */
static void begin_race(struct racing *race, const co4_listener *outer)
{
    race->winner = -1;
    race->last = race->notified;
    race->asks = -1;
    atomic_store_explicit(&race->asked, -1, memory_order_relaxed);
    for (int i = 0; i < race->count; i++)
        racer_at(race, i)->listener.ops = outer->ops->look ? &asked_racer_ops : &racer_ops;
}

static int race_poll(co4_source *source, co4_listener *outer)
{
    struct racing *race = race_of(source);
    int given = 0;
    if (!above_enter(&race->above, outer))
        return 0;
    begin_race(race, outer);
    for (int i = 0; i < race->count && !given; i++) {
        struct racer *r = racer_at(race, i);
        given = r->source ? r->source->ops->poll(r->source, &r->listener) : 0;
    }
    above_leave(&race->above);
    return given;
}

static int race_add(co4_source *source, co4_listener *outer)
{
    struct racing *race = race_of(source);
    int added = 0;
    if (!above_enter(&race->above, outer))
        return CO4_ESTATE;
    begin_race(race, outer);
    for (; race->added < race->count; race->added++) {
        struct racer *r = racer_nth(race, race->added);
        added = r->source ? co4__source_add(r->source, &r->listener) : 0;
        if (added != 0)
            break;
    }
    if (added > 0) {
        drop_added(race);
        above_leave(&race->above);
    } else if (added < 0) {
        race->added++; /* it is dropped with the others */
    } else {
        atomic_store_explicit(&race->asked, race->asks, memory_order_release);
    }
    return added;
}

static void race_drop(co4_source *source, co4_listener *outer)
{
    struct racing *race = race_of(source);
    if (!is_above(&race->above, outer))
        return;
    drop_added(race);
    above_leave(&race->above);
}

static size_t race_size(const co4_source *source)
{
    return race_of(source)->size;
}

/* Returns the racer's value, and sets *code. */
static const void *passed(const struct racer *r, int *code, const void *value, int *index)
{
    if (*code == CO4_OK || (is_value(*code) && r->code != CO4_OK))
        *code = r->code;
    *index = index_of(r);
    return r->either && *code != CO4_LOOK ? index : value;
}

static int racer_acquire(co4_listener *l, int code, const void *value)
{
    struct racer *r = racer_below(l);
    int index;
    if (code == CO4__KEPT &&
        atomic_load_explicit(&r->race->asked, memory_order_acquire) != index_of(r))
        return 0;
    value = passed(r, &code, value, &index);
    return outer_acquire(&r->race->above, code, value);
}

static int racer_look(co4_listener *l, int code, const void *value)
{
    struct racer *r = racer_below(l);
    int index;
    value = passed(r, &code, value, &index);
    r->race->asks = index_of(r);
    return outer_look(&r->race->above, code, value);
}

static void racer_complete(co4_listener *l, int code, const void *value)
{
    struct racer *r = racer_below(l);
    int index;
    if (r->out && value)
        memcpy(r->out, value, co4_source_size(r->source));
    if (code == CO4_LOOK)
        r->race->notified = index_of(r);
    else
        r->race->winner = index_of(r);
    value = passed(r, &code, value, &index);
    outer_complete(&r->race->above, code, value);
}

static void racer_release(co4_listener *l)
{
    outer_release(&racer_below(l)->race->above);
}

static void racer_wake(co4_listener *l)
{
    outer_wake(&racer_below(l)->race->above);
}

static const void *racer_owner(const co4_listener *l)
{
    return outer_owner(&racer_below((co4_listener *)(uintptr_t)l)->race->above);
}

static const co4_source_ops race_ops = { race_poll, race_add, race_drop, race_size };
static const co4_listener_ops racer_ops = { racer_acquire, racer_complete, racer_release,
                                            racer_wake,    racer_owner,    NULL };
/* For a race below a map or a filter. */
static const co4_listener_ops asked_racer_ops = { racer_acquire, racer_complete, racer_release,
                                                  racer_wake,    racer_owner,    racer_look };

static struct racer *racer_init(struct racing *race, co4_racer *racer)
{
    struct racer *r = (struct racer *)(void *)racer;
    co4_source *source = racer->source;
    memset(r, 0, sizeof *r);
    r->source = source;
    r->race = race;
    r->listener.ops = &racer_ops;
    return r;
}

static unsigned depth_of(const co4_source *source)
{
    const struct CO4__MAY_ALIAS stage *s = (const void *)source;
    const struct racing *race = (const void *)source;
    return !source                           ? 0
           : source->ops->poll == stage_poll ? s->depth + 1
           : source->ops == &race_ops        ? race->depth + 1
                                             : 0;
}

/* NULL: it is nested too deep. */
static struct racing *race_init(co4_racing *racing, co4_racer *racers, int count)
{
    struct racing *race = (struct racing *)(void *)racing;
    memset(race, 0, sizeof *race);
    race->above.source.ops = &race_ops;
    race->racers = racers;
    race->count = count;
    race->winner = race->notified = race->last = race->asks = -1;
    for (int i = 0; i < count; i++) {
        unsigned depth = depth_of(racers[i].source);
        race->depth = depth > race->depth ? depth : race->depth;
        racer_init(race, &racers[i]);
    }
    return co4__nests_too_deep(race->depth + 1) ? NULL : race;
}

co4_source *co4_source_race(co4_racing *racing, co4_racer *racers, int count)
{
    size_t size = 0;
    if (!racing || !racers || count <= 0)
        return NULL;
    for (int i = 0; i < count; i++) {
        size_t its = co4_source_size(racers[i].source);
        if (its > 0 && size > 0 && its != size)
            return NULL;
        size = its > size ? its : size;
    }
    struct racing *race = race_init(racing, racers, count);
    if (!race)
        return NULL;
    race->size = size;
    return &race->above.source;
}

int co4_source_race_winner(const co4_racing *racing)
{
    return racing ? race_of(&racing->source)->winner : -1;
}

co4_source *co4_source_either(co4_either *either, co4_source *a, void *out_a, co4_source *b,
                              void *out_b)
{
    if (!either || !a || !b)
        return NULL;
    either->racers[0].source = a;
    either->racers[1].source = b;
    struct racing *race = race_init(&either->racing, either->racers, 2);
    if (!race)
        return NULL;
    for (int i = 0; i < 2; i++) {
        racer_at(race, i)->out = i == 0 ? out_a : out_b;
        racer_at(race, i)->either = 1;
    }
    race->size = sizeof(int);
    return &race->above.source;
}

co4_source *co4_source_until(co4_timed *timed, co4_source *of, int64_t deadline)
{
    if (!timed || !of)
        return NULL;
    co4_timer_init(&timed->timer);
    if (deadline != CO4_NEVER)
        co4_timer_start(&timed->timer, deadline);
    timed->racers[0].source = of;
    timed->racers[1].source = deadline != CO4_NEVER ? co4_timer_source(&timed->timer) : NULL;
    struct racing *race = race_init(&timed->racing, timed->racers, 2);
    if (!race)
        return NULL;
    racer_at(race, 1)->code = CO4_ETIMEDOUT;
    race->size = co4_source_size(of);
    return &race->above.source;
}
