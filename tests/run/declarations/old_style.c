/* old_style - marked functions that are defined in the old style: with a prototype, whose types may
 * be the promoted ones, and without; for both worlds, where callers without a prototype pass what
 * they always did.
 * flags: -std=gnu11 -Wno-old-style-definition -Wno-deprecated-non-prototype -Wno-unknown-warning-option
 * expect: 12 26 131 7
 * expect: a 4.5 3
 * expect: 13 13 5
 * expect: ab 2
 * expect: 5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(n)
int n;
{
    co4_yield();
    return n;
}

pausable int sum(int a, int b, const char *text);
pausable int letter(int c, double d);

pausable int sum(a, b, text)
int b, a;
const char *text;
{
    a += wait_for(b);
    return a + wait_for(*text - '0');
}

/* The prototype has the promoted types. */
pausable int letter(c, d)
char c;
float d;
{
    wait_for(1);
    return c + (int)d;
}

static pausable int apply(f, n)
pausable int (*f)(int);
int n;
{
    return f(n) + wait_for(1);
}

static pausable_or_plain int narrow(c, f, at, n) signed char c;
float f;
int at[], n;
{
    int sum = c + (int)(f * 2);
    for (int i = 0; i < n; i++)
        sum += wait_for(at[i]);
    return sum;
}

static pausable int (*chosen(n))(int) int n;
{
    co4_yield();
    return n ? putchar : NULL;
}

static pausable void work()
{
    int at[] = { 1, 2 };
    printf("%d %d ", sum(1, 2, "9"), sum(wait_for(10), wait_for(10), "6"));
    printf("%d %d\n", letter('a', 34.5), apply(wait_for, 6));
    printf("%c %.1f %d\n", letter('a', 0.5), letter(4, 0.9) + 0.5, narrow(256, 0.1, at, 2));
    printf("%d ", narrow(0, 5.0, at, 2));
}

/* Declared once more without its parameters, at file scope and in a block. */
static pausable int next_of(int n)
{
    return wait_for(n) + 1;
}

static pausable int next_of();

static pausable int twice(int n)
{
    pausable int next_of(), twice(int);
    return n > 9 ? twice(0) : next_of(n) + next_of(n);
}

int main(void)
{
    int at[] = { 1, 2 };
    co4_run(work());
    printf("%d %d\n", narrow(256, 5.0, at, 2), co4_run(apply(wait_for, 4)));
    int (*put)(int) = co4_run(chosen(1));
    put('a');
    put('b');
    printf(" %d\n", co4_run(wait_for(2)));
    printf("%d\n", co4_run(twice(1)) + co4_run(next_of(0)));
    return 0;
}
