/* looked_at.c - pausable calls that are only asked for their type, in static assertions,
 * enumerators, sizes and labels.
 * expect: 4 8 4 1 7
 * expect: 25 1 */
#include <co4.h>

#include <stdio.h>

static int calls;

static pausable int wait_for(int n)
{
    calls++;
    co4_yield();
    return n;
}

_Static_assert(sizeof(wait_for(1)) == sizeof(int), "at file scope");

enum { SIZE = sizeof(wait_for(1)), TWICE = 2 * sizeof(wait_for(1)) };

struct sized {
    char bytes[sizeof(wait_for(1))];
    unsigned bits : sizeof(wait_for(1));
};

static struct {
    char bytes[sizeof(wait_for(1))];
} one;

static int value = sizeof(wait_for(1)) + 3;

static pausable int work(int n)
{
#ifndef __TINYC__ /* loses the types of functions that are declared before it */
    _Static_assert(sizeof(wait_for(1)) == sizeof(int), "in a block");
#endif
    enum { LOCAL = sizeof(wait_for(2)) };
    struct local {
        char bytes[sizeof(wait_for(1))];
        int bits : 2 + sizeof(wait_for(2));
    } all = { { 1 }, 7 };
    switch (n) {
    case sizeof(wait_for(1)):
        n++;
    }
    n = wait_for(n) + LOCAL;
    return n + all.bits + all.bytes[0] + (int)sizeof all.bytes + LOCAL;
}

int main(void)
{
    struct sized sized = { { 0 }, 1 };
    one.bytes[0] = 4;
    printf("%d %d %d %d %d\n", SIZE, TWICE, (int)sizeof one.bytes * one.bytes[0] / 4,
           (int)sized.bits, value);
    int result = co4_run(work(4));
    printf("%d %d\n", result, calls);
    return 0;
}
