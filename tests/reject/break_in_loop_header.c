/* break_in_loop_header.c - a break in the header of a loop, which compilers bind differently. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    for (int i = 0; i < 3; i++) {
        while (({ if (n == 2) break; wait_for(n) < 5; })) /* error: 'break' in the header of a loop */ /* hint: use goto */
            n++;
        do
            switch (n) {
            default:
                break;
            }
        while (({ switch (n) { case 1: continue; default: break; } n < 9; })); /* error: 'continue' in the header of a loop */
    }
    return n;
}
