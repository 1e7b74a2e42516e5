/* read_before.c - operands that a later one changes are read before it, as co4's order is from left
 * to right. C has none, so there is no plain form.
 * modes: woven forced
 * flags: -Wno-sequence-point -Wno-unsequenced -Wno-unknown-warning-option
 * expect: pointed 11 21 12 3
 * expect: assigned 12 104 6 15 */
#include <co4.h>
#include <stdio.h>

struct pair {
    int a, b;
};

static pausable int change(int *p)
{
    co4_yield();
    return (*p)++ ? 10 : 0;
}

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int two(int a, int b)
{
    co4_yield();
    return a * 10 + b;
}

static pausable int pointed(int which, int n)
{
    int *p = &n, array[2] = { 1, 2 };
    struct pair pair = { 2, 3 }, *s = &pair;
    switch (which) {
    case 0:
        return *p + change(p);
    case 1:
        return array[0] + change(&array[0]) + change(&array[1]);
    case 2:
        return s->a + change(&s->a);
    default:
        return *p * 3 + (change(p) - 10);
    }
}

static pausable int assigned(int which)
{
    int x = 1, y = 4;
    struct pair pair = { 5, 6 };
    switch (which) {
    case 0:
        return two(x, wait_for(x += 1));
    case 1:
        return two(x, 0) * 10 + y * wait_for(y = 1);
    case 2:
        return pair.a + wait_for((pair.a = 1));
    default:
        return (x + y) + two(x++, 0);
    }
}

static pausable int all(void)
{
    printf("pointed %d %d %d %d\n", pointed(0, 1), pointed(1, 1), pointed(2, 1), pointed(3, 1));
    printf("assigned %d %d %d %d\n", assigned(0), assigned(1), assigned(2), assigned(3));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
