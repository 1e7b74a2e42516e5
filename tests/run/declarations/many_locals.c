/* many_locals - a function with many locals of different sizes, all live at once.
 * expect: 468 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
#define LOCALS(n)                                                                                  \
    char c##n = n;                                                                                 \
    short s##n = n * 2;                                                                            \
    int i##n = wait_for(n * 3);                                                                    \
    double d##n = n * 4;                                                                           \
    const void *p##n = &i##n;
    LOCALS(1) LOCALS(2) LOCALS(3) LOCALS(4) LOCALS(5) LOCALS(6) LOCALS(7) LOCALS(8) wait_for(0);
#define USE(n) c##n + s##n + i##n + d##n + *(const int *)p##n +
    double sum = USE(1) USE(2) USE(3) USE(4) USE(5) USE(6) USE(7) USE(8) 0;
    wait_for(0);
    printf("%.0f\n", sum);
}

int main(void)
{
    co4_run(work());
    return 0;
}
