/* moved_types.c - types defined in an expression that may pause, which would hide other names when woven code has them before it. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

enum { K = 100 };

struct pair {
    int a;
};

typedef int number;

static pausable int enumerators(void)
{
    int r = K + (int)sizeof(enum { K = 3 }) + wait_for(1) + K; /* error at 36: 'K' is defined in an expression that may pause, and hides what that name means before it */ /* hint: give it another name */
    r += (number)wait_for(2) + (int)sizeof(enum { OTHER = 4, number }); /* error: 'number' is defined in an expression that may pause, and hides what that name means before it */
    return r;
}

static pausable int tags(struct pair *pair)
{
    int before = (int)sizeof(struct pair),
        r = wait_for(0) + ((struct pair { char c[64]; }){ { 1 } }).c[0] + (int)sizeof(struct pair); /* error: 'struct pair' is defined in an expression that may pause, and hides a type of that name that is named before it */
    return pair->a + before + r;
}

static pausable int members(struct pair *pair)
{
    return pair->a + ((struct pair *)0 == 0) + wait_for(1) + (int)sizeof(union { struct pair { long l; } p; }); /* error: 'struct pair' is defined in an expression that may pause, and hides a type of that name that is named before it */
}

static pausable int saved_local(void)
{
    int width = 40, r = 0;
    {
        r = wait_for(2) + ((enum { width = 5, V })1 == V ? 0 : 1); /* error: 'width' is defined in an expression that may pause, and hides a local that a pause in it saves */
    }
    return r + width;
}

int main(void)
{
    struct pair pair = { 1 };
    return co4_run(enumerators()) + co4_run(tags(&pair)) + co4_run(members(&pair)) + co4_run(saved_local());
}
