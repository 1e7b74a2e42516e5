/* comments.c - comments of both kinds, in all possible places, do not disturb weaving; those that
 * silence a compiler's warning (-Wimplicit-fallthrough) still do.
 * expect: 111 110 100
 * expect: 6 7 "// no comment"
 * expect: 8 */
#include <co4.h>
#include <stdio.h>

#define HUNDRED /* a macro's own */ 100 // and this

static pausable int /* of what */ wait_for(int n /* the value */) // pauses
{
    co4_yield(); // once
    return       /* after
              all */
        n;
}

static pausable int steps(int from)
{
    int sum = 0;
    switch (from) {
    case 1: // first
        sum += wait_for(1);
        /* fall through */
    case 2: {
        sum += wait_for(10); /* second */
    }
        // fallthrough
    case 3:
        if (wait_for(1)) // yes
            sum += /* third */ HUNDRED;
        /* FALLTHRU */
    default: // nothing
        break;
    }
    return sum; // done
}

static pausable int sum_of(int n)
{
    int sum = wait_for(1)             // one
              + /* two */ wait_for(2) /* and
                                         so on */
              + (n                    // a condition
                     ? wait_for(3)    // three
                     : 0              /* none */
                );
    while (/* not yet */ sum < wait_for(n) /* enough */) // so
        sum++;                                           /* and end */
    return sum; /* here */                               /* twice */
}

// clang-format off
static pausable int behind(int n)
{
    int sum = wait_for(1); /* one
    and more */ sum += 2;
    /* what a statement follows

       on its last line */ sum += wait_for(n);
    return sum;
}
// clang-format on

static pausable void work(void)
{
    printf("%d %d %d\n", steps(1), steps(2), steps(3) /* none for 4 */);
    printf("%d %d %s\n", sum_of(1), // six
           sum_of(7) /* seven */, "\"// no comment\"");
    printf("%d\n", behind(5));
}

int main(void)
{
    co4_run(work());
    return 0;
}
