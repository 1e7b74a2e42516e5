/* ends_counted - a runtime without tasks has only tasks that have stopped, and a task that has
 * stopped is no longer counted; a join needs no memory.
 * needs: threads workers
 * modes: woven
 * expect: no task is both: 0
 * expect: joined without memory: no error */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static pausable void nothing(void) {}

static pausable void waits(co4_mailbox *mb)
{
    int n;
    co4_mailbox_receive(mb, &n);
}

static pausable int joins(co4_task *t)
{
    co4_yield(); /* its frame is allocated */
    co4_test_fail_alloc(1);
    return co4_task_join(t);
}

static pausable int join_without_memory(void)
{
    int code, n = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 1);
    co4_task *t = co4_task_create(waits(mb));
    co4_runtime_schedule(NULL, t);
    co4_future *f = co4_async(joins(t));
    co4_yield();
    co4_yield();
    co4_mailbox_send(mb, &n);
    int err = co4_future_await(f, &code);
    co4_future_release(f);
    co4_task_release(t);
    co4_mailbox_destroy(mb);
    return err == CO4_OK ? code : err;
}

int main(void)
{
    int both = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    for (int i = 0; i < 20000; i++) {
        co4_task *t = co4_task_create(nothing());
        co4_runtime_schedule(rt, t);
        if (i % 3 == 0) {
            co4_runtime_join(rt);
            both += co4_task_state_of(t) != CO4_TASK_STOPPED;
        } else if (i % 3 == 1) {
            while (co4_runtime_tasks(rt) > 0)
                ;
            both += co4_task_state_of(t) != CO4_TASK_STOPPED;
        } else {
            while (co4_task_state_of(t) != CO4_TASK_STOPPED)
                ;
            both += co4_runtime_tasks(rt) != 0;
        }
        co4_task_release(t);
    }
    co4_runtime_destroy(rt);
    printf("no task is both: %d\n", both);
    printf("joined without memory: %s\n", co4_strerror(co4_run(join_without_memory())));
    return 0;
}
