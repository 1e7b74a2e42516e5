/* types_in_expressions - types that are defined inside expressions and look at pausable calls: in
 * their assertions, sizes, members.
 * expect: 4 4 4
 * expect: 7 8
 * expect: 21
 * expect: 58 109
 * expect: 30 15 26 */
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

struct outer {
    int FOUR;
};

/* names that are the same, and mean nothing else where woven code has the types */
static pausable void names(void)
{
    struct outer o = { 40 };
    int EIGHT = 10;
    int a = o.FOUR + (int)sizeof(enum { FOUR = 4 }) + give(FOUR + EIGHT);
    int b = EIGHT + give(1) + ({
                enum { EIGHT = 8 };
                struct outer {
                    char c[EIGHT];
                } p = { "8" };
                give((int)sizeof p) + (int)sizeof(struct outer);
            });
    b += (int)sizeof(struct mine *) + give((int)sizeof(struct mine { char c[40]; })) +
         (int)sizeof(struct mine);
    printf("%d %d\n", a, b - (int)sizeof(void *) + (int)sizeof o - 2);
}

/* They are known to the end of the block, also where the statement has a label. */
static pausable int behind_labels(int n)
{
    int r = 0;
    switch (n) {
    case 1:
        r = give(1) + (int)sizeof(struct in_case { char c[10]; }) + give(2);
        r += 7 + (int)sizeof(struct in_case);
        break;
    case 2:
    again:
        r += give(1) + (int)sizeof(struct behind { char c[7]; }) + give(7);
        break;
    default:
        r = give(3) + (int)sizeof(struct in_default { char c[8]; });
        r += (int)sizeof(struct in_default) + give(7);
    }
    if (r < 0)
        goto again;
    return r;
}

int main(void)
{
    co4_run(sizes());
    co4_run(values());
    co4_run(names());
    printf("%d %d %d\n", co4_run(behind_labels(1)), co4_run(behind_labels(2)),
           co4_run(behind_labels(3)));
    return 0;
}
