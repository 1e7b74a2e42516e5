/* run_workers - a call on several workers in one line: its result, its tasks, wrong use.
 * needs: threads workers
 * modes: woven forced
 * flags: -Wl,--wrap=pthread_create
 * expect: result 42, 100 tasks
 * expect: an error: -5
 * expect: one a processor: 1
 * expect: wrong: an argument is not acceptable, an argument is not acceptable, no task: out of memory
 * expect: without threads: the system lacks something now, and a later call may succeed, nothing is left
 * expect: in a task: waiting here could never end */
#include <co4.h>
#include <co4/test.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ran, refuses;

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg);

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg)
{
    return refuses ? EAGAIN : __real_pthread_create(t, a, main, arg);
}

static pausable void one(void)
{
    co4_yield();
    ran++;
}

static pausable int main_task(int result)
{
    for (int i = 0; i < 100; i++)
        if (!co4_spawn(one()))
            return CO4_ENOMEM;
    co4_yield();
    return result;
}

static int run_in_task(void)
{
    return co4_run_workers(2, main_task(1));
}

static pausable int in_task(void)
{
    return run_in_task();
}

int main(void)
{
    int result = co4_run_workers(4, main_task(42));
    printf("result %d, %d tasks\n", result, ran);
    printf("an error: %d\n", co4_run_workers(2, main_task(-5)));
    printf("one a processor: %d\n", co4_run_workers(0, main_task(1)));
    printf("wrong: %s, ", co4_strerror(co4_run_workers(-1, main_task(1))));
    printf("%s, ", co4_strerror(co4_run_workers(100000, main_task(1))));
    printf("no task: %s\n", co4_strerror(co4_run_workers_task(1, NULL)));
    long long before = co4_test_pool_live() + co4_test_alloc_live();
    refuses = 1;
    int err = co4_run_workers(4, main_task(1));
    refuses = 0;
    printf("without threads: %s, %s\n", co4_strerror(err),
           co4_test_pool_live() + co4_test_alloc_live() == before ? "nothing is left" : "a leak");
    printf("in a task: %s\n", co4_strerror(co4_run(in_task())));
    return 0;
}
