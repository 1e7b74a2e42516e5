/* back_to_first - one function that waits in turn at each of its points, in an order the input
 * decides.
 * expect: 60407 105 30204 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int machine(const char *program)
{
    int a = 0, b = 1, steps = 0;
next:
    steps++;
    switch (*program++) {
    case '+':
        a += wait_for(b);
        goto next;
    case '*':
        b *= wait_for(2);
        goto next;
    case '-':
        if (wait_for(a) > 0)
            a--;
        goto next;
    case 's': {
        int t = a;
        a = wait_for(b);
        b = t;
        goto next;
    }
    case 'l':
        program -= wait_for(a) < 20 ? 4 : 1;
        goto next;
    case '\0':
        break;
    default:
        wait_for(0);
        goto next;
    }
    return a * 10000 + b * 100 + steps;
}

static pausable void work(void)
{
    printf("%d %d ", machine("+*+*+-"), machine("s s?"));
    printf("%d\n", machine("+*+"));
}

int main(void)
{
    co4_run(work());
    return 0;
}
