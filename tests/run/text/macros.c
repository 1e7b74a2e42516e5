/* macros - macros that hide calls, returns, declarations, loops and parts of expressions.
 * expect: 00 01 10 11 7 8 -2 100 5 4 6
 * expect: 1000 elsewhere.c */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

#define WAIT(n)          wait_for(n)
#define DECLARE(type, x) type x = WAIT(7)
#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_error = (call);                                                                    \
        if (try_error != 0)                                                                        \
            return try_error;                                                                      \
    } while (0)
#define EACH(i, n) for (int i = 0; i < WAIT(n); i++)
#define MAX(a, b)  ((a) > (b) ? (a) : (b))
#define JOIN(a, b) a##b
#define NAMED(n)          JOIN(wait_, for)(n)
#define CALL(f, ...)      f(__VA_ARGS__)
#define PAUSABLE(type, f) static pausable type f
#define RETURN            return WAIT

PAUSABLE(int, steps)(int fail_at)
{
    EACH(i, 4)
    TRY(WAIT(i) == fail_at ? -i : 0);
    RETURN(100);
}

static pausable void work(void)
{
    DECLARE(int, a);
    DECLARE(const long, b) + 1;
    EACH(i, 2)
    EACH(j, 2)
    printf("%d%d ", i, j);
    printf("%d %ld %d %d ", a, b, steps(2), steps(9));
    printf("%d %d %d\n", MAX(WAIT(3), NAMED(5)), CALL(wait_for, 4), abs(CALL(wait_for, -6)));
#line 1000 "elsewhere.c"
    printf("%d %s\n", WAIT(__LINE__), __FILE__);
}

int main(void)
{
    co4_run(work());
    return 0;
}
