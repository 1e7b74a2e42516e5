/* continue_in_statement_expression - continue inside statement expressions of a loop whose step
 * or condition pauses.
 * expect: 252 5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int stepping(void)
{
    int total = 0;
    for (int i = 0; i < 6; i += wait_for(1)) {
        int x = ({
            if (i == 2)
                continue;
            i;
        });
        int y = ({
                    if (i == 3)
                        continue;
                    i;
                }) +
                wait_for(2);
        if (({
                if (i == 4)
                    continue;
                i;
            }) > 100)
            total = 0;
        total = total * 10 + x + y;
    }
    return total;
}

static pausable int conditional(void)
{
    int total = 0, i = 0;
    do {
        i++;
        if (i > 3)
            return ({
                if (i == 4)
                    continue;
                i;
            });
        total++;
    } while (wait_for(i) < 6);
    return total;
}

static pausable void work(void)
{
    printf("%d ", stepping());
    printf("%d\n", conditional());
}

int main(void)
{
    co4_run(work());
    return 0;
}
