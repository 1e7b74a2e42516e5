/* unseen.c - a task has failed, and nothing can ask for its code any more. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"
#include "base/text.h"
#include "core/result.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "platform/lock.h"

/* Its handles are dropped, nothing has joined it, and no future, group, scope or exit notice gets
 * the code. The acquire pairs with the release of the last handle. */
static bool is_unseen(co4_task *t)
{
    uint32_t refs = atomic_load_explicit(&t->refs, memory_order_acquire);
    struct co4__task_extension *x = co4__extension_of(t);
    if ((refs & (CO4__JOINED | CO4__REFS)) != 1)
        return false;
    if (!x)
        return true;
    co4__lock_take(&x->group.guard);
    bool is_member = x->group.of != NULL;
    co4__lock_give(&x->group.guard);
    return !x->future && !is_member && !atomic_load_explicit(&x->exits, memory_order_relaxed);
}

void co4__task_fails(co4_task *t, int error, bool observed)
{
    static atomic_bool reported;
    co4__task_set_error(t, error);
    if (observed || error == CO4_ECANCELED || co4_task_cancelled(t) || !is_unseen(t) ||
        atomic_exchange_explicit(&reported, true, memory_order_relaxed))
        return;
    char name[CO4_TASK_NAME_BYTES];
    struct co4__text text;
    co4__text_begin(&text, co4_write_fd, (void *)2);
    co4__put(&text, "co4: a task has failed, and nothing asks for its code: ");
    if (co4_task_name(t, name, sizeof name) > 0) {
        co4__put(&text, name);
        co4__put(&text, ", ");
    }
    co4__put_signed(&text, error);
    co4__put(&text, ", ");
    co4__put(&text, co4_strerror(error));
    co4__put(&text, ". co4_join() and scopes give it to the caller. A function whose failure does "
                    "not matter returns void\n");
    co4__text_end(&text);
}
