/* gen.c - generators: a fiber that its caller runs.
 *
 *   FRESH --next--> (runs) --yield--> HELD --copied out--> LENT --next--> (runs) …
 *                   (runs) --ends--> ENDED;   any --close--> CLOSED;   no memory --> FAILED
 *
 * HELD: a value is yielded and nobody has taken it. LENT: it was taken; the generator still stands
 * at its yield, and its variable may be overwritten by what the caller sends. Looking ahead
 * (has_more) resumes a LENT one and leaves it HELD; a send then may not touch the variable, whose
 * value is still to be taken, so it waits in `sent`.
 *
 * Generators never see the scheduler. A forced pause in one is resumed at once, by the loop in
 * advance().
 *
 * A plain build has no fiber to pause: plain.c runs the whole call first and queues its values
 * here. */
#include "internal.h"

#include "gen.h"

static void release(co4_gen *g)
{
    co4__fiber_drop_chain(&g->abi.fiber); /* the root too, as long as it is in the chain */
    if (g->root) {
        co4_abi_frame_drop(NULL, g->root);
        g->root = NULL;
    }
    if (g->sent) {
        co4__pool_drop(g->sent, g->abi.size);
        g->sent = NULL;
    }
}

int co4_abi_no_generator(void)
{
    return CO4_ESTATE;
}

co4_gen *co4_abi_generate(void *call)
{
    if (!call)
        return NULL;
    co4_gen *g = co4__pool_take(sizeof *g);
    if (!g) {
        co4_abi_frame_drop(NULL, call);
        return NULL;
    }
    memset(g, 0, sizeof *g);
    g->abi.fiber.kind = CO4_ABI_KIND_GEN;
    g->abi.fiber.leaf = call;
    g->state = GEN_FRESH;
    g->result_bytes = ((co4_frame *)call)->func->result_bytes;
    return g;
}

static CO4__NOINLINE int stand(const co4_gen *g)
{
    switch (g->state) {
    case GEN_RUNNING:
        return CO4_EBUSY;
    case GEN_FAILED:
        return CO4_ENOMEM;
    default:
        return CO4_ECLOSED;
    }
}

/* From FRESH or LENT to the next yield. CO4_OK: HELD. */
static int advance(co4_gen *g)
{
    if (CO4__UNLIKELY(g->state > GEN_LENT))
        return stand(g);
    if (CO4__UNLIKELY(g->plain))
        return co4__plain_gen_advance(g);
    if (CO4__UNLIKELY(g->sent != NULL)) {
        co4_abi_copy((void *)(uintptr_t)g->abi.value, g->sent, g->abi.size);
        co4__pool_drop(g->sent, g->abi.size);
        g->sent = NULL;
    }
    bool wide = g->result_bytes > CO4_ABI_RESULT_BYTES;
    g->state = GEN_RUNNING;
    int why;
    do
        why = co4__fiber_resume(&g->abi.fiber);
    while (why == CO4_ABI_READY);
    if (CO4__LIKELY(why == CO4_ABI_YIELDED)) {
        g->state = GEN_HELD;
        return CO4_OK;
    }
    if (why == 0) {
        g->state = GEN_ENDED;
        if (wide)
            g->root = g->abi.fiber.last;
        return CO4_ECLOSED;
    }
    g->state = GEN_FAILED;
    release(g);
    return CO4_ENOMEM;
}

/* Elements are mostly a word: a copy of known size is a move, one of unknown size a call. */
static inline void copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 4)
        co4_abi_copy(to, from, 4);
    else if (bytes == 8)
        co4_abi_copy(to, from, 8);
    else
        co4_abi_copy(to, from, bytes);
}

int co4_gen_next_sized(co4_gen *g, void *out, size_t size)
{
    if (CO4__UNLIKELY(!g))
        return CO4_EINVAL;
    if (g->state != GEN_HELD) {
        int err = advance(g);
        if (CO4__UNLIKELY(err != CO4_OK))
            return err;
    }
    if (CO4__LIKELY(out != NULL)) {
        if (CO4__UNLIKELY(size != g->abi.size))
            return CO4_EINVAL;
        copy(out, g->abi.value, size);
    }
    g->state = GEN_LENT;
    return CO4_OK;
}

int co4_gen_send_sized(co4_gen *g, const void *in, size_t size)
{
    if (!g || !in)
        return CO4_EINVAL;
    if (g->state > GEN_LENT)
        return stand(g);
    if (g->state == GEN_FRESH || g->plain)
        return CO4_ESTATE;
    if (size != g->abi.size)
        return CO4_EINVAL;
    if (g->state == GEN_LENT) {
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
    if (g->state == GEN_HELD)
        return 1;
    int err = advance(g);
    return err == CO4_OK ? 1 : err == CO4_ECLOSED ? 0 : err;
}

int co4_gen_result_sized(co4_gen *g, void *out, size_t size)
{
    if (!g || !out)
        return CO4_EINVAL;
    if (g->state == GEN_CLOSED || g->state == GEN_FAILED)
        return stand(g);
    if (g->state != GEN_ENDED || g->plain)
        return CO4_ESTATE;
    if (size != g->result_bytes)
        return CO4_EINVAL;
    co4_abi_copy(out, size > CO4_ABI_RESULT_BYTES ? g->abi.fiber.result.p : &g->abi.fiber.result,
                 size);
    return CO4_OK;
}

int co4_gen_close(co4_gen *g)
{
    if (!g)
        return CO4_EINVAL;
    if (g->state == GEN_RUNNING)
        return CO4_EBUSY;
    if (g->state <= GEN_LENT) {
        release(g);
        g->state = GEN_CLOSED;
    }
    return CO4_OK;
}

int co4_gen_destroy(co4_gen *g)
{
    if (!g)
        return CO4_OK;
    if (g->state == GEN_RUNNING)
        return CO4_EBUSY;
    release(g);
    co4__plain_gen_release(g);
    co4__pool_drop(g, sizeof *g);
    return CO4_OK;
}
