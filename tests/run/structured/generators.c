/* generators - co4_generate with arguments of several kinds, yields in loops and through
 * callees.
 * expect: 3 4 5 21 1
 * expect: bbc 1.5 cbc 3.0 dbc 6.0 end
 * expect: 0 1 2 0 3 0 1 end */
#include <co4.h>
#include <stdio.h>

struct entry {
    char key[12];
    double value;
};

static pausable int count(int from, int to)
{
    for (int i = from; i < to; i++)
        co4_gen_yield(&i);
    return to;
}

static pausable void entries(struct entry base, int n)
{
    while (n-- > 0) {
        base.value *= 2;
        base.key[0]++;
        co4_gen_yield(&base);
    }
}

static pausable void deep(int n)
{
    if (n > 0)
        deep(n - 1);
    co4_gen_yield(&n);
    if (n > 1)
        deep(n - 2);
}

int main(void)
{
    int n, again;
    struct entry e = { "abc", 0.75 };
    co4_gen *g = co4_generate(count(3, 6)), *h = co4_generate(count(10, 12));
    while (co4_gen_next(g, &n) == CO4_OK)
        printf("%d ", n);
    for (again = 0; co4_gen_next(h, &n) == CO4_OK; again += n)
        ;
    printf("%d %d\n", again, co4_gen_next(h, &n) == CO4_ECLOSED);
    co4_gen_destroy(g);
    co4_gen_destroy(h);

    g = co4_generate(entries(e, 3));
    while (co4_gen_next(g, &e) == CO4_OK)
        printf("%s %.1f ", e.key, e.value);
    puts("end");
    co4_gen_destroy(g);

    g = co4_generate(deep(3));
    for (; co4_gen_has_more(g) == 1; printf("%d ", n))
        co4_gen_next(g, &n);
    puts("end");
    co4_gen_destroy(g);
}
