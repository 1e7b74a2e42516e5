/* static_in_block.c - a static function that is declared again in a block, where C allows no
 * `static`.
 * expect: 3 5 9 */
#include <co4.h>
#include <stdio.h>

static pausable_or_plain int step(int n);
static pausable int later(int n);

static pausable int all(int n)
{
    pausable_or_plain int step(int n);
    pausable int later(int n);
    return step(n) + later(n);
}

static int plain(int n)
{
    pausable_or_plain int step(int n);
    return step(n);
}

static pausable_or_plain int step(int n)
{
    co4_yield();
    return n + 1;
}

static pausable int later(int n)
{
    return step(step(n));
}

int main(void)
{
    printf("%d ", plain(2));
    printf("%d %d\n", co4_run(all(1)), co4_run(all(3)));
    return 0;
}
