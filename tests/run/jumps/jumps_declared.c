/* jumps_declared.c - the call that initializes a local may jump to a setjmp behind its declaration:
 * the local is live in its own initializer, where it has no name.
 * needs: setjmp
 * expect: behind 12
 * expect: again 3 2 1 */
#include <co4.h>
#include <setjmp.h>
#include <stdio.h>

/* Returns n, or jumps with -n. */
static pausable int give(jmp_buf *buf, int n)
{
    co4_yield();
    if (n < 0)
        longjmp(*buf, -n);
    return n;
}

static pausable int behind(void)
{
    jmp_buf buf;
    const int first = give(&buf, 7);
    int code = setjmp(buf);
    if (code == 0)
        give(&buf, -5);
    return first + code;
}

/* The second call of the initializer jumps. */
static pausable void again(void)
{
    jmp_buf buf;
    volatile int round = 0;
begin:;
    int one = 1, first = one + give(&buf, round == 0 ? 1 : -3), *last = &one;
    int code = setjmp(buf);
    if (code == 0) {
        round = first;
        goto begin;
    }
    printf("again %d %d %d\n", code, round, *last);
}

static pausable int all(void)
{
    printf("behind %d\n", behind());
    again();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
