/* own_result_type - results of pointer, enum, _Bool, char and typedef types, used at once.
 * expect: 1 3 5 -1 1 2 def e 99 */
#include <co4.h>
#include <stdio.h>

typedef unsigned short word;
typedef struct {
    word low, high;
} words;
enum answer { no = -1, perhaps, yes };

static pausable word word_of(int n)
{
    co4_yield();
    return (word)n;
}

static pausable words words_of(unsigned n)
{
    words w = { (word)n, (word)(n >> 16) };
    co4_yield();
    return w;
}

static pausable enum answer answer(int n)
{
    co4_yield();
    return n > 0 ? yes : n < 0 ? no : perhaps;
}

static pausable const words *longer(const words *a, const words *b)
{
    co4_yield();
    return a->low > b->low ? a : b;
}

static pausable char (*rows(char (*of)[4]))[4]
{
    co4_yield();
    return of + 1;
}

static pausable signed char minus(signed char c)
{
    co4_yield();
    return (signed char)-c;
}

static pausable void work(void)
{
    words a = words_of(0x20001), b = words_of(5);
    char text[2][4] = { "abc", "def" };
    printf("%d %d %d ", word_of(65537), a.low + a.high, longer(&a, &b)->low);
    printf("%d %d %d ", answer(-3), answer(0) == perhaps, answer(9) - no);
    printf("%s %c %d\n", rows(text)[0], (*rows(text))[1], minus(-100) + minus(1));
}

int main(void)
{
    co4_run(work());
    return 0;
}
