/* variadic.c - arguments that a caller of a pausable variadic function cannot lay out. */
#include <co4.h>

typedef float vector __attribute__((vector_size(16)));
struct aligned {
    _Alignas(32) int a;
};
struct empty {};

pausable int wait_for(int n)
{
    return co4_yield() + n;
}

pausable int first(int n, ...)
{
    return wait_for(n);
}

typedef pausable int chosen(int n, ...);

pausable int calls(chosen *f)
{
    vector v = { 0 };
    struct aligned a = { 0 };
    struct empty e;
    int n = first(1, 2, v); /* error: argument 3 of 'first', which is pausable and variadic, has a type that cannot be passed so: woven code cannot write it */ /* hint: pass a pointer to it */
    n += first(1, a); /* error: argument 2 of 'first', which is pausable and variadic, has a type that cannot be passed so: it is aligned more than the stack */
    n += first(1, e); /* error: has a type that cannot be passed so */
    return n + f(1, a); /* error: argument 2 of 'f', which is pausable and variadic */
}

pausable int no_more(struct aligned a, int n, ...)
{
    return a.a + wait_for(n);
}

pausable int named(void)
{
    struct aligned a = { 0 };
    return no_more(a, 1, 2);
}
