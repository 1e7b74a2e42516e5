/* entry.c - entry points take a call and keep its arguments. */
#include <co4.h>

pausable void work(const char *name, double x);
co4_task *begin(co4_runtime *rt);

co4_task *begin(co4_runtime *rt)
{
    co4_run(work("here", 1));
    co4_task_release(co4_spawn(work("there", 2)));
    return co4_runtime_spawn(rt, work("elsewhere", 3));
}
