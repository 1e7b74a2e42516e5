/* through_void_pointer - a pausable function behind a void pointer, and back again through a
 * cast.
 * expect: 3 4 5 */
#include <co4.h>
#include <stdint.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef pausable int step(int);

static pausable int apply(void *opaque, int n)
{
    step *f = (step *)opaque;
    return f(n);
}

static pausable void work(void)
{
    void *any = (void *)wait_for;
    uintptr_t number = (uintptr_t)&wait_for;
    printf("%d %d %d\n", apply(any, 3), ((step *)number)(4), apply((void *)wait_for, wait_for(5)));
}

int main(void)
{
    co4_run(work());
    return 0;
}
