/* array_parameters.c - a parameter that is declared as an array is a pointer, also in expressions
 * that are arguments of calls that pause.
 * expect: abcdefghijklmno.
 * expect: abcdefgh
 * expect: ab ab cd cd
 * expect: 6 6 15
 * expect: 1 2 2 1 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

typedef char name[16];

static pausable int put(void *to, char byte)
{
    co4_yield();
    memset(to, byte, 1);
    return 1;
}

static pausable void puts_each(char line[16], int n)
{
    char *p;
    put(line + n, 'a');
    put(n ? line : line + 1, 'b');
    put((line + 2), 'c');
    put(p = line + 3, 'd');
    put(((void)n, line + 4), 'e');
    put(({ line + 5; }), 'f');
    put((char *)line + 6, 'g');
    put(_Generic(n, int : line + 7, default : p), 'h');
    put(n + line + 8, 'i');
    put(&line[9], 'j');
    put(line++ + 10, 'k');
    put(++line + 9, 'l');
    put((line += 1) + 9, 'm');
    put(line - -10, 'n');
    put((line ?: p) + 11, 'o');
}

static pausable void typed(name line)
{
    for (int i = 0; i < 8; i++)
        put(line + i, (char)('a' + i));
}

static pausable const char *later(const char *text)
{
    co4_yield();
    return text;
}

static void four(const char *a, const char *b, const char *c, const char *d)
{
    printf("%.2s %.2s %.2s %.2s\n", a, b, c, d);
}

/* Values before and behind a call that pauses. */
static pausable void around(char line[static 8])
{
    four(line, later(line), line + 2, later(line + 2));
}

static pausable int sum(const int row[const 3])
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        co4_yield();
        n += row[i];
    }
    return n;
}

static pausable void rows(const int table[2][3], const int *const all[1])
{
    int first = sum(*table), same = sum(all[0] + 0), second = sum(table[0] + 3);
    printf("%d %d %d\n", first, same, second);
}

static pausable int twice(int f(int), int n)
{
    co4_yield();
    return f(n);
}

static int one(int n)
{
    return n;
}

static int two(int n)
{
    return 2 * n;
}

static pausable int number(int n)
{
    co4_yield();
    return n;
}

static pausable void functions(int f(int), int g(int), int n)
{
    printf("%d %d ", twice(n ? f : g, number(1)), twice(n ? g : f, number(1)));
    printf("%d %d\n", twice((g), number(1)), twice(*f, number(1)));
}

static pausable void all(void)
{
    char line[16] = "................";
    const int table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, *const parts[] = { table[0] };
    puts_each(line, 0);
    printf("%.16s\n", line);
    typed(line);
    printf("%.8s\n", line);
    around(line);
    rows(table, parts);
    functions(one, two, 1);
}

int main(void)
{
    co4_run(all());
    return 0;
}
