/* switch_block_local - variables declared at the top of a switch block, and in its cases.
 * expect: 5 7 20 40 30 60 end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    for (int n = 0; n < 4; n++) {
        switch (n) {
            int shared;
        case 0:
            shared = wait_for(5);
            printf("%d ", shared);
            break;
        case 1:
            shared = 7;
            wait_for(0);
            printf("%d ", shared);
            break;
        default: {
            int own = n * 10;
            shared = wait_for(own) + own;
            wait_for(shared);
            printf("%d %d ", own, shared);
        }
        }
    }
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
