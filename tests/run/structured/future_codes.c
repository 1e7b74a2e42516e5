/* future_codes - a function that returns a negative int, long or long long fails, and its future, a
 * join and its scope say the same; the value is there all the same. Other results are no codes.
 * expect: int: no error 7; closed, and nothing is left to take -2003
 * expect: long: -7 -7; long long: -5 -5; too small: -2147483645 -9223372036854775807
 * expect: no codes: no error, no error, no error -3.5
 * expect: joins: 7 7; -2003 -2003; -7 -7; 0 1.5; NULL -2003; not that size: an argument is not acceptable
 * expect: in a scope: -2003, -7, 0
 * expect: all: closed, and nothing is left to take, by 1
 * expect: of the task: -7
 * expect: 16 bytes of alignment 16: no error 18446744073709551617 */
#include <co4.h>
#include <limits.h>
#include <stdio.h>

static pausable int give(int code)
{
    co4_yield();
    return code;
}

static pausable long give_long(long code)
{
    co4_yield();
    return code;
}

static pausable long long give_long_long(long long code)
{
    co4_yield();
    return code;
}

static pausable short give_short(int n)
{
    co4_yield();
    return (short)n;
}

static pausable unsigned give_unsigned(unsigned n)
{
    co4_yield();
    return n;
}

static pausable double give_double(double d)
{
    co4_yield();
    return d;
}

static pausable void give_nothing(void)
{
    co4_yield();
}

struct wide {
    _Alignas(16) unsigned long long low;
    unsigned long long high;
};

static pausable struct wide give_wide(unsigned long long high)
{
    co4_yield();
    return (struct wide){ high, 1 };
}

static pausable void futures(void)
{
    int fine = 99, failed = 99;
    co4_future *f[] = { co4_async(give(7)), co4_async(give(CO4_ECLOSED)) };
    int err = co4_future_await(f[0], &fine), bad = co4_future_await(f[1], &failed);
    printf("int: %s %d; %s %d\n", co4_strerror(err), fine, co4_strerror(bad), failed);

    co4_future *of_long = co4_async(give_long(-7));
    long l = 0;
    printf("long: %d", co4_future_await(of_long, &l));
    co4_future *of_long_long = co4_async(give_long_long(-5)),
               *small = co4_async(give_long_long(-LLONG_MAX));
    long long ll = 0, least = 0;
    err = co4_future_await(of_long_long, &ll);
    printf(" %ld; long long: %d %lld", l, err, ll);
    err = co4_future_await(small, &least);
    printf("; too small: %d %lld\n", err, least);

    co4_future *of_short = co4_async(give_short(-2)), *of_unsigned = co4_async(give_unsigned(~0u)),
               *of_double = co4_async(give_double(-3.5));
    double d = 0;
    printf("no codes: %s", co4_strerror(co4_future_await(of_short, NULL)));
    printf(", %s", co4_strerror(co4_future_await(of_unsigned, NULL)));
    err = co4_future_await(of_double, &d);
    printf(", %s %g\n", co4_strerror(err), d);

    co4_future *all[] = { of_long, of_long_long, small, of_short, of_unsigned, of_double };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        co4_future_release(all[i]);
    co4_future_release(f[0]);
    co4_future_release(f[1]);
}

static pausable void joins(void)
{
    int i = 99;
    long l = 99;
    double d = 99;
    co4_task *t = co4_spawn(give(7));
    int err = co4_join(t, &i);
    printf("joins: %d %d", err < 0 ? err : i, i);
    t = co4_spawn(give(CO4_ECLOSED));
    err = co4_join(t, &i);
    printf("; %d %d", err, i);
    t = co4_spawn(give_long(-7));
    err = co4_join(t, &l);
    printf("; %d %ld", err, l);
    t = co4_spawn(give_double(1.5));
    err = co4_join(t, &d);
    printf("; %d %g", err, d);
    t = co4_spawn(give(CO4_ECLOSED));
    err = co4_join(t, NULL);
    printf("; NULL %d", err);
    t = co4_spawn(give(0));
    err = co4_join(t, &d);
    printf("; not that size: %s\n", co4_strerror(err));
}

static pausable int fails(void)
{
    co4_scope_spawn(co4_scope_here(), give(CO4_ECLOSED));
    return CO4_OK;
}

static pausable int fails_long(void)
{
    co4_scope_spawn(co4_scope_here(), give_long(-7));
    return CO4_OK;
}

static pausable int fine(void)
{
    co4_scope *scope = co4_scope_here();
    co4_scope_spawn(scope, give_short(-7));
    co4_scope_spawn(scope, give_nothing());
    return CO4_OK;
}

static pausable void work(void)
{
    futures();
    joins();
    int err = co4_scope_run(0, fails());
    printf("in a scope: %d", err);
    err = co4_scope_run(0, fails_long());
    printf(", %d", err);
    err = co4_scope_run(0, fine());
    printf(", %d\n", err);

    co4_future *f[] = { co4_async(give(7)), co4_async(give(CO4_ECLOSED)) };
    co4_future *all = co4_future_all(f, 2, 0);
    err = co4_future_await(all, NULL);
    printf("all: %s, by %d\n", co4_strerror(err), co4_future_winner(all));
    co4_future_release(all);
    co4_future_release(f[0]);
    co4_future_release(f[1]);

    co4_task *t = co4_spawn(give_long(-7));
    err = co4_task_join(t);
    printf("of the task: %d\n", co4_task_error(t) == err ? err : 0);
    co4_task_release(t);

    struct wide w = { 0, 0 };
    co4_future *wide = co4_async(give_wide(1));
    err = co4_future_await(wide, &w);
    printf("16 bytes of alignment 16: %s %s\n", co4_strerror(err),
           w.low == 1 && w.high == 1 ? "18446744073709551617" : "another");
    co4_future_release(wide);
}

int main(void)
{
    co4_run(work());
    return 0;
}
