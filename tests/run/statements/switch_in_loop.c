/* switch_in_loop - continue and break of a loop and of a switch, nested in each other, around
 * suspension points.
 * expect: 0 2 inner loop 4 out */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    for (int i = 0; i < 6; i += wait_for(1)) {
        switch (wait_for(i)) {
        case 1:
            continue;
        case 2:
            wait_for(0);
            break;
        case 3:
            switch (wait_for(2 * i)) {
            case 6:
                if (wait_for(1))
                    break;
                puts("never");
                break;
            default:
                puts("nor this");
            }
            printf("inner ");
            continue;
        case 4:
            while (wait_for(1)) {
                if (wait_for(i) == 4)
                    break;
            }
            printf("loop ");
            break;
        case 5:
            goto out;
        }
        printf("%d ", i);
    }
out:
    puts("out");
}

int main(void)
{
    co4_run(work());
    return 0;
}
