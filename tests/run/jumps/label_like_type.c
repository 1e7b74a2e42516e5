/* label_like_type.c - a label, and a type, an enumerator, a function or a local of the same name.
 * expect: 4 3 7
 * expect: 12
 * expect: 8 */
#include <co4.h>
#include <stdio.h>

typedef int word;
enum { seven = 7 };

struct pair {
    word one, two;
};

static pausable int next(int i)
{
    co4_yield();
    return i;
}

static word twice(word w)
{
    return 2 * w;
}

static pausable void named(int n)
{
    if (n > 4)
        goto word;
seven:
    for (word i = next(n); i < 5; i++) {
        word w = (word)next((int)sizeof(word)) + 0 * (int)sizeof(word[next(1)]);
        struct pair p = { .one = next(3), .two = (word)seven };
        printf("%d %d %d\n", w, p.one, p.two);
    }
    if (n < 0)
        goto seven;
twice:
    n += 2;
    if (n < 6)
        goto twice;
word:
    printf("%d\n", twice((word)next(n)));
}

static void set(long long *x)
{
    *x = 3;
}

static pausable void of_local(int n)
{
    long long x = 0;
    set(&x);
    if (n > 4)
        goto x;
    n = next(1);
x:
    n += (int)x;
    __typeof__(x) y = next(n);
    printf("%d\n", (int)(sizeof y + (unsigned)y - 4));
}

int main(void)
{
    co4_run(named(4));
    co4_run(of_local(1));
    return 0;
}
