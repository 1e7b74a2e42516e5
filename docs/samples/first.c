/* first.c - a function that yields, called from main.
 * expect: one 1
 * expect: one 2
 * expect: ended with 2 */
#include <co4.h>
#include <stdio.h>

pausable int count(const char *name, int n)
{
    for (int i = 1; i <= n; i++) {
        co4_yield();
        printf("%s %d\n", name, i);
    }
    return n;
}

int main(void)
{
    printf("ended with %d\n", co4_run(count("one", 2)));
}
