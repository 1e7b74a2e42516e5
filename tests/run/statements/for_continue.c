/* for_continue - continue goes to the step of a for loop that pauses; break leaves it out.
 * expect: 0 1 3 6 end
 * expect: [0 6](1 5 0)[1 5](2 4 0)[2 4] */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    for (int i = 0; i < 8; i = wait_for(i) + 1) {
        if (i == 2)
            continue;
        if (i == 4) {
            i++;
            continue;
        }
        if (i == 7)
            break;
        printf("%d ", i);
    }
    puts("end");
    for (int i = 0, j = 6; wait_for(i) < wait_for(j); i++, j -= wait_for(1)) {
        for (int k = 0;; wait_for(k++)) {
            if (k == i)
                break;
            if (k == 1)
                continue;
            printf("(%d %d %d)", i, j, k);
        }
        printf("[%d %d]", i, j);
    }
    putchar('\n');
}

int main(void)
{
    co4_run(work());
    return 0;
}
