/* bool_of_c23 - where `_Bool` is written, the woven text has `_Bool`, also in C23, which libclang
 * knows better than some compilers.
 * flags: -std=gnu2x
 * expect: 1 0 1 1
 * expect: 1 0 1 */
#include <co4.h>
#include <stdio.h>

pausable static int w(int n)
{
    co4_yield();
    return n;
}

struct flags {
    _Bool all[2];
    volatile _Bool one : 1;
};

pausable static _Bool same(_Bool is, const _Bool *p)
{
    w(1);
    return is == *p;
}

pausable static int all(_Bool first)
{
    _Bool t = first, many[3] = { 1, 0, 1 };
    const _Bool *p = &t;
    volatile _Bool v = 0;
    struct flags f = { .all = { 1 }, .one = 1 };
    t = w(1) && !t;
    v = w(1);
    printf("%d %d %d %d\n", v, t, f.all[0], f.one);
    printf("%d %d", same(t, p), same(!t, p));
    return printf(" %d\n", many[w(2)]) == 0;
}

int main(void)
{
    return co4_run(all(1));
}
