/* policy.c - a policy of one's own: tasks go to the worker that has the fewest, among those of one
 * half.
 * expect: 50 tasks ran on workers 0 and 1 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

/* `data` is what the options say; called on any thread. */
static int first_half(void *data, const co4_placing *p)
{
    int best = 0;
    (void)data;
    for (unsigned i = 1; i < p->workers / 2; i++)
        if (co4_placing_load(p, i) < co4_placing_load(p, (unsigned)best))
            best = (int)i;
    return best;
}

static const co4_policy policy = { "first half", first_half };
static atomic_int ran, elsewhere;

pausable void work(void)
{
    ran++;
    elsewhere += co4_worker_here() > 1;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4, .policy = &policy });
    if (rt == NULL)
        return 1;
    for (int i = 0; i < 50; i++)
        if (co4_runtime_spawn(rt, work()) == NULL)
            return 1;
    if (co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_runtime_join(rt);
    printf("%d tasks ran on workers 0 and 1%s\n", ran, elsewhere ? ": not all" : "");
    return co4_runtime_destroy(rt) != CO4_OK;
}
