/* pointers - pointers of all kinds: to data, to const, to pointers, to arrays, to functions,
 * restrict.
 * expect: 6 6 3 2 6
 * expect: 42 8 b 6 30 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int twice(int n)
{
    return 2 * n;
}

static int (*choose(int n))(int)
{
    return n ? twice : NULL;
}

static pausable void fill(int n, int *restrict to, const int *restrict from)
{
    for (int i = 0; i < n; i++) {
        co4_yield();
        to[i] = from[i] * 10;
    }
}

static pausable void work(void)
{
    int n = 5, numbers[3] = { 1, 2, 3 }, copy[3], grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    int *p = &n, **pp = &p, *const fixed = p;
    const int *last = &numbers[2];
    int(*whole)[3] = &numbers, (*row)[3] = grid;
    int (*f)(int) = twice, (*(*g)(int))(int) = choose;
    const char *const names[] = { "a", "b" }, *const *name = names;
    void *any = p;
    wait_for(0);
    fill(3, copy, numbers);
    **pp += wait_for(1);
    row += wait_for(1);
    name++;
    wait_for(0);
    printf("%d %d %d %d %d\n", n, *fixed, *last, (*whole)[1], (*row)[2]);
    printf("%d %d %s %d %d\n", f(wait_for(21)), g(1)(4), *name, *(int *)any, copy[2]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
