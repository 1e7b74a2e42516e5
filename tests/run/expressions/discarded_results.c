/* discarded_results - results of all sizes that no caller uses.
 * expect: 10 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct wide {
    char b[100];
};
struct small {
    int a, b, c;
};

static pausable struct wide wide(int n)
{
    struct wide w = { { (char)n } };
    co4_yield();
    return w;
}

static pausable struct small small(int n)
{
    co4_yield();
    return (struct small){ n, n, n };
}

static pausable double real(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int n = 3;
    wide(n);
    (void)wide(2);
    small(1);
    (void)small(2);
    real(n);
    n = (wide(1), small(1), real(1), 4) + n;
    for (wide(0); n < 9; small(n), n++)
        real(n), wide(n);
    n ? (void)wide(1) : (void)real(2);
    printf("%d\n", n + wait_for(1));
}

int main(void)
{
    co4_run(work());
    return 0;
}
