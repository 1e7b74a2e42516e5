/* jump.c - a longjmp to a setjmp whose function has paused since. */
#include <co4.h>

/* In place of <setjmp.h>, whose macro compilers expand with other line markers. */
typedef long jmp_buf[32];
int setjmp(jmp_buf here);
_Noreturn void longjmp(jmp_buf there, int value);

static jmp_buf failed;

static pausable int part(int n)
{
    if (co4_yield() != 0)
        longjmp(failed, n);
    return n;
}

pausable int whole(int n);

pausable int whole(int n)
{
    if (setjmp(failed) != 0)
        return -n;
    return part(n);
}
