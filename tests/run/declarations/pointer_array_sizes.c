/* pointer_array_sizes.c - arrays of pausing pointers whose lengths hold brackets and words of their
 * own.
 * expect: 11
 * expect: 9 */
#include <co4.h>
#include <stdio.h>

typedef pausable int (*step)(int n);

static pausable int one(int n)
{
    return co4_yield() + n;
}

static step named[(1) + sizeof(char)] = { one, one };
static pausable int (*table[(int)(sizeof(int) / 2)])(int n) = { one, one };
static pausable int (*rows[(1)][(int)(1 + (1))])(int n) = { { one, one } };

/* Without names in the prototype. */
static pausable int last(pausable int (*[(2)])(int), int);
static pausable int last(pausable int (*them[(2)])(int), int n)
{
    return them[1](n);
}

static pausable int all(void)
{
    pausable int (*mine[(2)])(int n) = { one, one };
    int sum = named[1](1) + table[1](2);
    return sum + mine[1](4) + rows[0][1](4);
}

int main(void)
{
    printf("%d\n", co4_run(all()));
    printf("%d\n", co4_run(last(table, 9)));
    return 0;
}
