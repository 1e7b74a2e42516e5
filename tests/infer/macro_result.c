/* macro_result.c - marks of functions whose result is a macro, or stands on a line of its own;
 * parameters on lines of their own begin with the words that the macro stands for.
 * infer: +static pausable ACTION reduce(
 * infer: +pausable int
 * infer: +pausable ACTION both(
 * expect: 12 */
#include <co4.h>
#include <stdio.h>

#define ACTION unsigned short int
typedef struct parser {
    int x;
} parser;

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

/* clang-format off */
static ACTION reduce(
    parser *p,
    unsigned int rule /* which */
)
{
    return (ACTION)((unsigned)next(p->x) + rule);
}

static
int
other(int a,
      int b)
{
    return next(a) + b;
}

ACTION both(
    parser *p
);
ACTION both(
    parser *p
)
{
    return (ACTION)(reduce(p, 5) + (unsigned)other(1, 2));
}
/* clang-format on */

int main(void)
{
    parser p = { 2 };
    printf("%d\n", both(&p));
    return 0;
}
