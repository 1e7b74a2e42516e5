/* reserved_names.c - locals, parameters, enumerators and labels with names of woven code. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int own(int n)
{
    return wait_for(n);
}

pausable int work(int co4_n);

pausable int work(int co4_n) /* error: 'co4_n': names that begin with co4_ */
{
    enum { co4_none, some };          /* error: 'co4_none': names that begin with co4_ */
    int co4_f = wait_for(co4_n);      /* error: 'co4_f': names that begin with co4_ */
    for (int co4 = 0; co4 < 2; co4++) /* error: 'co4': names that begin with co4_ */
        co4_f += wait_for(co4);
    if (co4_f < 4)
        goto co4_resume_1;
    goto co4;
co4_resume_1: /* error: 'co4_resume_1': names that begin with co4_ */
    co4_f += own(2);
co4: /* no label of woven code */
    return co4_f + own(1);
}
