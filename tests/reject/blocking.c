/* blocking - what co4_blocking does not take, and where it may not stand. */
#include <co4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static int plain(int n)
{
    return n;
}

static pausable int pauses(int n)
{
    co4_yield();
    return n;
}

static int list(const char *format, va_list arguments)
{
    return vprintf(format, arguments);
}

static jmp_buf where;

static pausable int work(int n)
{
    n += co4_blocking(pauses(n));         /* error: co4_blocking takes a call of an ordinary function, and 'pauses' is pausable */ /* hint: call it directly: it pauses by itself */
    n += co4_blocking(n);                 /* error: co4_blocking takes a call of an ordinary function */ /* hint: write the call itself: co4_blocking(f(x)) */
    n += co4_blocking(plain(n) + 1);      /* error: co4_blocking takes a call of an ordinary function */
    n += co4_blocking(printf("%d\n", n)); /* error: co4_blocking cannot keep the arguments of 'printf', which is variadic */ /* hint: enter a function of fixed parameters that calls it */
    co4_blocking(__builtin_alloca(8));    /* error: '__builtin_alloca' belongs to the function that calls it: co4_blocking cannot call it elsewhere */ /* hint: call it in a function of your own */
    n += co4_blocking(setjmp(where));     /* error: belongs to the function that calls it: co4_blocking cannot call it elsewhere */
    return n;
}

static pausable int lists(int n, ...)
{
    va_list v;
    va_start(v, n);
    n += co4_blocking(list("%d", v)); /* error: co4_blocking cannot keep a va_list: it reads the arguments of a call that ends before */ /* hint: format the text, before */
    va_end(v);
    return n;
}

static pausable int calls_lists(void)
{
    return lists(1, 2);
}

static int not_pausable(int n)
{
    return co4_blocking(plain(n)); /* error: co4_blocking pauses, which only a pausable function may */ /* hint: mark 'not_pausable' pausable, or call directly */
}

static int unknown();

static pausable int calls_unknown(void)
{
    return co4_blocking(unknown(1)); /* error: co4_blocking cannot keep the arguments of 'unknown', whose parameters are not known */ /* hint: declare it with its parameters */
}

static int unknown(n)
    int n;
{
    return n;
}

int main(void)
{
    return co4_run(work(1)) + not_pausable(2) + co4_run(calls_unknown()) + co4_run(calls_lists());
}
