/* future.c - the lead example of co4/future.h.
 * modes: woven forced
 * expect: 6: no error */
#include <co4.h>
#include <stdio.h>

static pausable int add_up(const int *list)
{
    int sum = 0;
    for (; *list != 0; list++) {
        co4_yield();
        sum += *list;
    }
    return sum;
}

static pausable void work(const int *list)
{
    co4_future *sum = co4_async(add_up(list));
    int total;
    int err = co4_future_await(sum, &total);
    printf("%d: %s\n", err == CO4_OK ? total : 0, co4_strerror(err));
    co4_future_release(sum);
}

int main(void)
{
    static const int list[] = { 1, 2, 3, 0 };
    co4_run(work(list));
    return 0;
}
