/* return_void_call - `return f();` in a void function, for a pausable f.
 * expect: 3 2 1 0 2 1 0 none */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void tail(int n)
{
    co4_yield();
    printf("%d ", n);
    if (n > 0)
        return tail(n - 1);
    return (void)wait_for(n);
}

static pausable void either(int n)
{
    return n ? tail(n) : (void)puts("none");
}

static pausable void work(void)
{
    tail(3);
    either(2);
    return either(0);
}

int main(void)
{
    co4_run(work());
    return 0;
}
