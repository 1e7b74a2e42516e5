/* types_in_expressions - types that are defined inside expressions and look at pausable calls: in
 * their assertions, sizes, members.
 * expect: 4 4 4
 * expect: 7 8
 * expect: 21 */
#include <co4.h>
#include <stdio.h>

static pausable int give(int n)
{
    co4_yield();
    return n;
}

static pausable void sizes(void)
{
    printf("%d %d %d\n", (int)sizeof(struct {
               _Static_assert(__builtin_types_compatible_p(__typeof__(give(7)), int), "an int");
               int n;
           }),
           (int)sizeof(struct { char c[sizeof(give(2))]; }),
           (int)_Alignof(struct { __typeof__(give(3)) n; }));
}

static pausable void values(void)
{
    struct two {
        int a, b;
    };
    int a = ((struct { __typeof__(give(1)) n; }){ give(7) }).n;
    int b = (int)(enum { EIGHT = 2 * sizeof(give(1)) }) give(8);
    printf("%d %d\n", a, b);
    printf("%d\n", give(EIGHT) + (int)sizeof(struct { char c[sizeof(give(2)) + 1]; }) + give(8));
}

int main(void)
{
    co4_run(sizes());
    co4_run(values());
    return 0;
}
