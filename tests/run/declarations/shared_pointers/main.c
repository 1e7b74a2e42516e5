/* shared_pointers - pointers to pausable functions in variables that several files know, declared
 * in a header, in a block, tentatively and with an initializer.
 *
 * expect: 12 10 7 */
#include "hooks.h"

#include <stdio.h>

pausable int (*late)(int);

static pausable int twice(int x)
{
    extern handler *table[2];
    return hook(x) + table[1](x);
}

static pausable int through_late(int x)
{
    return late(x);
}

int main(void)
{
    int first = co4_run(twice(3));
    hook = table[0];
    int second = co4_run(twice(2));
    late = table[0];
    printf("%d %d %d\n", first, second + (sizeof table != 2 * sizeof hook),
           co4_run(through_late(3)));
    return 0;
}
