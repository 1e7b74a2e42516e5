/* mark_on_result.c - a mark on a struct member, a parameter and a typedef that are no functions. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct s {
    pausable int member; /* error: 'member' is marked pausable, but is neither a function nor a pointer to one */
};

typedef pausable int number; /* error: 'number' is marked pausable, but is neither a function nor a pointer to one */

static int plain(pausable int parameter) /* error: 'parameter' is marked pausable, but is neither a function nor a pointer to one */
{
    return parameter;
}

int main(void)
{
    struct s s = { 1 };
    number n = 2;
    return plain(s.member + n) + co4_run(wait_for(1));
}
