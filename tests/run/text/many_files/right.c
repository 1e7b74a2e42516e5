#include "shared.h"

struct frame {
    int n;
};

static pausable struct frame helper(int n)
{
    struct frame f = { n - 1 };
    co4_yield();
    return f;
}

pausable int right(int n)
{
    return helper(n).n + left(n);
}

hook *hooks[2] = { left, right };

void set_hook(hook *h)
{
    hooks[0] = h;
}

pausable int call_hook(int n)
{
    return hooks[0](n);
}
