/* deref_result - *f() as a value and as the target of every kind of assignment.
 * expect: 3 10 -11 11 15 5, asked 11 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int values[3] = { 1, 2, 3 };
static int asked;

static pausable int *place(int i)
{
    co4_yield();
    asked++;
    return &values[i];
}

static pausable int **indirect(void)
{
    static int *p;
    p = place(2);
    return &p;
}

static pausable void work(void)
{
    printf("%d ", *place(0) + *place(1));
    *place(0) = 10;
    *place(1) += 20;
    ++*place(2);
    (*place(2))--;
    printf("%d ", (*place(0))++);
    printf("%d ", -*place(0));
    **indirect() = 5;
    *place(1) = *place(2) * wait_for(3);
    printf("%d %d %d, asked %d\n", values[0], values[1], values[2], asked);
}

int main(void)
{
    co4_run(work());
    return 0;
}
