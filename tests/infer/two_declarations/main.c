/* main.c - a parameter is a plain pointer in one declaration and a marked typedef in the other, in
 * two files.
 * infer: +pausable int run(pausable int (*f)(void *), void *arg);
 * expect: 4 */
#include "run.h"
#include <stdio.h>

static int add_one(void *n)
{
    return *(int *)n + 1;
}

int main(void)
{
    int n = 3;
    printf("%d\n", run(add_one, &n));
    return 0;
}
