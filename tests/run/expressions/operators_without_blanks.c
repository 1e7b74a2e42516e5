/* operators_without_blanks - an operator that is a word, and brackets right behind it that leave
 * nothing but a name.
 * flags: -Wno-pedantic
 * expect: 2 3 4 5 6 7
 * expect: 3 of 3 */
#include <co4.h>
#include <stdio.h>

pausable static int w(int n)
{
    co4_yield();
    return n;
}

#define THRICE(e)                                                                                  \
    __extension__({                                                                                \
        __label__ again;                                                                           \
        int k_ = 0;                                                                                \
    again:                                                                                         \
        k_ += (e);                                                                                 \
        if (k_ < 3)                                                                                \
            goto again;                                                                            \
        k_;                                                                                        \
    })

pausable static int words(int first)
{
    int acc = 1;
    acc += __extension__({ w(first); });
    printf("%d", acc);
    acc = 1 + (int)__real__({ w(2); });
    printf(" %d", acc);
    acc = 4 + (int)__imag__({
              double _Complex c = w(2);
              c;
          });
    printf(" %d", acc);
    acc = (int)__real__(w(1), w(5)) + __extension__(w(0));
    printf(" %d", acc);
    acc = __extension__({ w(4); }) + ({ w(2); });
    printf(" %d", acc);
    if (acc)
        acc = -({ w(1); }) + 4 - -({ w(4); });
    else
        ({ w(1); });
    do
        ({ printf(" %d\n", acc); });
    while (({ w(0); }));
    return ({ THRICE(w(1)); });
}

int main(void)
{
    printf("%d of 3\n", co4_run(words(1)));
    return 0;
}
