/* chosen_callees - functions given to what an expression chooses: its parameters are as marked as
 * those of a function that is called by name.
 * flags: -Wno-unused-value
 * expect: 20 200 6 20 200 20 20
 * expect: 20 200 20 200 20 */
#include <co4.h>
#include <stdio.h>

static pausable_or_plain int both(int n)
{
    co4_yield();
    return n + 1;
}
static pausable int one(pausable int (*p)(int), int n)
{
    return p(n) * 10;
}
static pausable int two(pausable int (*p)(int), int n)
{
    return p(n) * 100;
}
static pausable int three(int (*p)(int), int n)
{
    co4_yield();
    return p(n) * 3;
}
static pausable int four(int (*p)(int), int n)
{
    co4_yield();
    return p(n) * 4;
}
static pausable int (*const table[])(pausable int (*p)(int), int) = { one, two };
static pausable void work(int c)
{
    printf("%d ", (c ? one : two)(both, 1));
    printf("%d ", ((void)c, c ? two : one)(both, 1));
    printf("%d ", (c ? three : four)(both, 1));
    printf("%d ", (*(c ? &one : &two))(both, 1));
    printf("%d ", table[c](both, 1));
    printf("%d ", (c ? table[0] : two)(both, 1));
    printf("%d\n", (c ? one : c > 2 ? one : two)((both), 1));
}
typedef pausable int taker(pausable int (*)(int), int);

static taker *chosen(int c)
{
    return c ? one : two;
}

struct ops {
    taker *take[2];
};

static pausable void others(const struct ops *ops, int c)
{
    taker *local;
    printf("%d ", chosen(c)(both, 1));
    printf("%d ", (local = two)(both, 1));
    printf("%d ", (local ?: two, ops->take[0] ?: one)(both, 1));
    printf("%d ", ({
               c++;
               ops->take[c - 1];
           })(both, 1));
    printf("%d\n", _Generic(c, int : one, default : two)(both, 1));
}

int main(void)
{
    co4_run(work(1));
    co4_run(others(&(struct ops){ { one, two } }, 1));
    return 0;
}
