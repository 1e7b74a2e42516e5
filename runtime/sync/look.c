/* look.c - what sources do for listeners that look, and for messages of a wrong size. */
#include "sync/look.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/public.h"

/* ---- a send of a message of another size than the mailbox's ---- */

static int wrong(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
    return CO4_EINVAL;
}

static void wrong_drop(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
}

const co4_source_ops co4__wrong_size_ops = { wrong, wrong, wrong_drop, NULL };

/* ---- maps and filters: look.h ---- */

int co4__ask_and_offer(co4_listener *l, int code, const void *value)
{
    if (code != CO4_OK || !l->ops->look)
        return co4_listener_offer(l, code, value);
    return l->ops->look(l, CO4_OK, value) != CO4__REFUSES && co4__offer_asked(l, value);
}

bool co4__copy_begin(struct co4__copy *c, size_t bytes)
{
    c->at = bytes <= sizeof c->small ? c->small.bytes : co4__alloc(bytes);
    return c->at != NULL;
}

void co4__copy_end(struct co4__copy *c)
{
    if (c->at != c->small.bytes)
        co4__free(c->at);
}
