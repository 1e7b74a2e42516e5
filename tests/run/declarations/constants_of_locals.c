/* constants_of_locals - declarations whose constants name a local that lives across a point: of
 * prototypes, typedefs, assertions, members, enumerators, and parameters of a pointer.
 * expect: 8 4 3 8 9 8 2
 * expect: 4 12 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

struct request {
    int a, b;
    char name[8];
};

static pausable void touch(struct request *r)
{
    co4_yield();
    r->a++;
}

static int size_of(char (*name)[8])
{
    return (int)sizeof *name;
}

static pausable int use_names(void)
{
    struct request r, *p = &r;
    memset(&r, 0, sizeof r);
    int check(int failed[1 - 2 * !(sizeof(r.name) >= sizeof r.b)], int r);
    int one = 1, another(char(*name)[sizeof(r.name)]);
    typedef char also[sizeof r.a], more[sizeof r.name];
    typedef int (*function)(char(*name)[sizeof r.name]);
    _Static_assert(sizeof r.a == sizeof(int), "int");
    struct inner {
        int r;
        char b[sizeof r.name];
        unsigned c : sizeof r.a;
    } inner = { .r = 2, .c = 3 };
    enum { EIGHT = sizeof r.name, NINE = EIGHT + 1 };
    int (*pointer)(char(*name)[sizeof r.name]) = size_of;
    char name[sizeof r.name];
    touch(&r);
    co4_yield();
    touch(p);
    function f = pointer;
    printf("%d %d %u %d %d %d %d\n", f(&name), (int)sizeof(also), inner.c, (int)sizeof(more), NINE,
           (int)sizeof inner.b, r.a);
    return inner.r + one + 1;
}

static pausable int use_length(int n)
{
    int sum(int m, int rows[][n], int(*row)[m]);
    int rows[2][n];
    co4_yield();
    n++;
    return (int)(sizeof rows / sizeof **rows) * n / 2;
}

int main(void)
{
    printf("%d ", co4_run(use_names()));
    printf("%d\n", co4_run(use_length(3)));
    return 0;
}
