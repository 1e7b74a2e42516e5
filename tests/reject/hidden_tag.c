/* hidden_tag.c - two structs of one name in a function, where woven code has to name the outer one inside the inner one's scope, and one is meant where libclang does not show it. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int work(int n);

pausable int work(int n)
{
    struct s {
        int a;
    } x = { n }, *p = &x;
    p->a += wait_for(1);
    {
        struct s { /* error: two types of 'work' are called 'struct s', and one is needed across a suspension point */ /* hint: give one of them another name */
            double d;
        } y = { 1.5 };
        x.a += wait_for(2) + (int)y.d;
    }
    int c = _Generic(x, struct s: 1, default: 2);
    return p->a + c;
}
