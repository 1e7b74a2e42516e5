/* atomic_update - an atomic compound assignment stays one update when its right side pauses.
 * modes: woven forced
 * expect: 30 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static _Atomic int total;

static pausable void add(void)
{
    for (int i = 0; i < 10; i++)
        total += wait_for(1);
}

static pausable void work(void)
{
    co4_task *tasks[3];
    for (int i = 0; i < 3; i++) {
        tasks[i] = co4_task_create(add());
        co4_runtime_schedule(NULL, tasks[i]);
    }
    for (int i = 0; i < 3; i++) {
        co4_task_join(tasks[i]);
        co4_task_release(tasks[i]);
    }
    printf("%d\n", total);
}

int main(void)
{
    co4_run(work());
    return 0;
}
