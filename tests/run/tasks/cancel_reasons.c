/* cancel_reasons - any number is a reason, and the first one stays.
 * modes: woven forced
 * expect: task: -2147483648 -2012 -2011 -2001 -2000 -1999 -129 -128 -65 -64 -1 1 126 127 128 2147483647
 * expect: 0 is CO4_ECANCELED: 1
 * expect: group: -2147483648 -2011 -65 -1 127 2147483647
 * expect: future: -2147483648 -2011 -65 -1 127 2147483647
 * expect: scope: -2147483648 -2011 -65 -1 127 2147483647, and after it the task's own: 70000
 * expect: the first stays: 70000
 * expect: without memory: out of memory, CO4_ECANCELED */
#include <co4.h>
#include <co4/test.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable int sleeps(void)
{
    return co4_sleep(3600 * CO4_SEC);
}

static co4_task *asleep(void)
{
    co4_task *t = co4_task_create(sleeps());
    must(co4_runtime_schedule(NULL, t));
    return t;
}

/* The reason that the task has when it is over. */
static pausable int ended(co4_task *t)
{
    must(co4_task_join(t) == CO4_ECANCELED ? CO4_OK : CO4_EINVAL);
    int reason = co4_task_cancelled(t);
    co4_task_release(t);
    return reason;
}

static const int few[] = { INT_MIN, CO4_EAGAIN, -65, -1, 127, INT_MAX };

static pausable int tasks(void)
{
    static const int all[] = { INT_MIN, -2012, -2011, -2001, -2000, -1999, -129, -128,
                               -65,     -64,   -1,    1,     126,   127,   128,  INT_MAX };
    printf("task:");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        co4_task *t = asleep();
        must(co4_task_cancel(t, all[i]));
        printf(" %d", ended(t));
    }
    co4_task *t = asleep();
    must(co4_task_cancel(t, 0));
    printf("\n0 is CO4_ECANCELED: %d\n", ended(t) == CO4_ECANCELED);
    return 0;
}

static pausable int groups(void)
{
    printf("group:");
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        co4_group *g = co4_group_create(NULL);
        co4_task *t = asleep();
        must(co4_group_link(g, t));
        must(co4_group_cancel(g, few[i]));
        int reason = ended(t);
        printf(" %d", reason == co4_group_cancelled(g) ? reason : 0);
        must(co4_group_destroy(g));
    }
    printf("\n");
    return 0;
}

static int seen;

static pausable int looks(void)
{
    co4_sleep(3600 * CO4_SEC);
    seen = co4_task_cancelled(co4_self());
    return 0;
}

static pausable int futures(void)
{
    printf("future:");
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        co4_future *f = co4_async(looks());
        co4_yield();
        must(co4_future_cancel(f, few[i]));
        if (co4_future_await(f, NULL) != CO4_ECANCELED)
            seen = 0;
        printf(" %d", seen);
        co4_future_release(f);
    }
    printf("\n");
    return 0;
}

static pausable int cancels_its_scope(void *arg)
{
    must(co4_scope_cancel(co4_scope_here(), *(const int *)arg));
    printf(" %d", co4_task_cancelled(co4_self()));
    return 0;
}

/* In the scope the task is cancelled from outside as well: that shows after the scope. */
static pausable int cancelled_in_scope(void)
{
    must(co4_scope_cancel(co4_scope_here(), 500));
    must(co4_task_cancel(co4_self(), 70000));
    return co4_task_cancelled(co4_self()) == 500 ? 0 : -1;
}

static pausable int scopes(void)
{
    int reason;
    printf("scope:");
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        reason = few[i];
        co4_scope_run(0, cancels_its_scope(&reason));
        if (co4_task_cancelled(co4_self()) != 0)
            printf(" still cancelled");
    }
    co4_scope_run(0, cancelled_in_scope());
    printf(", and after it the task's own: %d\n", co4_task_cancelled(co4_self()));
    must(co4_task_cancel(co4_self(), -70000));
    printf("the first stays: %d\n", co4_task_cancelled(co4_self()));
    return 0;
}

static pausable int without_memory(void)
{
    co4_task *t = asleep();
    co4_yield();
    co4_test_fail_alloc(1);
    int err = co4_task_cancel(t, 70000);
    co4_test_fail_alloc(0);
    printf("without memory: %s, %s\n", co4_strerror(err), co4_errname(ended(t)));
    return 0;
}

int main(void)
{
    co4_run(tasks());
    co4_run(groups());
    co4_run(futures());
    co4_run(scopes());
    co4_run(without_memory());
    return 0;
}
