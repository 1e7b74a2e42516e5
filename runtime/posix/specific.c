/* specific.c - thread-specific values: in a task they are the task's own.
 *
 * Purpose: to code of POSIX its caller is a thread. So a program that --auto has woven gets values
 * for each task, whose destructors run at its end. The link turns the calls of POSIX and C11 into
 * those below, in all objects and archives. A key is one of the C library's: threads outside tasks,
 * and those of the pool in co4_blocking(), have their values there.
 *
 * A task's values are a table by the number of the key, in one task-local value (core/local.c). A
 * number may be given again after pthread_key_delete(), so a value counts as long as the generation
 * of its key is the same. Nothing else refers to this file.
 *
 * Concurrency: only the task accesses its table. The creation and the deletion of a key write its
 * element of `keys`. POSIX leaves a use of the key meanwhile undefined, so it has one writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <threads.h>

#include "base/alloc.h"
#include "core/local.h"
#include "platform/thread.h"
#include "posix/self.h"
#include "posix/thrd.h"
#include "sched/sched.h"
#include "sched/worker.h"

#include "co4/error.h"

enum { KEYS = 1024, FIRST = 8 }; /* keys of glibc and musl; places of a table at first */

int __real_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int __real_pthread_key_delete(pthread_key_t key);
void *__real_pthread_getspecific(pthread_key_t key);
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int __wrap_pthread_key_delete(pthread_key_t key);
void *__wrap_pthread_getspecific(pthread_key_t key);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_tss_create(tss_t *key, tss_dtor_t destroy);
void __wrap_tss_delete(tss_t key);
void *__wrap_tss_get(tss_t key);
int __wrap_tss_set(tss_t key, void *value);

static struct {
    atomic_ulong generation; /* odd: there is such a key */
    void (*_Atomic destroy)(void *);
} keys[KEYS];

struct specific {
    void *value;
    unsigned long generation;
};

struct specifics {
    co4_task *task;
    size_t count;
    struct specific *at;
};

static void end_specifics(void *table);
static const co4_task_local own = CO4_TASK_LOCAL(end_specifics);

/* ---- the table of a task ---- */

/* The table whose destructors run: its task has no such task-local value any more. */
static _Thread_local struct specifics *ending;

static struct specifics *specifics_of(co4_task *task)
{
    return ending && ending->task == task ? ending : co4__task_local_of(task, &own);
}

static unsigned long generation_of(pthread_key_t key)
{
    return atomic_load_explicit(&keys[key].generation, memory_order_acquire);
}

/* Returns false without memory. */
static bool grow_specifics(struct specifics *s, size_t places)
{
    size_t count = s->count > 0 ? s->count : FIRST;
    while (count < places)
        count *= 2;
    struct specific *at = co4__alloc(count * sizeof *at);
    if (!at)
        return false;
    if (s->count > 0)
        memcpy(at, s->at, s->count * sizeof *at);
    co4__free(s->at);
    s->count = count;
    s->at = at;
    return true;
}

static struct specifics *make_specifics(co4_task *task)
{
    struct specifics *s = specifics_of(task);
    if (s)
        return s;
    s = co4__alloc(sizeof *s);
    if (s)
        s->task = task;
    if (s && co4__task_local_give(task, &own, s) == CO4_OK)
        return s;
    co4__free(s);
    return NULL;
}

/* Runs the destructors of all values, once more for those that these have set. As the C library
 * does, it gives up after some rounds. To what they call, the task still runs. */
static void end_specifics(void *table)
{
    struct specifics *s = table, *outer = ending;
    struct co4__local *here = co4__local();
    co4_task *outside = here->current;
    struct co4__worker *w = here->worker;
    /* They may block the worker as a step may, which has ended. */
    bool opens = w && w->guarded && co4__queue_is_owned(w), any = true;
    if (opens)
        co4__queue_open(w);
    ending = s;
    here->current = s->task;
    for (int round = 0; any && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        any = false;
        for (size_t key = 0; key < s->count; key++) {
            void *value = s->at[key].value;
            void (*destroy)(void *) = keys[key].destroy;
            s->at[key].value = NULL;
            if (!value || !destroy || s->at[key].generation != generation_of((pthread_key_t)key))
                continue;
            any = true;
            destroy(value);
        }
    }
    if (opens)
        co4__several.takes_back(w);
    ending = outer;
    here->current = outside;
    co4__free(s->at);
    co4__free(s);
}

/* ---- POSIX ---- */

int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    int err = __real_pthread_key_create(key, destroy);
    if (err != 0)
        return err;
    if (*key >= KEYS) {
        __real_pthread_key_delete(*key);
        return EAGAIN;
    }
    keys[*key].destroy = destroy;
    unsigned long before = generation_of(*key);
    atomic_store_explicit(&keys[*key].generation, before + 1 + before % 2, memory_order_release);
    return 0;
}

int __wrap_pthread_key_delete(pthread_key_t key)
{
    int err = __real_pthread_key_delete(key);
    if (err == 0 && key < KEYS)
        atomic_fetch_add_explicit(&keys[key].generation, 1, memory_order_release);
    return err;
}

void *__wrap_pthread_getspecific(pthread_key_t key)
{
    co4_task *self = co4__posix_self();
    if (!self)
        return __real_pthread_getspecific(key);
    struct specifics *s = specifics_of(self);
    return s && key < s->count && s->at[key].generation == generation_of(key) ? s->at[key].value
                                                                              : NULL;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
    co4_task *self = co4__posix_self();
    if (!self || value == co4__local()) /* the end of the thread itself */
        return __real_pthread_setspecific(key, value);
    if (key >= KEYS || generation_of(key) % 2 == 0)
        return EINVAL;
    struct specifics *s = value ? make_specifics(self) : specifics_of(self);
    if (!s)
        return value ? ENOMEM : 0;
    if (key >= s->count && !value)
        return 0;
    if (key >= s->count && !grow_specifics(s, (size_t)key + 1))
        return ENOMEM;
    s->at[key] = (struct specific){ (void *)value, generation_of(key) };
    return 0;
}

/* ---- C11 ---- */

int __wrap_tss_create(tss_t *key, tss_dtor_t destroy)
{
    return co4__thrd_code(__wrap_pthread_key_create(key, destroy));
}

void __wrap_tss_delete(tss_t key)
{
    __wrap_pthread_key_delete(key);
}

void *__wrap_tss_get(tss_t key)
{
    return __wrap_pthread_getspecific(key);
}

int __wrap_tss_set(tss_t key, void *value)
{
    return co4__thrd_code(__wrap_pthread_setspecific(key, value));
}
