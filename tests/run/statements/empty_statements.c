/* empty_statements - points in statements whose value is unused, empty statements and empty
 * blocks.
 * expect: end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    ;
    wait_for(1);
    (void)wait_for(2);
    wait_for(3), wait_for(4);
    {} {
        ;
        wait_for(5);
        ;
    }
    if (wait_for(1)) {
    } else {
    }
    for (; wait_for(0);)
        ;
    co4_yield();
    !wait_for(6) ? (void)0 : (void)puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
