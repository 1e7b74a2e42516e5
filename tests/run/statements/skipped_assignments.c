/* skipped_assignments.c - a value from before a pause, where the paths that set it anew are not the
 * only ones: a switch without default, the right side of && and ||, one arm of ?:. The values are
 * parameters, for which a resume passes 0: a compiler could guess others.
 * expect: switch 5 1 2 7
 * expect: and 10 21 11 20
 * expect: choice 1 2 3 1
 * expect: paused 10 21 1 2 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int by_switch(int n, int x)
{
    wait_for(0);
    switch (n) {
    case 1:
        x = 1;
        break;
    case 2:
        x = 2;
        break;
    case 3:
        x = 7;
    }
    return x;
}

static pausable int by_and(int n, int x)
{
    wait_for(0);
    int r = n && (x = 2);
    return x * 10 + r;
}

static pausable int by_or(int n, int x)
{
    wait_for(0);
    int r = n || (x = 2) == 0;
    return x * 10 + r;
}

static pausable int by_choice(int n, int x)
{
    wait_for(0);
    n ? (x = n) : 0;
    return x;
}

static pausable int by_elvis(int n, int x)
{
    wait_for(0);
    int y = (n - 3) ?: (x = 3);
    return y != 0 ? x : 0;
}

static pausable int by_paused_and(int n, int x)
{
    int r = wait_for(n) && (x = 2);
    return x * 10 + r;
}

static pausable int by_paused_choice(int n, int x)
{
    wait_for(n) ? (x = wait_for(2)) : 0;
    return x;
}

static pausable int all(void)
{
    printf("switch %d %d %d %d\n", by_switch(0, 5), by_switch(1, 5), by_switch(2, 5),
           by_switch(3, 5));
    printf("and %d %d %d %d\n", by_and(0, 1), by_and(1, 1), by_or(1, 1), by_or(0, 1));
    printf("choice %d %d %d %d\n", by_choice(0, 1), by_choice(2, 1), by_elvis(3, 1),
           by_elvis(4, 1));
    printf("paused %d %d %d %d\n", by_paused_and(0, 1), by_paused_and(1, 1), by_paused_choice(0, 1),
           by_paused_choice(1, 1));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
