/* liveness_loop - values that are used only in the next turn of a loop, or only after it.
 * expect: 1 3 5 7 | 3 42
 * expect: 144 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int before = 0, last = -1, kept = 41, next_kind = 0;
    for (int i = 0; i < 5; i++) {
        int now = wait_for(i * i);
        if (i > 0)
            printf("%d ", now - before);
        wait_for(0);
        before = now;
        switch (next_kind) {
        case 0:
            next_kind = 2;
            break;
        case 2:
            last = i;
            next_kind = wait_for(0);
        }
    }
    printf("| %d %d\n", last, kept + wait_for(1));

    int a = 1, b = 1;
    while (b < 100) {
        int sum = a + b;
        a = b;
        wait_for(0);
        b = sum;
    }
    printf("%d\n", b);
}

int main(void)
{
    co4_run(work());
    return 0;
}
