/* scope_jump_in - a resume enters scopes whose locals have initialisers, without running them
 * again.
 * expect: 7 0 0 7, 18 1 10 7, 29 2 20 7, made 12 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int made;

static int make(int n)
{
    made++;
    return n;
}

static pausable void work(void)
{
    for (int i = 0; i < 3; i++) {
        int first = make(i), second = make(10 * i);
        const int third = make(7);
        wait_for(0);
        {
            int deeper = make(first + second), *p = &deeper;
            wait_for(0);
            *p += third;
            wait_for(0);
            printf("%d ", deeper);
        }
        printf("%d %d %d, ", first, second, third);
    }
    printf("made %d\n", made);
}

int main(void)
{
    co4_run(work());
    return 0;
}
