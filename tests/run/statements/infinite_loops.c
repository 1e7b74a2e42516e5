/* infinite_loops - loops without an end, left by return, break and goto.
 * expect: 128 111 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int first_over(int limit)
{
    for (int i = 1;; i *= 2) {
        while (1) {
            if (wait_for(i) > limit)
                return i;
            break;
        }
    }
}

static pausable int collatz(int n)
{
    int steps = 0;
    do {
        if (n == 1)
            goto done;
        n = n % 2 ? 3 * n + wait_for(1) : n / wait_for(2);
        steps++;
    } while (1);
done:
    return steps;
}

static pausable void work(void)
{
    printf("%d %d\n", first_over(100), collatz(27));
}

int main(void)
{
    co4_run(work());
    return 0;
}
