/* const_in_generic.c - a const object that lives in the frame is still const to a _Generic.
 * expect: const, const, const, not, not */
#include <co4.h>
#include <stdio.h>

#define KIND(p) _Generic((p), const int * : "const", int * : "not")

static pausable void wait(void)
{
    co4_yield();
}

static pausable void work(int n)
{
    const int one = n, two[2] = { n, n };
    const int grid[2][1] = { { n }, { n } };
    int other = n, many[2] = { n, n };
    const int *volatile seen = &one + (two - two) + (grid[1] - grid[1]);
    wait();
    printf("%s, %s, %s, ", KIND(&one), KIND(two), KIND(grid[n]));
    printf("%s, %s\n", KIND(&other), KIND(many));
    wait();
    if (*seen != one || two[0] != grid[1][0] || other != many[1])
        printf("lost\n");
}

int main(void)
{
    co4_run(work(1));
    return 0;
}
