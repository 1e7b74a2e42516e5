/* expression.c - suspension points inside an expression, taken out left to right. */
#include <co4.h>

pausable int ask(int n);
int plain(int n);
pausable int work(int n);

pausable int work(int n)
{
    if (plain(n) && ask(n + 1) > 2)
        return plain(1) + ask(2) * plain(3);
    return n > 0 ? ask(n) : -1;
}
