/* never_pauses - pausable functions that come to their end without pausing, called in all ways.
 * expect: 8 5 */
#include <co4.h>
#include <stdio.h>

struct wide {
    int n[8];
};

static pausable int quick(int n)
{
    return n;
}

static pausable struct wide quick_wide(int n)
{
    struct wide w = { { n, n + 1 } };
    return w;
}

static pausable void quick_void(int *n)
{
    ++*n;
}

static pausable int calls(int n)
{
    struct wide w = quick_wide(quick(n));
    quick_void(&w.n[0]);
    return quick(w.n[0]) + (quick(w.n[1]) ? quick_wide(4).n[0] : 0);
}

static pausable void work(void)
{
    printf("%d %d\n", calls(3), quick(calls(0)));
}

int main(void)
{
    co4_run(work());
    return 0;
}
