/* plain.c - the API for sources built with CO4_PLAIN: nothing pauses, a wait blocks the thread.
 *
 * Such a build is for debugging, and to show that weaving does not change what a program prints. A
 * call that would be spawned runs where it stands; so there is nobody to yield to, and
 * co4_yield() does nothing. A generator runs to its end first, while its values are copied into a
 * queue; next takes them out. What next's caller would send comes too late: CO4_ESTATE.
 *
 * Generators that call generators nest, so those being filled form a stack on the thread. One that
 * could not be allocated is a number there: its values are refused, and co4_generate() gives
 * NULL. */
#include "plain/plain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "core/gen.h"
#include "core/task.h"
#include "memory/pool.h"
#include "platform/clock.h"
#include "platform/thread.h"
#include "sync/mailbox.h"

int co4_yield(void)
{
    return CO4_OK;
}

int co4_sleep(int64_t ns)
{
    int64_t now = co4_now();
    if (ns > 0)
        co4__sleep_block(ns >= CO4_NEVER - now ? CO4_NEVER - 1 : now + ns);
    return CO4_OK;
}

int co4_sleep_until(int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return CO4_EINVAL;
    co4__sleep_block(deadline);
    return CO4_OK;
}

int co4_task_join(co4_task *task)
{
    return co4_task_join_block(task);
}

int co4_task_join_until(co4_task *task, int64_t deadline)
{
    return co4_task_join_block_until(task, deadline);
}

int co4_mailbox_send_sized(co4_mailbox *mb, const void *msg, size_t size)
{
    return co4_mailbox_send_block_sized(mb, msg, size);
}

int co4_mailbox_send_until_sized(co4_mailbox *mb, const void *msg, size_t size, int64_t deadline)
{
    return co4_mailbox_send_block_until_sized(mb, msg, size, deadline);
}

int co4_mailbox_receive_sized(co4_mailbox *mb, void *out, size_t size)
{
    return co4_mailbox_receive_block_sized(mb, out, size);
}

int co4_mailbox_receive_until_sized(co4_mailbox *mb, void *out, size_t size, int64_t deadline)
{
    return co4_mailbox_receive_block_until_sized(mb, out, size, deadline);
}

/* ---- entry points ---- */

/* The task of every call that has run already. Its kind keeps it from being scheduled or freed. */
static co4_task has_run = { .fiber = { .kind = CO4__KIND_RUN }, .state = CO4__STOPPED, .refs = 1 };

co4_task *co4_plain_task(int ran)
{
    (void)ran;
    return &has_run;
}

void co4_plain_gen_begin(void)
{
    struct co4__local *here = co4__local();
    co4_gen *g = here->plain_lost ? NULL : co4__pool_take(CO4__GEN_BYTES);
    if (!g) {
        here->plain_lost++;
        return;
    }
    memset(g, 0, sizeof *g);
    g->plain = true;
    g->abi.state = GEN_RUNNING;
    g->outer = here->plain_gen;
    here->plain_gen = g;
}

co4_gen *co4_plain_gen_end(void)
{
    struct co4__local *here = co4__local();
    if (here->plain_lost) {
        here->plain_lost--;
        return NULL;
    }
    co4_gen *g = here->plain_gen;
    here->plain_gen = g->outer;
    g->abi.state = GEN_FRESH;
    return g;
}

int co4_gen_yield_sized(const void *value, size_t size)
{
    struct co4__local *here = co4__local();
    co4_gen *g = here->plain_gen;
    if (here->plain_lost)
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

/* From one queued value to the next. */
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
