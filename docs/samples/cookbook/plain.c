/* plain.c - the recipes of the cookbook about plain code, and about looking into a program.
 * modes: woven forced
 * needs: threads
 * expect: slow library: 4
 * expect: 3 1 2 sorted: 1 2 3
 * expect: by pointer: 8
 * expect: an hour passed at once
 * expect: seed 1 to 20: no lost money
 * expect: from plain code: 12
 * expect: in the background: 10
 * expect: the dump has backtraces
 * expect: a long loop, 4 turns for others */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How do I call a library that blocks? */

static int slow_library(int n)
{
    usleep(1000);
    return n + 1;
}

static pausable int call_library(int n)
{
    return co4_blocking(slow_library(n)); /* on a thread of a pool, while the task waits */
}

/* How can a function be a callback of plain code, and pause elsewhere? */

static pausable_or_plain int by_size(const void *a, const void *b)
{
    co4_yield(); /* where a task calls it */
    return *(const int *)a - *(const int *)b;
}

static pausable void sort_three(void)
{
    int n[] = { 3, 1, 2 };
    qsort(n, 3, sizeof *n, by_size); /* plain here */
    printf("3 1 2 sorted: %d %d %d\n", n[0], n[1], n[2]);
}

/* How do I call a pausable function by a pointer? */

typedef pausable int operation(int n);

static pausable int twice(int n)
{
    co4_yield();
    return 2 * n;
}

static pausable int apply(operation *f, int n)
{
    return f(n); /* the type has the mark */
}

/* How do I test an hour in a moment? */

static pausable int64_t nap(void)
{
    int64_t began = co4_now();
    co4_sleep(3600 * CO4_SEC);
    return co4_now() - began;
}

static int64_t test_an_hour(void)
{
    co4_test_begin(NULL); /* a virtual clock: it moves when all tasks wait */
    int64_t took = co4_run(nap());
    co4_test_end(NULL);
    return took;
}

/* How do I look for an order of events that breaks my program? */

static pausable int pay(co4_mutex *lock, int *balance)
{
    int code = co4_mutex_lock(lock);
    if (code != CO4_OK)
        return code;
    int now = *balance;
    co4_sleep(CO4_MS);
    *balance = now + 10;
    return co4_mutex_unlock(lock);
}

static pausable int pay_twice(co4_mutex *lock, int *balance)
{
    int code = co4_scope_spawn(co4_scope_here(), pay(lock, balance));
    return code ? code : pay(lock, balance);
}

static unsigned long long find_a_bad_seed(unsigned long long seeds)
{
    for (unsigned long long seed = 1; seed <= seeds; seed++) {
        co4_mutex lock = CO4_MUTEX_INIT;
        int balance = 0;
        co4_test_begin(&(co4_test_options){ .seed = seed });
        co4_run(co4_scope_run(0, pay_twice(&lock, &balance)));
        co4_test_end(NULL);
        if (balance != 20)
            return seed; /* the same seed gives the same order again */
    }
    return 0;
}

/* How do I call pausable code from plain code? */

static int plain_caller(int n)
{
    return co4_run(twice(n)); /* blocks until it has ended */
}

/* How do tasks run beside the threads of my program? */

static int in_the_background(int n)
{
    int result = -1;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        return -1;
    co4_task *task = co4_runtime_spawn(rt, twice(n));
    if (task) /* here the thread has time for something else */
        co4_block(co4_join(task, &result));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    return result;
}

/* How do I see what my tasks wait for? */

static int count_lines(void *count, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '#') /* a line of a backtrace */
            ++*(int *)count;
    return 0;
}

static pausable int show_tasks(void)
{
    int lines = 0;
    co4_task *sleeper = co4_spawn(nap());
    co4_yield();
    co4_dump(NULL, count_lines, &lines); /* co4_write_fd, (void *)2: to standard error */
    co4_task_cancel(sleeper, 0);
    co4_join(sleeper, NULL);
    return lines;
}

/* How does a long computation let others run? */

static pausable int compute(int *turns)
{
    for (int i = 0; i < 4000; i++)
        if (i % 1000 == 0) { /* now and then: a yield without others costs some ns */
            co4_yield();
            ++*turns;
        }
    return 0;
}

static pausable void all(void)
{
    printf("slow library: %d\n", call_library(3));
    sort_three();
    printf("by pointer: %d\n", apply(twice, 4));
}

static pausable void more(void)
{
    int turns = 0;
    printf("%s\n", show_tasks() > 0 ? "the dump has backtraces" : "?");
    compute(&turns);
    printf("a long loop, %d turns for others\n", turns);
}

int main(void)
{
    co4_run(all());
    if (test_an_hour() == 3600 * CO4_SEC)
        puts("an hour passed at once");
    printf("seed 1 to 20: %s lost money\n", find_a_bad_seed(20) == 0 ? "no" : "?");
    printf("from plain code: %d\n", plain_caller(6));
    printf("in the background: %d\n", in_the_background(5));
    co4_run(more());
    return 0;
}
