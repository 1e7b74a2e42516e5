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

int main(void)
{
    parser p = { outside, 0, 0 };
    int last = feed(&p, "a few  words here");
    return finish(&p, last) < 0 || inside(&p, ' ') != 1;
}
