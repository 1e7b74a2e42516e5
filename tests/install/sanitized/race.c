/* race.c - two tasks on two workers change one variable, with nothing between them. */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static long shared;
static atomic_int there;

static pausable void change(void)
{
    there++;
    while (there < 2)
        ; /* on two threads at once */
    for (int i = 0; i < 1000; i++)
        shared++;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    for (int i = 0; i < 2; i++) {
        co4_task *t = co4_task_create(change());
        co4_task_pin(t, i);
        co4_runtime_schedule(rt, t);
        co4_task_release(t);
    }
    if (co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_runtime_join(rt);
    printf("%d\n", shared > 0);
    return co4_runtime_destroy(rt);
}
