/* main.c - definitions in the old style as libraries had them: behind prototypes of a header,
 * behind macros for the calling convention, with narrow parameters, with parameters of several
 * declarators; called through prototypes, without any, and by pointers, from here and from another
 * file.
 * flags: -std=gnu11 */
#include "deflate.h"

#include <stdio.h>

/* Without parameters: arguments are promoted. */
extern double OF_NOTHING();
int spread();
unsigned apply();

local int longest OF((deflate_state * s, unsigned cur));

local int longest(s, cur)
deflate_state *s;
unsigned cur;
{
    int best = 0;
    for (unsigned i = 0; i < s->length; i++)
        if ((unsigned)s->window[i] > cur)
            best = best > s->window[i] ? best : s->window[i];
    return best;
}

/* Narrow ones: what callers give is an int and a double, what the function has is not. */
int spread(c, f, s, b, table, each)
char c;
float f;
unsigned short s;
_Bool b;
int table[], (*each)();
{
    int sum = c + (int)(f * 10) + s + b;
    for (int i = 0; i < 2; i++)
        sum += (*each)(table[i]);
    return sum;
}

static int twice(n)
int n;
{
    return 2 * n;
}

unsigned apply(f, n) unsigned (*f)();
unsigned n;
{
    return f(n) + 1;
}

static unsigned half(n)
register unsigned n;
{
    return n / 2;
}

struct pair swapped(p)
struct pair p;
{
    struct pair q = { p.b, p.a };
    return q;
}

static const char *(*namer(which))(void)int which;
{
    return which ? one_name : other_name;
}

static implicit(a, b)
{
    return a * b;
}

static nothing()
{
    return 3;
}

int main(argc, argv)
int argc;
char **argv;
{
    deflate_state s = { { 3, 9, 4 }, 3, 1 };
    int table[2] = { 5, 6 };
    printf("%d %d\n", deflate_init(&s, 2, sizeof s), longest(&s, 3u));
    printf("%d %d\n", spread(300, 1.55, 65537, 1, table, twice),
           spread('a', 0.25f, -1, 0, table, twice));
    printf("%u %g\n", apply(half, 9u), OF_NOTHING(2, 1.5));
    printf("%d %s %s\n", swapped((struct pair){ 1, 2 }).a, namer(1)(), namer(0)());
    printf("%d %d %d %d\n", implicit(6, 7), nothing(), argc, argv[argc] == 0);
    int (*by_pointer)() = spread;
    printf("%d %ld\n", by_pointer(1, 2.0, 3, 1, table, twice), deflate_bound(&s, 10L));
    return 0;
}
