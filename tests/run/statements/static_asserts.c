/* static_asserts - _Static_assert, pragmas, empty declarations and attributes between points.
 * flags: -Wno-unknown-pragmas
 * expect: 5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int work_on(int n)
{
    _Static_assert(sizeof(int) >= 2, "int");
    int m = wait_for(n);
    _Static_assert(1, "between");
#pragma GCC diagnostic push
#pragma GCC diagnostic pop
    for (int i = 0; i < 2; i++) {
        _Pragma("GCC diagnostic push") m += wait_for(i);
        _Pragma("GCC diagnostic pop")
    }
    struct only_declared;
    extern int elsewhere(int);
    typedef int number;
    number k = wait_for(1), unused_here __attribute__((unused));
    return m + k;
}

static pausable void work(void)
{
    printf("%d\n", work_on(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
