/* by_typedef.c - functions that are declared by a typedef of their type, as state machines of
 * parsers are. */
#include <stdio.h>

typedef struct parser parser;
typedef int state(parser *p, int c);
struct parser {
    state *now;
    int words, letters;
};

static state outside;
static state inside;
extern state finish;

static int outside(parser *p, int c)
{
    if (c != ' ')
        p->now = inside, p->words++, p->letters++;
    return 1;
}

static int inside(parser *p, int c)
{
    if (c == ' ')
        p->now = outside;
    else
        p->letters++;
    return 1;
}

int finish(parser *p, int c)
{
    return printf("%d words, %d letters, ended by %d\n", p->words, p->letters, c);
}

static int feed(parser *p, const char *text)
{
    while (*text != '\0' && p->now(p, *text))
        text++;
    return *text;
}

/* Declared once more, without a list of parameters: nothing that begins with a bracket is near. */
extern __typeof__(finish) finish;
extern state finish, (*pointer);
__typeof__(finish(0, 0)) add(int a, int b), more;
extern __typeof__(add)(add) __attribute__((noinline)), *added;
static __typeof__(add) twice, *twice_too = twice;
__typeof__(int (*(int))(int, int)) choose;
int more = 2;

int (*choose(int which))(int, int)
{
    extern __typeof__(add) add;
    return which ? add : twice;
}

int add(int a, int b)
{
    return a + b;
}

extern __typeof__(choose) choose;
static __typeof__(twice) twice;

static int twice(int a, int b)
{
    extern __typeof__(choose) choose;
    return choose(1)(a, b) * more;
}

extern __typeof__(*&add) add;

int main(void)
{
    if (choose(0)(3, 4) != 14 || twice_too(1, 1) != 4)
        return 1;
    parser p = { outside, 0, 0 };
    int last = feed(&p, "a few  words here");
    return finish(&p, last) < 0 || inside(&p, ' ') != 1;
}

extern __typeof__(main) main;
extern __typeof__(add) add;
typedef int adds(int a, int b);
extern adds add, add;
