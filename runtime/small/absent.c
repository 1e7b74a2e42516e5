/* absent.c - what fiber.c and gen.c ask for, and the small library has not: scopes, and generators
 * of plain code. */
#include <stdbool.h>

#include "base/public.h"
#include "core/extra.h"
#include "core/gen.h"
#include "core/task.h"

static bool scope_holds(co4_task *t, const co4_frame *f)
{
    (void)t, (void)f;
    return false;
}

const struct co4__task_hooks co4__task_hooks = {
    .scope_holds = scope_holds,
};

int co4__plain_gen_advance(co4_gen *g)
{
    (void)g;
    return CO4_ESTATE;
}

void co4__plain_gen_release(co4_gen *g)
{
    (void)g;
}
