/* for_scope - names declared in a for header hide outer ones, and live on in nested loops.
 * expect: 10 11 0 10 11 1 100
 * expect: 1 5, 2 7, 3 9, abc */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int i = 100;
    for (int i = 0; i < wait_for(2); i++) {
        for (int i = 10; i < wait_for(12); i++) {
            wait_for(i);
            printf("%d ", i);
        }
        printf("%d ", i);
    }
    printf("%d\n", i);
    for (
        struct {
            int a;
            long b;
        } p = { wait_for(1), 5 };
        p.a < 4; p.a++, p.b += wait_for(2))
        printf("%d %ld, ", p.a, p.b);
    for (char *s = "abc", *end = s + 3; s < end; s += wait_for(1))
        putchar(*s);
    putchar('\n');
}

int main(void)
{
    co4_run(work());
    return 0;
}
