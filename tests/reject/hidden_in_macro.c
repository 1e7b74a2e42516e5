/* reject: what comes out of a macro is shown where the macro stands, and what was given to one where it was written. */
#include <stdbool.h>
#include <stddef.h>

#include <co4.h>

pausable int wait_for(int n);
pausable int wait_for(int n)
{
    co4_sleep(n);
    return n;
}

#define WAIT(n) wait_for(n) /* note at 17: in the expansion of macro 'WAIT' */
#define BOTH(a, b)     \
    do {               \
        (void)(a);     \
        wait_for(b);   /* note at 9: in the expansion of macro 'BOTH' */ \
    } while (0)

#define BOTH_ARE(a, b) ((a) && (b))
#define FIRST  wait_for(5) /* note at 16: in the expansion of macro 'FIRST' */
#define SECOND wait_for(6) /* note at 16: in the expansion of macro 'SECOND' */

bool helper(const char *text) /* note at 6: 'helper' is declared here, without the mark */
{
    int a = WAIT(1) + 1; /* error at 13: 'wait_for' is pausable and may not be called from 'helper' */
	int b = a; bool c = text != NULL && wait_for(2); /* error at 38: 'wait_for' is pausable */
    BOTH(a, b); /* error at 5: 'wait_for' is pausable */
    BOTH("é", /* error at 5: 'wait_for' is pausable */
         0);
    BOTH(wait_for(3), /* error at 5: 'wait_for' is pausable */ /* error at 10: 'wait_for' is pausable */
         c);
    b += FIRST - SECOND; /* error at 10: 'wait_for' is pausable */ /* error at 18: 'wait_for' is pausable */
    return BOTH_ARE(c, wait_for(4)); /* error at 24: 'wait_for' is pausable */
}

int main(void)
{
    return helper("") ? 1 : 0;
}
