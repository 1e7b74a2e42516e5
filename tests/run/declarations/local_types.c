/* local_types - structs, unions, enums and typedefs defined in functions, also twice with one
 * name.
 * expect: ck 9 10.5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int first(void)
{
    struct item {
        int n;
        struct item *next;
    } a = { 1, NULL }, b = { 2, &a };
    typedef struct item *items;
    enum { step = 3 };
    int sum = 0;
    for (items i = &b; i != NULL; i = i->next)
        sum += wait_for(i->n) * step;
    return sum;
}

static pausable double second(void)
{
    typedef struct item {
        double n;
        enum kind { dull, bright } kind;
    } item;
    item i = { .n = wait_for(2) + 0.5, .kind = bright };
    typedef union {
        int whole;
        struct {
            short low, high;
        } half;
    } word;
    word w = { .half = { 0, 0 } };
    w.half.low = (short)wait_for(5);
    enum kind kind = wait_for(1) ? i.kind : dull;
    {
        typedef char item;
        item c = 'c';
        struct box {
            item name[4];
        } k = { "k" };
        wait_for(0);
        printf("%c%s ", c, k.name);
    }
    typedef int row[3];
    row r = { 1, wait_for(2), 3 };
    wait_for(0);
    return i.n + kind + w.half.low + r[1];
}

static pausable void work(void)
{
    int n = first();
    double d = second();
    printf("%d %.1f\n", n, d);
}

int main(void)
{
    co4_run(work());
    return 0;
}
