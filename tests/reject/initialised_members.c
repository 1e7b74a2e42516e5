/* initialised_members.c - pausable values in plain members, and plain ones in pausable members, by designators or without braces. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int plain(int n)
{
    return n;
}

struct ops {
    int n;
    union {
        struct {
            int (*plain)(int);
            pausable int (*pauses)(int);
        };
    };
};
struct all {
    struct ops ops[2];
};

struct all all = { .ops[1].plain = wait_for, /* error: 'wait_for' is pausable, but member 'plain' takes a plain function */
                   plain }; /* error: 'plain' is a plain function, but member 'pauses' takes a pausable one */
struct all flat = { 1, plain, wait_for, 2, wait_for }; /* error: 'wait_for' is pausable, but member 'plain' takes a plain function */

int main(void)
{
    return co4_run(wait_for(all.ops[0].n));
}
