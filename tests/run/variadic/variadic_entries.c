/* variadic_entries.c - variable arguments of a call that an entry point makes later.
 * expect: tasks 321
 * expect: future 10
 * expect: generator 4 5 6
 * expect: wide 7 8
 * expect: text [a 1 2.5]
 * expect: by pointer 30
 * expect: scope 3
 * expect: both 9 */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>

static pausable int step(int n)
{
    co4_yield();
    return n;
}

static pausable int sum(int count, ...)
{
    int total = 0;
    va_list ap;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        total += step(va_arg(ap, int));
    va_end(ap);
    return total;
}

static int order;

static pausable void work(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    while (n-- > 0) {
        step(n);
        order = order * 10 + va_arg(ap, int);
    }
    va_end(ap);
}

static pausable int dots(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    while (n-- > 0) {
        int value = va_arg(ap, int);
        co4_gen_yield(&value);
    }
    va_end(ap);
    return 0;
}

static pausable void entries(void)
{
    co4_task *task = co4_spawn(work(3, 3, 2, 1));
    co4_task_join(task);
    co4_task_release(task);
    printf("tasks %d\n", order);
    co4_future *future = co4_async(sum(4, 1, 2, 3, 4));
    int total = 0;
    co4_future_await(future, &total);
    co4_future_release(future);
    printf("future %d\n", total);
    co4_gen *gen = co4_generate(dots(3, 4, 5, 6));
    printf("generator");
    for (int value; co4_gen_next(gen, &value) == CO4_OK;)
        printf(" %d", value);
    puts("");
    co4_gen_destroy(gen);
}

struct wide {
    long numbers[5];
};

static pausable struct wide filled(int n, ...)
{
    struct wide w = { { n } };
    va_list ap;
    va_start(ap, n);
    w.numbers[1] = va_arg(ap, long);
    step(n);
    w.numbers[2] = va_arg(ap, int);
    va_end(ap);
    return w;
}

/* is done with its arguments before it pauses */
static pausable void text(const char *format, ...)
{
    char line[64];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    step(1);
    printf("text [%s]\n", line);
}

typedef pausable int counting(int, ...);

static pausable void more(counting *add)
{
    co4_task *task = co4_spawn(text("%s %d %.1f", "a", 1, 2.5));
    co4_task_join(task);
    co4_task_release(task);
    co4_future *future = co4_async(add(2, 10, 20));
    int total = 0;
    co4_future_await(future, &total);
    co4_future_release(future);
    printf("by pointer %d\n", total);
    printf("scope %d\n", co4_scope_run(0, add(2, 1, 2)));
    /* a call that does not begin frees its arguments */
    co4_task_release(co4_task_create(work(2, 1, 2)));
    co4_gen_destroy(co4_generate(dots(2, 1, 2)));
}

static pausable_or_plain int both(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    n = step(n) + va_arg(ap, int);
    va_end(ap);
    return n;
}

int main(void)
{
    co4_run(entries());
    struct wide w = co4_run(filled(1, 7L, 8));
    printf("wide %ld %ld\n", w.numbers[1], w.numbers[2]);
    co4_run(more(sum));
    printf("both %d\n", co4_run(both(4, 5)));
    return 0;
}
