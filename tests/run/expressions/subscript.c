/* subscript - points in the subscripts and in the arrays subscripted.
 * needs: formats
 * expect: 7 13 21 6 13 o
 * expect: 99 98 9 30 12 6 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int grid[3][4] = { { 0, 1, 2, 3 }, { 10, 11, 12, 13 }, { 20, 21, 22, 23 } };

static pausable int *row(int n)
{
    co4_yield();
    return grid[n];
}

static pausable void work(void)
{
    int local[4] = { 5, 6, 7, 8 };
    printf("%d ", local[wait_for(2)]);
    printf("%d ", row(1)[wait_for(3)]);
    printf("%d ", grid[wait_for(2)][wait_for(1)]);
    printf("%d ", wait_for(1)[local]);
    printf("%d ", grid[local[wait_for(0)] - 4][3]);
    printf("%c\n", "word"[wait_for(1)]);
    row(0)[2] = 99;
    grid[wait_for(1)][wait_for(0)] = wait_for(98);
    local[wait_for(3)]++;
    row(2)[wait_for(3)] += 7;
    printf("%d %d %d %d ", grid[0][2], grid[1][0], local[3], grid[2][3]);
    int *p = &row(1)[wait_for(2)];
    printf("%d %td\n", *p, p - grid[0]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
