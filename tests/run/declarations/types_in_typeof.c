/* types_in_typeof.c - types that an operand of typeof or an initializer defines, of locals in the
 * frame: the declaration is written without that operand.
 * expect: 3 4 5 6
 * expect: 7 8 9
 * expect: 10 11
 * flags: -std=gnu11 */
#include <co4.h>
#include <stdio.h>

static pausable void set(int *to, int n)
{
    co4_yield();
    *to = n;
}

static pausable void structs(void)
{
    /* the second one has the name of the first */
    struct pair {
        int a, b;
    } first = { 3, 4 };
    __typeof__(({
        struct pair {
            int c, d;
        } inner = { 1, 2 };
        inner;
    })) second,
        *pointer = &second;
    set(&first.a, 3);
    set(&second.c, 5);
    set(&pointer->d, 6);
    printf("%d %d %d %d\n", first.a, first.b, second.c, pointer->d);
}

static pausable void arrays(void)
{
    __typeof__(({
        struct {
            int n;
        } unnamed = { 0 };
        unnamed;
    })) all[2];
    __typeof__(sizeof(struct sized { int n; })) size = 0;
    struct sized later;
    set(&all[0].n, 7);
    set(&all[1].n, 8);
    set(&later.n, 9);
    size += sizeof later;
    printf("%d %d %d\n", all[0].n, all[1].n, size == sizeof(int) ? later.n : 0);
}

static pausable void initializers(void)
{
    __auto_type own = ({
        struct own {
            int a, b;
        } inner = { 10, 0 };
        inner;
    });
    set(&own.b, own.a + 1);
    printf("%d %d\n", own.a, own.b);
}

static pausable int all_of_them(void)
{
    structs();
    arrays();
    initializers();
    return 0;
}

int main(void)
{
    return co4_run(all_of_them());
}
