/* mark_on_data.c - a mark on what is no function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int counter; /* error: 'counter' is marked pausable, but is neither a function nor a pointer to one */

int main(void)
{
    return counter;
}
