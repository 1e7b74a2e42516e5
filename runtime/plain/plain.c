/* plain.c - the API for sources built with CO4_PLAIN: nothing pauses, a wait blocks the thread.
 *
 * Purpose: such a build is for debugging, and shows that weaving does not change the output of a
 * program. A spawned call runs at once, so there is no other task to yield to, and co4_yield() does
 * nothing. A generator runs to its end first, while its values are copied into a queue, from which
 * next takes them. A value that the caller of next would send comes too late: CO4_ESTATE.
 *
 * Invariants: generators that call generators nest, so the running ones form a stack for each
 * thread. A generator whose allocation failed is only counted there. Its values are refused, and
 * co4_generate() returns NULL. */
#include "plain/plain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "core/fiber.h"
#include "core/gen.h"
#include "core/result.h"
#include "core/task.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/lock.h"
#include "platform/thread.h"
#include "sync/mailbox.h"
#include "sync/source.h"

int co4_yield(void)
{
    return CO4_OK;
}

/* ---- entry points ---- */

/* The root frame of a task whose call has run already, with the result. */
struct plain_result {
    co4_frame head; /* first */
    struct co4__made made;
    co4_task *task;
    struct plain_result *older, **link; /* the list of `spawned`; NULL: not in the list */
    unsigned long long value[];         /* as the pool aligns */
};

/* A plain build cannot know whether the program keeps the handle of co4_spawn(), and thus a
 * reference. So the newest MOST_SPAWNED of these tasks stay, unless the program releases them. */
enum { MOST_SPAWNED = 1 << 16 };

static co4__lock spawned_lock; /* guards all three, and the links */
static struct plain_result *spawned, **oldest = &spawned;
static unsigned nspawned;

static void unlink_spawned(struct plain_result *r)
{
    *r->link = r->older;
    if (r->older)
        r->older->link = r->link;
    else
        oldest = r->link;
    r->link = NULL;
    nspawned--;
}

/* The task is freed. */
static void unwind_result(co4_frame *frame)
{
    struct plain_result *r = (struct plain_result *)(void *)frame;
    co4__lock_take(&spawned_lock);
    if (r->link)
        unlink_spawned(r);
    co4__lock_give(&spawned_lock);
}

static void never_resumed(co4_fiber *co4, co4_frame *frame)
{
    (void)co4;
    (void)frame;
}

co4_task *co4_plain_task(const void *value, unsigned long size, int is_code)
{
    struct plain_result head = {
        .made = CO4__MADE_FRAME((co4_abi_u32)(sizeof head + size), "", never_resumed,
                                .result_bytes = (co4_abi_u32)size |
                                                (is_code && size > 0 ? CO4_ABI_CODE : 0),
                                .unwind = unwind_result),
    };
    struct plain_result *r = (void *)co4__pool_take_frame(&head.made.func);
    if (!r)
        return NULL;
    *r = head;
    r->head.at = r->made.points;
    co4_task *t = co4__task_create(&r->head, 1);
    if (!t) {
        co4_abi_frame_drop(NULL, r);
        return NULL;
    }
    r->task = t;
    memcpy(r->value, value, size);
    if (size > CO4_ABI_RESULT_BYTES) {
        t->fiber.kind = CO4__KIND_WIDE;
        t->fiber.result.p = r->value;
    } else {
        memcpy(&t->fiber.result, value, size);
    }
    co4__task_set_error(t, co4__result_code(t));
    atomic_store_explicit(&t->state, CO4__STOPPED, memory_order_release);
    return t;
}

co4_task *co4_plain_spawn(co4_task *task)
{
    if (!task)
        return NULL;
    struct plain_result *r = (struct plain_result *)(void *)task->fiber.leaf, *old = NULL;
    co4__lock_take(&spawned_lock);
    r->older = spawned;
    r->link = &spawned;
    if (spawned)
        spawned->link = &r->older;
    else
        oldest = &r->older;
    spawned = r;
    if (++nspawned > MOST_SPAWNED) {
        old = (struct plain_result *)(void *)((char *)oldest -
                                              offsetof(struct plain_result, older));
        unlink_spawned(old);
    }
    co4__lock_give(&spawned_lock);
    if (old)
        co4_task_release(old->task);
    return task;
}

int co4_plain_code(long long result)
{
    return co4__code_of_number(result);
}

void co4__plain_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&spawned_lock);
    else
        co4__lock_give(&spawned_lock);
}

void co4_plain_gen_begin(void)
{
    struct co4__local *here = co4__local();
    co4_gen *g = here->plain.lost ? NULL : co4__pool_take(CO4__GEN_BYTES);
    if (!g) {
        here->plain.lost++;
        return;
    }
    memset(g, 0, sizeof *g);
    g->plain = true;
    g->abi.state = GEN_RUNNING;
    g->outer = here->plain.gen;
    here->plain.gen = g;
}

co4_gen *co4_plain_gen_end(void)
{
    struct co4__local *here = co4__local();
    if (here->plain.lost) {
        here->plain.lost--;
        return NULL;
    }
    co4_gen *g = here->plain.gen;
    here->plain.gen = g->outer;
    g->abi.state = GEN_FRESH;
    return g;
}

int(co4_gen_yield)(const void *value, size_t size)
{
    struct co4__local *here = co4__local();
    co4_gen *g = here->plain.gen;
    if (here->plain.lost)
        return CO4_ENOMEM;
    if (!g)
        return CO4_ESTATE;
    struct co4__value *v = co4__alloc(sizeof *v + size);
    if (!v)
        return CO4_ENOMEM;
    v->size = size;
    memcpy(v + 1, value, size);
    if (g->newest)
        g->newest->next = v;
    else
        g->values = v;
    g->newest = v;
    return CO4_OK;
}

/* Advances to the next queued value. */
int co4__plain_gen_advance(co4_gen *g)
{
    co4__free(g->held);
    g->held = g->values;
    if (!g->held) {
        g->abi.state = GEN_ENDED;
        return CO4_ECLOSED;
    }
    g->values = g->held->next;
    g->abi.value = g->held + 1;
    g->abi.size = g->held->size;
    g->abi.state = GEN_HELD;
    return CO4_OK;
}

void co4__plain_gen_release(co4_gen *g)
{
    while (g->values) {
        struct co4__value *v = g->values;
        g->values = v->next;
        co4__free(v);
    }
    co4__free(g->held);
    g->held = NULL;
}
