/* empty_struct - structs without members (GNU), as parameter, local and result.
 * expect: end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef struct {
} nothing;

static pausable nothing pass(nothing in, int n)
{
    nothing copy = in;
    wait_for(n);
    return copy;
}

static pausable void work(void)
{
    nothing n = {}, m;
    m = pass(n, 1);
    pass(m, 2);
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
