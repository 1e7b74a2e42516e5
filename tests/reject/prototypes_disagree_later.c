/* prototypes_disagree_later.c - the second declaration lacks the mark of the first. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int early(int n);

int early(int n) /* error: 'early' is pausable in another declaration, but not in this one */
{
    return n;
}

int main(void)
{
    return co4_run(wait_for(1));
}
