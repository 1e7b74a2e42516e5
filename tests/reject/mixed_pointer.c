/* mixed_pointer.c - pausable_or_plain is for functions: a pointer holds one kind. */
#include <co4.h>

static pausable_or_plain int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable_or_plain int (*chosen)(int) = wait_for; /* error: 'chosen' is marked pausable_or_plain, but is not a function */ /* hint: write 'pausable' */
struct entry {
    pausable_or_plain int (*serve)(int); /* error: 'serve' is marked pausable_or_plain, but is not a function */
};

int main(void)
{
    return 0;
}
