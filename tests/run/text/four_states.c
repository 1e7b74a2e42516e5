/* four_states.c - each of the four states in which a call can return (abi.h) is met.
 *
 * Both leaf() calls of pair() return without pausing: the first in the direct entry, the second in
 * the resume entry, for the forced pause lies between them. Both co4_yield() calls of twice()
 * pause: the first on the way in, the second after a resume.
 *
 * modes: forced
 * expect: 7 2
 * expect: not pausing, no state: met
 * expect: pausing, no state: met
 * expect: not pausing, has state: met
 * expect: pausing, has state: met */
#include <co4.h>
#include <stdio.h>

pausable int leaf(int n)
{
    return n;
}

pausable int pair(int a, int b)
{
    int first = leaf(a);
    return first + leaf(b);
}

pausable int twice(void)
{
    int done = 0;
    done += co4_yield() == CO4_OK;
    done += co4_yield() == CO4_OK;
    return done;
}

static void show(const char *what, co4_abi_state state)
{
    unsigned long long counts[4];
    co4_abi_state_counts(counts);
    printf("%s: %s\n", what, counts[state] > 0 ? "met" : "never met");
}

int main(void)
{
    int sum = co4_run(pair(3, 4));
    printf("%d %d\n", sum, co4_run(twice()));
    show("not pausing, no state", CO4_NOT_PAUSING__NO_STATE);
    show("pausing, no state", CO4_PAUSING__NO_STATE);
    show("not pausing, has state", CO4_NOT_PAUSING__HAS_STATE);
    show("pausing, has state", CO4_PAUSING__HAS_STATE);
    return 0;
}
