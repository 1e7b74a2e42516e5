/* sibling_scopes - the same names, with different types, in scopes beside each other.
 * expect: 136 138 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int total = 0;
    {
        int value = wait_for(1);
        int *p = &value;
        wait_for(0);
        total += *p;
    }
    {
        char value[4] = "abc";
        wait_for(0);
        total += value[2];
    }
    {
        struct {
            int a, b;
        } value = { 10, wait_for(20) };
        wait_for(0);
        total += value.a + value.b;
    }
    for (int i = 0; i < 2; i++) {
        double value = i + 0.25;
        wait_for(0);
        total += (int)(value * 4);
    }
    if (total) {
        long value = total;
        total += wait_for(2);
        printf("%ld ", value);
    } else {
        short value = 3;
        wait_for(0);
        printf("%d ", value);
    }
    printf("%d\n", total);
}

int main(void)
{
    co4_run(work());
    return 0;
}
