/* nested_loops - four loops of different kinds inside each other, with points at every level.
 * expect: 2049 */
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
    int count = 0, a = 0;
    while (a < wait_for(2)) {
        int b = 0;
        do {
            for (int c = 0; c < wait_for(2); c++) {
                int d = 3;
                while (wait_for(d) > c) {
                    count += wait_for(1);
                    d--;
                    if (a + b + c == 3)
                        goto out;
                }
                count += 10 * d;
            }
        } while (++b < odd_waits(2));
        a++;
        count += 1000 * b;
    }
out:
    printf("%d\n", count);
}

int main(void)
{
    co4_run(work());
    return 0;
}
