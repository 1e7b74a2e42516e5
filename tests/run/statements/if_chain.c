/* if_chain - suspension points in the conditions and arms of an if/else chain.
 * expect: -3: negative
 * expect: 0: zero
 * expect: 4: small and even
 * expect: 7: small and odd
 * expect: 12: large */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable const char *size_of_it(int n)
{
    if (wait_for(n) < 0)
        return "negative";
    else if (wait_for(n) == 0)
        return "zero";
    else if (n < 10 && wait_for(n) % 2 == 0) {
        wait_for(0);
        return "small and even";
    } else if (n < 10)
        wait_for(1);
    else
        return wait_for(1) ? "large" : "never";
    return "small and odd";
}

static pausable void work(void)
{
    static const int tried[] = { -3, 0, 4, 7, 12 };
    for (unsigned i = 0; i < sizeof tried / sizeof *tried; i++)
        printf("%d: %s\n", tried[i], size_of_it(tried[i]));
}

int main(void)
{
    co4_run(work());
    return 0;
}
