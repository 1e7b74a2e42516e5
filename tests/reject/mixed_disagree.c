/* mixed_disagree.c - one declaration says pausable_or_plain, another only pausable. */
#include <co4.h>

pausable_or_plain int later(int n);

pausable int later(int n) /* error: 'later' is pausable_or_plain in another declaration, but only pausable in this one */ /* hint: the same mark */
{
    co4_yield();
    return n;
}
