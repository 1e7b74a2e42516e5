/* variadic.c - pausable functions with variable arguments, used before they wait and in calls.
 * expect: sum 10
 * expect: twice 6 6
 * expect: [3] a 1 b
 * expect: squares 17
 * expect: wide 5 6 then 7
 * expect: plain 6 pointer 9
 * expect: max 8 of 4
 * expect: none 0
 * expect: copied 3 30
 * expect: void 42 x */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pausable int step(int n)
{
    co4_yield();
    return n;
}

static pausable int sum(int count, ...)
{
    int values[8], total = 0;
    va_list ap;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        values[i] = va_arg(ap, int);
    va_end(ap);
    for (int i = 0; i < count; i++)
        total += step(values[i]);
    return total;
}

/* taken up twice */
static pausable int sum_twice(int *second, int count, ...)
{
    int total = 0;
    va_list ap;
    va_start(ap, count);
    for (int i = 0; i < count; i++)
        total += va_arg(ap, int);
    va_end(ap);
    va_start(ap, count);
    *second = 0;
    for (int i = 0; i < count; i++)
        *second += va_arg(ap, int);
    va_end(ap);
    return step(total);
}

/* handed on: the callee uses them up before it waits */
static pausable int vsay(const char *format, va_list ap)
{
    char line[64];
    int length = vsnprintf(line, sizeof line, format, ap);
    step(0);
    printf("[%d] %s\n", length > 3 ? 3 : length, line);
    return length;
}

static pausable int say(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int length = vsay(format, ap);
    va_end(ap);
    return length;
}

/* takes them from a list that it is given */
static pausable int vsum(int count, va_list ap)
{
    int total = 0;
    va_list copy;
    va_copy(copy, ap);
    for (int i = 0; i < count; i++)
        total += va_arg(copy, int) * va_arg(ap, int);
    va_end(copy);
    return step(total);
}

static pausable int squares(int count, ...)
{
    va_list ap;
    va_start(ap, count);
    int total = vsum(count, ap) + count;
    va_end(ap);
    return total;
}

struct wide {
    long numbers[5];
};

static pausable struct wide gather(double first, ...)
{
    struct wide w = { { 0 } };
    va_list ap;
    va_start(ap, first);
    w.numbers[0] = va_arg(ap, long);
    w.numbers[1] = va_arg(ap, int);
    va_end(ap);
    w.numbers[2] = step((int)first);
    return w;
}

/* both worlds */
static pausable_or_plain int count_words(const char *first, ...)
{
    int letters = (int)strlen(first);
    va_list ap;
    va_start(ap, first);
    for (const char *word; (word = va_arg(ap, const char *)) != NULL;)
        letters += (int)strlen(word);
    va_end(ap);
    co4_yield();
    return letters;
}

static int plainly(int (*count)(const char *, ...))
{
    return count("abc", "de", "f", (char *)NULL);
}

typedef pausable int counting(int, ...);

static pausable int largest(int count, ...)
{
    int best = 0;
    va_list ap, other;
    va_start(ap, count);
    va_copy(other, ap);
    for (int i = 0; i < count; i++) {
        int value = va_arg(other, int);
        best = value > best ? value : best;
    }
    va_end(other);
    va_end(ap);
    return best;
}

static pausable int copies(int *out, ...)
{
    va_list ap, again;
    va_start(ap, out);
    va_copy(again, ap);
    *out = va_arg(ap, int);
    *out += va_arg(again, int) * 9;
    va_end(again);
    va_end(ap);
    step(1);
    return *out / 10;
}

static pausable void nothing(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int c = va_arg(ap, int);
    va_end(ap);
    if (step(n) > 0)
        printf("void %d %c\n", n, c);
}

static pausable int all(void)
{
    int second, out;
    printf("sum %d\n", sum(4, 1, 2, step(3), 4));
    int first = sum_twice(&second, 3, 1, 2, 3);
    printf("twice %d %d\n", first, second);
    say("%s %d %s", "a", 1, "b");
    printf("squares %d\n", squares(3, 1, 2, 3));
    struct wide w = gather(7.5, 5L, 6);
    printf("wide %ld %ld then %ld\n", w.numbers[0], w.numbers[1], w.numbers[2]);
    int letters = plainly(count_words);
    printf("plain %d pointer %d\n", letters, count_words("abcdefg", "hi", (char *)NULL));
    counting *chosen = largest;
    printf("max %d of %d\n", chosen(4, 3, 8, -1, 7), step(4));
    printf("none %d\n", chosen(0));
    int tenth = copies(&out, 3);
    printf("copied %d %d\n", tenth, out);
    nothing(42, 'x');
    return 0;
}

int main(void)
{
    return co4_run(all());
}
