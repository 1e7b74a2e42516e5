/* plain_spawned.c - a plain build keeps the newest tasks that nobody releases: any of them may be
 * joined before, the oldest, the newest or one between, and nothing is left.
 * modes: plain
 * expect: 3 joined, 300000 kept: 0 wrong
 * expect: at most 65536 are left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

enum { MANY = 100000 };

static pausable int number(int n)
{
    return n;
}

int main(void)
{
    int wrong = 0;
    long long before = co4_test_pool_live();
    for (int which = 0; which < 3; which++) {
        co4_task *t[3];
        int r = -1;
        for (int i = 0; i < 3; i++)
            t[i] = co4_spawn(number(i));
        wrong += co4_join(t[which], &r) != CO4_OK || r != which;
        for (int i = 0; i < MANY; i++)
            wrong += co4_spawn(number(i)) == NULL;
    }
    printf("3 joined, %d kept: %d wrong\n", 3 * MANY, wrong);
    puts(co4_test_pool_live() - before <= 2 * 65536 ? "at most 65536 are left"
                                                    : "too many are left");
    return 0;
}
