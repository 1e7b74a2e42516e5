/* variadic_pauses.c - variable arguments that are read after a pause.
 * expect: sum 10
 * expect: again 6 6
 * expect: say [a 1 b 2.50 c]
 * expect: deep [x 7 y], 4 lists
 * expect: struct 3 then 4
 * expect: heap 60
 * expect: pointer 9
 * expect: copies 111 222 333
 * expect: late 5
 * expect: early -1 and 12
 * expect: wide 1 2 3
 * expect: by pointer 42, from a table 43
 * expect: recursion 15
 * expect: types 1 2 3.5 4 -5 6 seven 8 9 10 11 12
 * expect: loop 0 1 2 3
 * expect: missing 0, there 7
 * expect: none 3
 * expect: plain list [p 1 q]
 * expect: plain caller 33 */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pausable int step(int n)
{
    co4_yield();
    return n;
}

/* a list across a pause */
static pausable int sum(int count, ...)
{
    int total = 0;
    va_list ap;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        total += step(va_arg(ap, int));
    va_end(ap);
    return total;
}

/* started twice, with pauses around */
static pausable int twice(int *second, int count, ...)
{
    int total = 0;
    va_list ap;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        total += va_arg(ap, int);
    va_end(ap);
    step(1);
    va_start(ap, count);
    *second = 0;
    for (int i = 0; i < count; i++) {
        step(i);
        *second += va_arg(ap, int);
    }
    va_end(ap);
    return total;
}

/* a parameter that is a list, read after a pause */
static pausable int vsay(char *out, size_t size, const char *format, va_list ap)
{
    step(0);
    int length = vsnprintf(out, size, format, ap);
    step(1);
    return length;
}

static pausable void say(const char *format, ...)
{
    char text[64];
    va_list ap;
    va_start(ap, format);
    vsay(text, sizeof text, format, ap);
    va_end(ap);
    printf("say [%s]\n", text);
}

/* through several functions, by value and by pointer */
static pausable int level3(char *out, const char *format, va_list *ap)
{
    step(3);
    va_list mine;
    va_copy(mine, *ap);
    step(4);
    int length = vsnprintf(out, 64, format, mine);
    va_end(mine);
    return length > 0 ? 4 : 0;
}

static pausable int level2(char *out, const char *format, va_list ap)
{
    va_list copy;
    va_copy(copy, ap);
    step(2);
    int n = level3(out, format, &copy);
    va_end(copy);
    return n;
}

static pausable void level1(const char *format, ...)
{
    char text[64];
    va_list ap;
    va_start(ap, format);
    step(1);
    int n = level2(text, format, ap);
    va_end(ap);
    printf("deep [%s], %d lists\n", text, n);
}

struct reader {
    int count;
    va_list args;
};

static pausable int next(struct reader *reader)
{
    step(1);
    reader->count++;
    return va_arg(reader->args, int);
}

static pausable void in_struct(int n, ...)
{
    struct reader reader = { 0 };
    va_start(reader.args, n);
    int one = next(&reader);
    step(n);
    int other = next(&reader);
    va_end(reader.args);
    printf("struct %d then %d\n", one, other);
}

static pausable int on_heap(int n, ...)
{
    struct reader *reader = malloc(sizeof *reader);
    va_list ap;
    va_start(ap, n);
    va_copy(reader->args, ap);
    va_end(ap);
    int total = 0;
    for (int i = 0; i < n; i++)
        total += next(reader);
    va_end(reader->args);
    free(reader);
    return total;
}

static pausable int take(va_list *ap)
{
    step(1);
    return va_arg(*ap, int);
}

static pausable int by_address(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int total = take(&ap);
    total += take(&ap);
    total += va_arg(ap, int);
    va_end(ap);
    return total;
}

static pausable void copies(int n, ...)
{
    va_list all[3];
    int got[3] = { 0 };
    for (int i = 0; i < 3; i++) {
        va_start(all[i], n);
        for (int k = 0; k < i; k++)
            (void)va_arg(all[i], int);
    }
    for (int i = 0; i < 3; i++) {
        got[i] = take(&all[i]);
        va_end(all[i]);
    }
    printf("copies %d %d %d\n", got[0], got[1], got[2]);
}

static pausable int late(int n, ...)
{
    step(n);
    va_list ap;
    va_start(ap, n);
    n = va_arg(ap, int);
    va_end(ap);
    return n;
}

/* needs no memory if it returns at once */
static pausable int early(int level, ...)
{
    if (level > 3)
        return -1;
    va_list ap;
    va_start(ap, level);
    int total = 0;
    for (int i = 0; i < level; i++)
        total += step(va_arg(ap, int));
    va_end(ap);
    return total;
}

struct wide {
    long numbers[5];
};

static pausable struct wide filled(double first, ...)
{
    struct wide w = { { 0 } };
    va_list ap;
    va_start(ap, first);
    w.numbers[0] = step((int)first);
    w.numbers[1] = va_arg(ap, long);
    step(0);
    w.numbers[2] = va_arg(ap, int);
    va_end(ap);
    return w;
}

typedef pausable int counting(int, ...);

static counting *const table[] = { sum, late };

static pausable int call(counting *f)
{
    return f(2, 20, 22);
}

static pausable int down(int depth, ...)
{
    va_list ap;
    va_start(ap, depth);
    int mine = depth > 0 ? down(depth - 1, depth) : 0;
    step(depth);
    int above = depth < 5 ? va_arg(ap, int) : 0;
    va_end(ap);
    return mine + above;
}

enum color { RED = 9 };

static pausable void types(const char *what, ...)
{
    va_list ap;
    va_start(ap, what);
    step(1);
    int i = va_arg(ap, int);
    long long big = va_arg(ap, long long);
    double d = va_arg(ap, double);
    step(2);
    long double ld = va_arg(ap, long double);
    int c = va_arg(ap, int);
    double f = va_arg(ap, double);
    const char *s = va_arg(ap, const char *);
    step(3);
    unsigned long ul = va_arg(ap, unsigned long);
    int e = va_arg(ap, int);
    int b = va_arg(ap, int);
    size_t z = va_arg(ap, size_t);
    int *p = va_arg(ap, int *);
    va_end(ap);
    printf("%s %d %lld %.1f %.0Lf %d %.0f %s %lu %d %d %zu %d\n", what, i, big, d, ld, c, f, s, ul,
           e, b, z, *p);
}

static pausable void in_loop(const char *what, ...)
{
    printf("%s", what);
    va_list ap;
    va_start(ap, what);
    for (int n; (n = va_arg(ap, int)) >= 0; step(n))
        printf(" %d", n);
    va_end(ap);
    puts("");
}

/* an argument that may not be there, as of open() */
static pausable int missing(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    step(n);
    int value = va_arg(ap, int);
    va_end(ap);
    return n > 0 ? value : 0;
}

static pausable int none(int n, ...)
{
    return step(n);
}

static pausable int all(void)
{
    int second;
    printf("sum %d\n", sum(4, 1, 2, step(3), 4));
    int first = twice(&second, 3, 1, 2, 3);
    printf("again %d %d\n", first, second);
    say("%s %d %s %.2f %c", "a", 1, "b", 2.5, 'c');
    level1("%s %d %s", "x", 7, "y");
    in_struct(2, 3, 4);
    printf("heap %d\n", on_heap(3, 10, 20, 30));
    printf("pointer %d\n", by_address(3, 2, 3, 4));
    copies(3, 111, 222, 333);
    printf("late %d\n", late(1, 5));
    int skipped = early(4, 1);
    printf("early %d and %d\n", skipped, early(3, 3, 4, 5));
    struct wide w = filled(1, 2L, 3);
    printf("wide %ld %ld %ld\n", w.numbers[0], w.numbers[1], w.numbers[2]);
    int by = call(sum);
    printf("by pointer %d, from a table %d\n", by, table[0](2, 1, 2) + table[1](1, 40));
    printf("recursion %d\n", down(5));
    int eleven = 12;
    types("types", 1, 2LL, 3.5, (long double)4, (signed char)-5, 6.0f, "seven", 8UL, RED, (short)10,
          (size_t)11, &eleven);
    in_loop("loop", 0, 1, 2, 3, -1);
    int absent = missing(0);
    printf("missing %d, there %d\n", absent, missing(1, 7));
    printf("none %d\n", none(3));
    return 0;
}

/* a list of a plain function, which waits for the run */
static void plain(const char *format, ...)
{
    char text[64];
    va_list ap;
    va_start(ap, format);
    co4_run(vsay(text, sizeof text, format, ap));
    va_end(ap);
    printf("plain list [%s]\n", text);
}

/* both worlds */
static pausable_or_plain int both(int n, ...)
{
    int total = 0;
    va_list ap;
    va_start(ap, n);
    while (n-- > 0)
        total += step(va_arg(ap, int));
    va_end(ap);
    return total;
}

int main(void)
{
    int err = co4_run(all());
    plain("%s %d %s", "p", 1, "q");
    printf("plain caller %d\n", both(2, 11, 22));
    return err;
}
