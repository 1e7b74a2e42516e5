/* marked_pointer.c - a pausable pointer given a plain function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int plain(int n)
{
    return n;
}

struct table {
    pausable int (*step)(int);
};

pausable int work(void);

pausable int work(void)
{
    pausable int (*f)(int) = plain; /* error: 'plain' is a plain function, but */ /* hint: mark 'plain' pausable */
    struct table t = { plain };     /* error: 'plain' is a plain function, but */
    return f(1) + t.step(1);
}
