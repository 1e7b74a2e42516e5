/* pragmas - _Pragma and #pragma at statements with points, before loops and inside macros; names
 * pasted together.
 * flags: -Wno-unused-variable
 * expect: 6 12 3 | 3 5 8 | 9 4 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

/* Pasted names are taken apart otherwise. */
/* clang-format off */
#define QUIETLY(statement)                                                                         \
    _Pragma("GCC diagnostic push")                                                                 \
    _Pragma("GCC diagnostic ignored \"-Wunused-variable\"") statement;                             \
    _Pragma("GCC diagnostic pop")
#define PASTE(a, b)       a##b
#define LOCAL(kind, n)    PASTE(kind, n)
#define CALL(verb, what)  PASTE(verb##_, what)
#define DEFINE(kind, n)   int LOCAL(kind, n) = CALL(wait, for)(n)
#define PAUSING_PAIR(f, n) f##or(n) + wait_##f##or(n)

#define for(n) PASTE(wait_for, )(n) /* a keyword's name */
static pausable int pair(int n)
{
    return PAUSING_PAIR(f, n) - 1;
}
#undef for
/* clang-format on */

static pausable void work(void)
{
    int sum = 0, product = 1, i;
    QUIETLY(int unused = wait_for(1))
    for (i = 0; i < wait_for(3); i++) {
        QUIETLY(int twice = wait_for(i) * 2; sum += twice)
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
    if (wait_for(i) == 3)
#pragma GCC diagnostic ignored "-Wunused-variable"
        product = wait_for(12);
    else
        product = 0;
#pragma GCC diagnostic pop
    printf("%d %d %d | ", sum, product, i);
    DEFINE(local, 3);
    DEFINE(local, 5);
    printf("%d %d %d | ", local3, LOCAL(local, 5), LOCAL(loc, al3) + local5);
    printf("%d %d\n", pair(5), CALL(wait, for)(4));
}

int main(void)
{
    co4_run(work());
    return 0;
}
