/* pausable_argument.c - a pausable parameter given a plain function. */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int apply(pausable int (*f)(const char *), const char *text)
{
    return f(text) + wait_for(1);
}

static int plain(const char *text)
{
    return puts(text);
}

pausable int work(void);

pausable int work(void)
{
    return apply(puts, "library") +  /* error: 'puts' is a plain function, but */
           apply(plain, "own");      /* error: 'plain' is a plain function, but */ /* hint: mark 'plain' pausable */
}
