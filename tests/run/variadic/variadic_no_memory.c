/* variadic_no_memory.c - without memory for a copy of variable arguments the task ends, or is not
 * begun; a task that is cancelled, or ends elsewhere, gives its copies back.
 * modes: woven forced
 * expect: runs as they should
 * expect: tasks as they should
 * expect: 3 cancelled
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pausable int step(int n)
{
    co4_yield();
    return n;
}

static pausable int vsum(int count, va_list ap)
{
    int total = 0;
    while (count-- > 0)
        total += step(va_arg(ap, int));
    return total;
}

static pausable int sum(int count, ...)
{
    va_list ap;
    va_start(ap, count);
    int total = vsum(count, ap);
    va_end(ap);
    return total;
}

/* takes its frame after the first statement */
static pausable int late(int level, ...)
{
    if (level < 0)
        return -1;
    va_list ap;
    va_start(ap, level);
    int total = vsum(level, ap);
    va_end(ap);
    return total;
}

static pausable int both(int n)
{
    int first = sum(3, n, n, n);
    return first > 0 ? first + late(2, n, n) + late(-1) : first;
}

static pausable int sleeps(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int err = 0;
    for (int i = 0; i < n && err == 0; i++)
        err = co4_sleep(va_arg(ap, int) * CO4_SEC);
    va_end(ap);
    return err;
}

static pausable int cancels(void)
{
    int cancelled = 0;
    for (int i = 0; i < 3; i++) {
        co4_task *task = co4_spawn(sleeps(2, 1000, 1000));
        if (i > 0)
            step(i);
        co4_task_cancel(task, CO4_ECANCELED);
        cancelled += co4_join(task, NULL) == CO4_ECANCELED;
    }
    return cancelled;
}

int main(void)
{
    int wrong = 0;
    long long before = co4_test_pool_live();
    for (int n = 1; n < 14; n++) {
        co4_test_fail_alloc(n);
        int result = co4_run(both(n));
        int err = co4_run_error();
        co4_test_fail_alloc(0);
        wrong += err == CO4_OK ? result != 5 * n - 1 : err != CO4_ENOMEM || result != err;
    }
    printf("runs %s\n", wrong ? "wrong" : "as they should");
    wrong = 0;
    for (int n = 1; n < 8; n++) {
        co4_test_fail_alloc(n);
        co4_task *task = co4_task_create(sum(2, n, n));
        co4_test_fail_alloc(0);
        wrong += n < 3 && task != NULL;
        if (task != NULL)
            co4_task_release(task);
        co4_test_fail_alloc(n);
        co4_gen *gen = co4_generate(sum(2, n, n));
        co4_test_fail_alloc(0);
        if (gen != NULL)
            co4_gen_destroy(gen);
    }
    printf("tasks %s\n", wrong ? "wrong" : "as they should");
    printf("%d cancelled\n", co4_run(cancels()));
    printf("%s is left\n", co4_test_pool_live() == before ? "nothing" : "something");
    return 0;
}
