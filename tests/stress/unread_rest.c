/* unread_rest.c - where libclang makes something else of a declaration, what it makes of the rest
 * of it is not believed either.
 * needs: gcc's address spaces, for libclang knows clang's
 * plain: peek */
#include <stdio.h>

#ifdef __clang__
#error "not those"
#endif

static int __seg_gs here, there;

static int peek(int n)
{
    return n > 100 ? here : n > 50 ? there : n;
}

static int next(int n)
{
    return n + 1;
}

int main(void)
{
    printf("%d %d\n", next(1), peek(next(2)));
    return 0;
}
