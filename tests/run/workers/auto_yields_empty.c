/* auto_yields_empty.c - loops that have nothing in them get a pause, too.
 * weave: --auto-yields
 * expect: 3 4 5 2 1 6 */
#include <co4.h>
#include <stdio.h>

static int turns(int *left)
{
    return (*left)--;
}

static pausable void loops(void)
{
    int n = 0, left = 4, down = 2;
    for (n = 0; n < 3; n++) {
    }
    printf("%d ", n);
    while (n++ < 3)
        ;
    printf("%d ", n);
    do {
    } while (n++ < 4);
    printf("%d ", n);
    while (turns(&left) > 3) {
    }
    printf("%d ", left);
    for (; turns(&down) > 1;) {
        /* nothing */
    }
    printf("%d ", down + 1);
    for (n = 0; n < 6; n++) {
        {
        }
    }
    printf("%d\n", n);
}

int main(void)
{
    co4_run(loops());
    return 0;
}
