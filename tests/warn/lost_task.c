/* lost_task.c - a task that is spawned where a function of task.h uses it at once is never
 * released. */
#include <co4.h>

pausable int work(int n);
pausable int work(int n)
{
    co4_yield();
    return n;
}

pausable int start(co4_runtime *rt);
pausable int start(co4_runtime *rt)
{
    int n = 0;
    co4_task_set_name(co4_spawn(work(1)), "one");
    /* warning at 23: nothing releases the task that co4_spawn gives to 'co4_task_set_name' */
    /* hint: keep it in a variable, and release it */
    (void)!co4_task_join((co4_runtime_spawn(rt, work(2))));
    /* warning: nothing releases the task that co4_runtime_spawn gives to 'co4_task_join' */
    co4_task_release(co4_spawn(work(3)));
    co4_task_set_name(co4_task_create(work(4)), "four"); /* not a handle of co4_spawn's */
    return co4_join(co4_spawn(work(5)), &n);
}
