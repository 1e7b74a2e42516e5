/* for_header - a suspension point in every part of a for header.
 * expect: ic0sc1sc2sc
 * expect: icbscbscbsc -1
 * expect: iss 2
 * expect: c-c-c-c-c
 * expect: sss -1 */
#include <co4.h>
#include <stdio.h>

static pausable int at(char c, int value)
{
    putchar(c);
    co4_yield();
    return value;
}

static pausable void work(void)
{
    for (int i = at('i', 0); i < at('c', 3); i += at('s', 1))
        printf("%d", i);
    putchar('\n');

    int n;
    for (n = at('i', 5); at('c', n) > 0; n -= at('s', 2)) {
        at('b', 0);
    }
    printf(" %d\n", n);

    for (at('i', 0), n = 0; n < 2; at('s', 0), n++)
        ;
    printf(" %d\n", n);

    n = 4;
    for (; at('c', n); n--)
        putchar('-');
    putchar('\n');
    for (n = 3;; at('s', 0))
        if (n-- == 0)
            break;
    printf(" %d\n", n);
}

int main(void)
{
    co4_run(work());
    return 0;
}
