/* values_pointed_into - a value with an array in it lives to the end of its full expression, and so
 * do pointers into it: through conversions, arithmetic, `&` of an element, an arm of ?:, an
 * assignment, a comma, va_arg, a union cast.
 * expect: name1 2
 * expect: ame2 3 me3 4
 * expect: no 1 yes 2
 * expect: yes 7 yes
 * expect: comma 3 stat 4
 * expect: argu 5
 * expect: paus1 paus2 paus3
 * expect: kept 1 kept
 * expect: 21 22 3
 * expect: second 1
 * expect: 65 1
 * expect: by way of 9
 * expect: 4 4 6
 * expect: condition taken 2
 * expect: gbz cck dbk g g c */
#include <co4.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct name {
    char text[12];
};

struct pair {
    struct name names[2];
    int numbers[3];
};

union word {
    int number;
    unsigned char bytes[sizeof(int)];
};

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

/* Writes over what a call before it has left on the stack. */
static int scribble(int depth)
{
    volatile char all[400];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = '#';
    return depth > 0 ? scribble(depth - 1) + all[depth] : all[0];
}

static struct name name_of(const char *text)
{
    struct name name = { "" };
    strncpy(name.text, text, sizeof name.text - 1);
    return name;
}

static struct pair pair_of(const char *first, const char *second, int n)
{
    return (struct pair){ { name_of(first), name_of(second) }, { n, n + 1, n + 2 } };
}

static void show(const char *text, int n)
{
    scribble(4);
    printf("%s %d", text, n);
}

static pausable void show_later(const char *text)
{
    co4_yield();
    scribble(4);
    co4_yield();
    printf("%s", text);
}

static pausable void of_arguments(int n, ...)
{
    va_list list;
    va_start(list, n);
    show(va_arg(list, struct name).text, next(n));
    va_end(list);
}

static const char *kept;

static const char *keep(const char *text)
{
    return kept = text;
}

static pausable int number_at(const int *at)
{
    co4_yield();
    scribble(4);
    return *at;
}

/* The index pauses: the step before it ends with the pointer. */
static pausable void indexed(int c)
{
    struct name a = name_of("abc"), b = name_of("bcd");
    scribble(2);
    int chosen = (c > 1 ? (a = b) : name_of("ghi")).text[next(c - 2)];
    int assigned = (a = b).text[next(c) & 1];
    int paired =
        *&(c > 1 ? pair_of("", "k", c) : pair_of("y", "z", 1)).names[next(0)].text[next(-1)];
    printf("%c%c%c ", chosen, assigned, paired);
}

static struct name letter(unsigned n)
{
    struct name name = { { (char)('a' + n % 26u) } };
    return name;
}

static pausable int of_chosen(unsigned n)
{
    struct name a = letter(n + 1), b = letter(n + 2);
    scribble(2);
    return (unsigned char)(n > 6u ? (a = b) : letter(n)).text[(9 + next(0)) & 1];
}

static pausable void work(int c)
{
    struct name a = name_of("no"), b = name_of("yes"), d = { "" };
    show(name_of("name1").text, next(1));
    puts("");
    show(name_of("name2").text + 1, next(2));
    printf(" ");
    show(&name_of("name3").text[2], next(3));
    puts("");
    show((c ? a : b).text, next(0));
    printf(" ");
    show((c ? b : a).text, next(1));
    puts("");
    show((d = b).text, next(6));
    printf(" %s\n", d.text);
    show((c++, name_of("comma")).text, next(2));
    printf(" ");
    show(({ name_of("stat"); }).text, next(3));
    puts("");
    of_arguments(4, name_of("argu"));
    puts("");

    show_later(name_of("paus1").text);
    show_later(c ? name_of(" paus2").text : "");
    show_later((char *)(void *)name_of(" paus3").text);
    puts("");

    show(keep(name_of("kept").text), next(0));
    printf(" ");
    int same = strcmp(keep(name_of("kept").text), next(0) ? kept : "") == 0;
    puts(same ? "kept" : "lost");

    int got = number_at(pair_of("", "", 20).numbers + 1);
    printf("%d %d %d\n", got, *&pair_of("", "", 20).numbers[2] + next(-1),
           pair_of("", "", 3).numbers[0] * next(0));
    show(pair_of("first", "second", 0).names[1].text, next(0));
    puts("");
    printf("%d ", *(const char *)(intptr_t)name_of("A").text + next(-1));
    printf("%d\n", number_at((const int *)(const void *)((union word)1).bytes));

    const struct name *whole;
    show((whole = (const void *)name_of("by way of").text)->text, next(8));
    puts("");
    printf("%d %d ", (int)strlen(name_of("four").text) + next(-1),
           c && strlen(name_of("four").text) == 4 ? next(3) : 0);
    printf("%d\n", *pair_of("", "", 5).numbers + next(0));
    if (keep(name_of("condition").text) != NULL && next(0) && strcmp(kept, "condition") == 0)
        printf("condition taken %d\n", next(1));
    indexed(1);
    indexed(2);
    indexed(3);
    printf("%c %c %c\n", of_chosen(6), of_chosen(6), of_chosen(2));
}

int main(void)
{
    co4_run(work(1));
    return 0;
}
