/* workers.c - many tasks on a few threads, and a thread that is not one of theirs.
 * modes: woven forced
 * expect: 100 tasks, the sum is 4950 */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

pausable void work(int id, int_mailbox results)
{
    co4_sleep(CO4_MS); /* the task waits, its thread does not */
    co4_typed_send(results, &id);
}

pausable int work_all(int_mailbox results)
{
    int err = CO4_OK;
    for (int i = 0; i < 100 && err == CO4_OK; i++)
        err = co4_scope_spawn(co4_scope_here(), work(i, results));
    return err;
}

int main(void)
{
    co4_runtime_options options = { .workers = 3, .batch = 2 };
    co4_runtime *rt = co4_runtime_create(&options);
    int_mailbox results = co4_typed_create(int_mailbox, 10);
    if (rt == NULL || results.mailbox == NULL || co4_runtime_start(rt) != CO4_OK)
        return 1;
    if (co4_runtime_spawn(rt, co4_scope_run(0, work_all(results))) == NULL)
        return 1;
    int id, sum = 0;
    for (int i = 0; i < 100; i++)
        if (co4_block(co4_typed_receive(results, &id)) == CO4_OK) /* main is a thread: it blocks */
            sum += id;
    printf("100 tasks, the sum is %d\n", sum);
    co4_runtime_join(rt);
    co4_typed_destroy(results);
    return co4_runtime_destroy(rt) != CO4_OK;
}
