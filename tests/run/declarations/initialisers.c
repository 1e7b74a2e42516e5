/* initialisers - points in initialisers of scalars, in several declarators of one declaration.
 * expect: 1 6 3 3 1 3 6 7
 * expect: no n 3.0 1.50 1 8
 * expect: 0-2 1-2 end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int a = wait_for(1), b, c = wait_for(2) + a, *p = &c, d[2] = { a, wait_for(c) }, e = d[1] + *p;
    b = wait_for(e);
    const int fixed = wait_for(b), after = fixed + 1;
    const char *text = wait_for(0) ? "yes" : "no", letter = *text;
    double x = wait_for(3), y = x / wait_for(2);
    _Bool both = wait_for(2) && wait_for(3);
    int(braced) = { wait_for(8) };
    printf("%d %d %d %d %d %d %d %d\n", a, b, c, *p, d[0], d[1], e, after);
    printf("%s %c %.1f %.2f %d %d\n", text, letter, x, y, both, braced);
    for (int i = wait_for(0), j = wait_for(2), *q = &j; i < *q; i++)
        printf("%d-%d ", i, j);
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
