/* absent.c - hooks that fiber.c and gen.c call, for modules that the small library does not have:
 * scopes, generators of plain code, errno. */
#include <stdbool.h>

#include "base/public.h"
#include "core/gen.h"
#include "core/keep_errno.h"
#include "core/task.h"
#include "core/task_extension.h"

const struct co4__task_hooks co4__task_hooks = { .holds_frame = NULL };

const struct co4__gen_hooks co4__gen_hooks = { .advance = NULL };

bool co4__gen_lacks_stack(void)
{
    return false; /* where the stack ends is not known */
}

/* Programs for boards rarely use errno, and the frame that restores it takes memory. */
void co4__keep_errno(co4_fiber *co4)
{
    (void)co4;
}
