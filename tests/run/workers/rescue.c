/* rescue - tasks in the inbox of a worker whose step does not end are given to others; those that
 * are pinned to it are not.
 * modes: woven forced
 * expect: stuck on worker 0
 * expect: 20 tasks ran meanwhile, in the order in which they came
 * expect: the pinned one waited: 1 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int release, ran, late, disorder;

static int to_the_first(void *data, const co4_placing *p)
{
    (void)data;
    (void)p;
    return 0;
}

static const co4_policy first = { "first", to_the_first };

/* A call that blocks the thread, as none should. */
static pausable void stuck(atomic_int *where)
{
    *where = co4_worker_here();
    while (!release)
        ;
}

static pausable void other(int n)
{
    if (ran != n)
        disorder++;
    if (++ran == 20)
        release = 1;
}

static pausable void pinned(void)
{
    late = release == 1 && co4_worker_here() == 0;
}

int main(void)
{
    atomic_int where = -1;
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 2, .policy = &first, .rescue_after = CO4_MS });
    co4_task *fixed = co4_task_create(pinned());
    if (co4_task_pin(fixed, 0) != CO4_OK)
        printf("not pinned\n");
    co4_runtime_start(rt);
    release = co4_runtime_run_once(rt) != CO4_ESTATE; /* without threads none could rescue */
    co4_task *hog = co4_task_create(stuck(&where));
    co4_task_pin(
        hog, 0); /* else it might be rescued itself, on a machine that has no time for worker 0 */
    co4_runtime_schedule(rt, hog);
    co4_task_release(hog);
    while (where < 0)
        co4_runtime_run_once(rt);
    printf("stuck on worker %d\n", where);
    co4_runtime_schedule(rt, fixed);
    for (int i = 0; i < 20; i++)
        co4_runtime_spawn(rt, other(i));
    co4_runtime_join(rt);
    printf("%d tasks ran meanwhile, in the order in which they came%s\n", ran,
           disorder ? ", not" : "");
    printf("the pinned one waited: %d\n", late);
    co4_task_release(fixed);
    co4_runtime_destroy(rt);
    return 0;
}
