/* do_condition - a suspension point in the condition of a do loop, which continue goes to.
 * expect: 8 16
 * expect: 3
 * expect: ..| */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int odd_waits(int n)
{
    if (n % 2 != 0)
        co4_yield();
    return n;
}

static pausable void work(void)
{
    int i = 0, odd = 0;
    do {
        i++;
        if (i % 2 == 0)
            continue;
        odd += i;
        if (i == 11)
            break;
    } while (wait_for(i) < 8);
    printf("%d %d\n", i, odd);

    int turns = 0;
    do
        turns++;
    while (wait_for(turns) != 3);
    printf("%d\n", turns);

    do {
        do {
            turns--;
            if (turns == 1)
                continue;
            putchar('.');
        } while (odd_waits(turns) > 0);
        putchar('|');
    } while (wait_for(0));
    putchar('\n');
}

int main(void)
{
    co4_run(work());
    return 0;
}
