/* format_strings - points among the arguments of variadic plain functions.
 * expect: one 2 1.5 x 4 (13)
 * expect: 1.5 -1 nought
 * expect: 6 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable const char *name(int n)
{
    co4_yield();
    return n ? "one" : "nought";
}

static pausable double half(int n)
{
    co4_yield();
    return n / 2.0;
}

static pausable void work(void)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%s %d %.1f %c %ld", name(wait_for(1)), wait_for(2),
                     half(3), (char)wait_for('x'), (long)wait_for(4));
    printf("%s (%d)\n", text, n);
    float f = 1.5F;
    short s = -1;
    printf("%.1f %d %s\n", f, s, name(0));
    fprintf(wait_for(1) ? stdout : stderr, "%d\n", wait_for(6));
}

int main(void)
{
    co4_run(work());
    return 0;
}
