/* global_state - globals and thread-wide state are read after a pause, not before.
 * expect: 54 104 2 1 1 18 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int total, counts[3];
static struct {
    int n;
} state;

static pausable int bump(int by)
{
    total += by;
    counts[by % 3]++;
    state.n = by;
    co4_yield();
    total += by;
    return by;
}

static pausable void work(void)
{
    int local = total;
    bump(1);
    local += total;
    if (bump(2) + total > 7)
        local += state.n;
    while (total < 20)
        bump(total);
    local += counts[wait_for(2)] * 100;
    printf("%d %d %d %d %d %d\n", total, local, counts[0], counts[1], counts[2], state.n);
}

int main(void)
{
    co4_run(work());
    return 0;
}
