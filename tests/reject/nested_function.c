/* reject: GNU C's functions inside functions are not woven, in pausable functions or beside them. */
/* needs: gcc */
#include <co4.h>

pausable int wait_for(int n);
pausable int wait_for(int n)
{
    co4_sleep(n);
    return n;
}

int main(void)
{
    int base = 1;
    int add(int n) /* error at 9: 'add' is a function inside a function, a GNU extension that is not woven */ /* hint: move it out to file scope */
    {
        return base + n;
    }
    auto int later(int n); /* error: 'later' is a function inside a function */
    int twice(int n) { return later(n) + later(n); } /* error at 9: 'twice' is a function inside a function */
    int later(int n) { return n; } /* error at 9: 'later' is a function inside a function */
    return add(co4_run(wait_for(1))) + twice(2);
}
