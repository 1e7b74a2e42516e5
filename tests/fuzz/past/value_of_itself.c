/* value_of_itself - an initializer that waits and reads what it initializes: nonsense, but C. */
#include <co4.h>

static pausable int leaf(int n)
{
    co4_yield();
    return n;
}

static pausable int work(void)
{
    int first = leaf(first), second = leaf(first) + second;
    return first + second;
}

int main(void)
{
    return co4_run(work()) == 1;
}
