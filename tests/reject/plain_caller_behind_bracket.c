/* plain_caller_behind_bracket.c - the line of a message begins with the bracket of a call above it. */
#include <co4.h>

pausable int next(int n);
int plain(int n);
#define THREE next(3)

int work(int n)
{
    int x = plain(n
        ) + THREE; /* error at 13: 'next' is pausable */
    int next_one = x;
    return plain(next_one) + plain((next_one));
}
