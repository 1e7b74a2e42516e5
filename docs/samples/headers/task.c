/* task.c - the lead example of co4/task.h.
 * modes: woven forced
 * expect: f(1)
 * expect: joined */
#include <co4.h>
#include <stdio.h>

static pausable void f(int a)
{
    co4_yield();
    printf("f(%d)\n", a);
}

static pausable void work(int a)
{
    co4_task *t = co4_task_create(f(a));
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    puts("joined");
    co4_task_release(t);
}

int main(void)
{
    co4_run(work(1));
    return 0;
}
