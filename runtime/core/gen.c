/* gen.c - generators: fibers that their caller runs.
 *
 *   FRESH --next--> (runs) --yield--> HELD --copied out--> BORROWED --next--> (runs) …
 *                   (runs) --ends--> ENDED;   any --close--> CLOSED;   no memory --> FAILED
 *
 * HELD: the generator has yielded a value, and the caller has not taken it. BORROWED: the caller
 * has taken it. The generator is still at its yield, and a send may overwrite its variable. TAKEN
 * is like BORROWED, but only this file may resume the generator. The step from BORROWED to BORROWED
 * is the common one, so woven callers have it inline (co4_abi_gen_next).
 *
 * co4_gen_has_more() looks ahead: it resumes a BORROWED generator and leaves it HELD. A later send
 * must not overwrite the variable, whose value is still to be taken. So `sent` keeps the sent value
 * until the next resume.
 *
 * Generators never use the scheduler. A forced pause in one is resumed at once, by the loop in
 * finish_step(). A plain build has no fiber that could pause: plain.c runs the whole call first,
 * and queues its values here. */
#include "core/gen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/call.h"
#include "core/fiber.h"
#include "memory/pool.h"

static void gen_free(co4_gen *g)
{
    co4__fiber_drop_chain(&g->abi.fiber); /* also the root, while it is in the chain */
    if (g->root) {
        co4_abi_frame_drop(NULL, g->root);
        g->root = NULL;
    }
    if (g->sent) {
        co4__pool_drop(g->sent, g->abi.size);
        g->sent = NULL;
    }
}

_Static_assert(CO4_ABI_NO_GENERATOR == (int)CO4_ESTATE, "a yield outside a generator returns it");

co4_gen *co4_abi_generate(void *call)
{
    if (!call)
        return NULL;
    co4_gen *g = co4__pool_take(CO4__GEN_BYTES);
    if (!g) {
        co4__call_drop(call);
        return NULL;
    }
    memset(g, 0, sizeof *g);
    g->abi.fiber.kind = CO4_ABI_KIND_GEN;
    g->abi.fiber.leaf = call;
    g->abi.state = GEN_FRESH;
    g->result_bytes = co4__result_bytes(call);
    g->wide = co4__is_wide(call);
    return g;
}

static inline enum gen_state gen_state_of(const co4_gen *g)
{
    return g->abi.state == GEN_BORROWED && g->abi.fiber.pausing != CO4_ABI_YIELDED ? GEN_RUNNING
                                                                                   : g->abi.state;
}

static CO4__NOINLINE int refuse(const co4_gen *g)
{
    switch (gen_state_of(g)) {
    case GEN_RUNNING:
        return CO4_EBUSY;
    case GEN_FAILED:
        return CO4_ENOMEM;
    default:
        return CO4_ECLOSED;
    }
}

/* Sets the state after a step that returned `why`. CO4_OK: HELD. */
static int finish_step(co4_gen *g, int why)
{
    while (CO4__UNLIKELY(why == CO4_ABI_READY))
        why = co4__fiber_resume(&g->abi.fiber);
    if (CO4__LIKELY(why == CO4_ABI_YIELDED)) {
        g->abi.state = GEN_HELD;
        return CO4_OK;
    }
    if (why == 0) {
        g->abi.state = GEN_ENDED;
        if (g->wide)
            g->root = g->abi.fiber.last;
        return CO4_ECLOSED;
    }
    g->abi.state = GEN_FAILED;
    gen_free(g);
    return CO4_ENOMEM;
}

/* Runs a FRESH, TAKEN or BORROWED generator to the next yield. CO4_OK: HELD. */
static int advance(co4_gen *g)
{
    if (CO4__UNLIKELY(gen_state_of(g) > GEN_BORROWED))
        return refuse(g);
    if (CO4__UNLIKELY(g->plain))
        return co4__gen_hooks.advance(g);
    if (CO4__UNLIKELY(g->sent != NULL)) {
        co4_abi_copy((void *)(uintptr_t)g->abi.value, g->sent, g->abi.size);
        co4__pool_drop(g->sent, g->abi.size);
        g->sent = NULL;
    }
    if (CO4__UNLIKELY(g->abi.state == GEN_FRESH) && co4__gen_lacks_stack())
        return CO4_ENOMEM;
    g->abi.state = GEN_RUNNING;
    g->abi.fiber.pausing = CO4_ABI_RUNNING;
    return finish_step(g, co4__fiber_resume(&g->abi.fiber));
}

/* Most elements are one word. A copy of a known size is a move; of an unknown size it is a call. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 4)
        co4_abi_copy(to, from, 4);
    else if (bytes == 8)
        co4_abi_copy(to, from, 8);
    else
        co4_abi_copy(to, from, bytes);
}

/* Takes the value of a HELD generator. */
static inline int gen_take_value(co4_gen *g, void *out, size_t size)
{
    if (CO4__LIKELY(out != NULL)) {
        if (CO4__UNLIKELY(size != g->abi.size))
            return CO4_EINVAL;
        copy(out, g->abi.value, size);
    }
    bool slow = g->sent || g->plain;
    g->abi.state = slow ? GEN_TAKEN : GEN_BORROWED;
    g->abi.fiber.pausing = slow ? CO4_ABI_RUNNING : CO4_ABI_YIELDED;
    return CO4_OK;
}

int(co4_gen_next)(co4_gen *g, void *out, size_t size)
{
    if (CO4__UNLIKELY(!g))
        return CO4_EINVAL;
    int err = g->abi.state == GEN_HELD ? CO4_OK : advance(g);
    return CO4__LIKELY(err == CO4_OK) ? gen_take_value(g, out, size) : err;
}

int co4_abi_gen_went(co4_gen *g, co4_frame *leaf, co4_frame *caller, void *out, size_t size)
{
    co4_fiber *co4 = &g->abi.fiber;
    int err = finish_step(g, co4->pausing != CO4_ABI_RUNNING ? co4__fiber_link(co4, caller)
                                                             : co4__fiber_go_on(co4, leaf, caller));
    return err == CO4_OK ? gen_take_value(g, out, size) : err;
}

int co4_abi_gen_otherwise(co4_gen *g, void *out, size_t size)
{
    if (g && gen_state_of(g) == GEN_BORROWED) {
        g->abi.state = GEN_HELD;
        g->abi.fiber.pausing = CO4_ABI_RUNNING;
    }
    return (co4_gen_next)(g, out, size);
}

int(co4_gen_send)(co4_gen *g, const void *in, size_t size)
{
    if (!g || !in)
        return CO4_EINVAL;
    if (gen_state_of(g) > GEN_BORROWED)
        return refuse(g);
    if (g->abi.state == GEN_FRESH || g->plain)
        return CO4_ESTATE;
    if (size != g->abi.size)
        return CO4_EINVAL;
    if (g->abi.state != GEN_HELD && !g->sent) {
        copy((void *)(uintptr_t)g->abi.value, in, size);
        return CO4_OK;
    }
    if (!g->sent && !(g->sent = co4__pool_take(size)))
        return CO4_ENOMEM;
    copy(g->sent, in, size);
    return CO4_OK;
}

int co4_gen_has_more(co4_gen *g)
{
    if (!g)
        return CO4_EINVAL;
    if (g->abi.state == GEN_HELD)
        return 1;
    int err = advance(g);
    return err == CO4_OK ? 1 : err == CO4_ECLOSED ? 0 : err;
}

int(co4_gen_result)(co4_gen *g, void *out, size_t size)
{
    if (!g || !out)
        return CO4_EINVAL;
    if (g->abi.state == GEN_CLOSED || g->abi.state == GEN_FAILED)
        return refuse(g);
    if (g->abi.state != GEN_ENDED || g->plain)
        return CO4_ESTATE;
    if (size != g->result_bytes)
        return CO4_EINVAL;
    co4_abi_copy(out, g->wide ? g->abi.fiber.result.p : &g->abi.fiber.result, size);
    return CO4_OK;
}

int co4_gen_close(co4_gen *g)
{
    if (!g)
        return CO4_EINVAL;
    if (gen_state_of(g) == GEN_RUNNING)
        return CO4_EBUSY;
    if (gen_state_of(g) <= GEN_BORROWED) {
        gen_free(g);
        g->abi.state = GEN_CLOSED;
        g->abi.fiber.pausing = CO4_ABI_RUNNING;
    }
    return CO4_OK;
}

int co4_gen_destroy(co4_gen *g)
{
    if (!g)
        return CO4_OK;
    if (gen_state_of(g) == GEN_RUNNING)
        return CO4_EBUSY;
    gen_free(g);
    if (CO4__UNLIKELY(g->plain))
        co4__gen_hooks.release(g);
    co4__pool_drop(g, CO4__GEN_BYTES);
    return CO4_OK;
}
