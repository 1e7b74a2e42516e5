/* leaks.c - what is made and not given back, one kind by number. 0: none. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int count(int n)
{
    for (int i = 0; i < n; i++)
        co4_gen_yield(&i);
    return n;
}

static pausable int add(int a, int b)
{
    co4_yield();
    return a + b;
}

static pausable int sum_up(int *numbers, int n)
{
    int sums[2] = { 0, 0 };
    for (int i = 0; i < n; i++)
        sums[i % 2] += add(numbers[i], 0);
    return sums[0] + sums[1];
}

static pausable int leave_future(int release)
{
    co4_future *f = co4_async(add(1, 2)); /* the future */
    int sum = 0;
    co4_future_await(f, &sum);
    if (release)
        co4_future_release(f);
    return sum;
}

static pausable int leave_started(int release)
{
    co4_task *t = co4_task_create(add(3, 4)); /* the task that ran */
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    if (release)
        co4_task_release(t);
    return 7;
}

static __attribute__((noinline)) void generator(int release)
{
    int value = 0;
    co4_gen *g = co4_generate(count(3)); /* the generator */
    co4_gen_next(g, &value);
    if (release)
        co4_gen_destroy(g);
}

static __attribute__((noinline)) void task(int release)
{
    co4_task *t = co4_task_create(add(5, 6)); /* the task */
    if (release)
        co4_task_release(t);
}

static __attribute__((noinline)) void mailbox(int release)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 4); /* the mailbox */
    if (release)
        co4_mailbox_destroy(mb);
}

/* What the last calls have left on the stack and in registers is no reference. */
static __attribute__((noinline)) int forget(int n)
{
    volatile char over[8192];
    for (int i = 0; i < (int)sizeof over; i++)
        over[i] = (char)n;
    return over[n];
}

int main(int argc, char **argv)
{
    int lost = argc > 1 ? atoi(argv[1]) : 0, numbers[] = { 1, 2, 3 };
    generator(lost != 1);
    int sum = co4_run(leave_future(lost != 2));
    task(lost != 3);
    sum += co4_run(leave_started(lost != 4));
    mailbox(lost != 5);
    sum += co4_run(sum_up(numbers, 3));
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    for (int i = 0; i < 100; i++)
        co4_runtime_spawn(rt, add(i, i));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("%d\n", sum + forget(0));
    return 0;
}
