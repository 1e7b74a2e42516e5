/* tasks.c - the recipes of the cookbook about tasks that belong together.
 * modes: woven forced
 * expect: the result is 42
 * expect: later it is 42
 * expect: all pages: CO4_OK, 6
 * expect: the fast mirror: 1
 * expect: never more than 3 at once
 * expect: request 7
 * expect: 1 2 3
 * expect: a failure cancels the others: CO4_EINVAL
 * expect: its end: CO4_EINVAL
 * expect: 10 tasks on 2 threads: 45 */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

static pausable int answer(int n)
{
    int code = co4_sleep(CO4_MS);
    return code == CO4_OK ? n : code;
}

/* How do I get the result of a task? */

static pausable int result_of_a_task(void)
{
    int result;
    co4_task *task = co4_spawn(answer(42));
    int code = co4_join(task, &result); /* waits, and drops the handle */
    return code == CO4_OK ? result : code;
}

/* How do I begin something now, and take its result later? */

static pausable int result_later(void)
{
    int result;
    co4_future *future = co4_async(answer(42));
    co4_yield(); /* here is time for something else */
    int code = co4_future_await(future, &result);
    co4_future_release(future);
    return code == CO4_OK ? result : code;
}

/* How do I wait for all of a group? */

static pausable int load(int page, int *sum)
{
    int n = answer(page);
    return n < 0 ? n : (*sum += n, CO4_OK);
}

static pausable int load_all(int *sum)
{
    int code = CO4_OK;
    for (int page = 1; page <= 3 && code == CO4_OK; page++)
        code = co4_scope_spawn(co4_scope_here(), load(page, sum));
    return code; /* co4_scope_run() returns when the last of them has ended */
}

/* How do I take the first answer, and stop the others? */

static pausable int ask_mirror(int mirror, int64_t takes, int *winner)
{
    int code = co4_sleep(takes);
    if (code == CO4_OK)
        *winner = mirror;
    return code;
}

static pausable int ask_mirrors(int *winner)
{
    int code = co4_scope_spawn(co4_scope_here(), ask_mirror(1, CO4_MS, winner));
    return code ? code : co4_scope_spawn(co4_scope_here(), ask_mirror(2, 3600 * CO4_SEC, winner));
}

/* How do I run at most three of many at once? */

struct few {
    co4_sem room;
    int now, most;
};

static pausable int one_of_many(struct few *few)
{
    int code = co4_sem_acquire(&few->room);
    if (code != CO4_OK)
        return code;
    if (++few->now > few->most)
        few->most = few->now;
    code = co4_sleep(CO4_MS);
    few->now--;
    co4_sem_release(&few->room);
    return code;
}

static pausable int many(struct few *few)
{
    int code = CO4_OK;
    for (int i = 0; i < 20 && code == CO4_OK; i++)
        code = co4_scope_spawn(co4_scope_here(), one_of_many(few));
    return code;
}

/* How do I know in a log line which request it belongs to? */

static const co4_task_local request = CO4_TASK_LOCAL(NULL);

static void log_request(void)
{
    printf("request %d\n", *(int *)co4_task_local_get(&request));
}

static pausable int serve(int number)
{
    int code = co4_task_local_set(&request, &number);
    if (code == CO4_OK)
        log_request(); /* without an argument, also many calls deeper */
    return code;
}

/* How do I write a loop that gives one value at a time? */

static pausable int count_to(int n)
{
    for (int i = 1; i <= n; i++)
        co4_gen_yield(&i);
    return 0;
}

static void use_values(void)
{
    int i;
    co4_gen *values = co4_generate(count_to(3));
    while (co4_gen_next(values, &i) == CO4_OK)
        printf("%d%c", i, i < 3 ? ' ' : '\n');
    co4_gen_destroy(values);
}

/* How does one failure end all that belongs to it? */

static pausable int fail(void)
{
    return co4_sleep(CO4_MS) == CO4_OK ? CO4_EINVAL : CO4_OK;
}

static pausable int with_a_failure(void)
{
    int code = co4_scope_spawn(co4_scope_here(), fail());
    return code ? code : co4_sleep(3600 * CO4_SEC); /* cancelled when fail() fails */
}

/* How do I hear that a task has ended, without waiting for it? */

static pausable int hear_of_the_end(void)
{
    co4_exit end;
    co4_mailbox *ends = co4_mailbox_create(sizeof(co4_exit), 1);
    co4_task *task = co4_spawn(fail());
    int code = co4_task_notify_exit(task, ends, "fail");
    co4_task_release(task);
    if (code == CO4_OK && (code = co4_mailbox_receive(ends, &end)) == CO4_OK)
        code = end.error;
    co4_mailbox_destroy(ends);
    return code;
}

/* How do I use all processors? */

static pausable int add(int n, int_mailbox sums)
{
    return co4_typed_send(sums, &n);
}

static pausable int add_all(int_mailbox sums)
{
    int n, sum = 0, code = CO4_OK;
    for (int i = 0; i < 10 && code == CO4_OK; i++)
        code = co4_scope_spawn(co4_scope_here(), add(i, sums));
    for (int i = 0; i < 10 && code == CO4_OK; i++, sum += n)
        code = co4_typed_receive(sums, &n);
    printf("10 tasks on 2 threads: %d\n", sum);
    return code;
}

static pausable void all(void)
{
    int sum = 0, winner = 0;
    struct few few = { CO4_SEM_INIT(3), 0, 0 };
    printf("the result is %d\n", result_of_a_task());
    printf("later it is %d\n", result_later());
    int code = co4_scope_run(0, load_all(&sum));
    printf("all pages: %s, %d\n", co4_errname(code), sum);
    co4_scope_run(CO4_SCOPE_FIRST, ask_mirrors(&winner));
    printf("the fast mirror: %d\n", winner);
    co4_scope_run(0, many(&few));
    printf("never more than %d at once\n", few.most);
    serve(7);
    use_values();
    printf("a failure cancels the others: %s\n", co4_errname(co4_scope_run(0, with_a_failure())));
    printf("its end: %s\n", co4_errname(hear_of_the_end()));
}

int main(void)
{
    co4_run(all());
    int_mailbox sums = co4_typed_create(int_mailbox, 4);
    int code = co4_run_workers(2, co4_scope_run(0, add_all(sums))); /* 0: a worker a processor */
    co4_typed_destroy(sums);
    return code != CO4_OK;
}
