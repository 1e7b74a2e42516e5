/* member_behind_typedef.c - a mark on a member and a parameter whose function type is behind an unmarked typedef. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef int step(int);
typedef int (*step_pointer)(int);

struct table {
    pausable step *next; /* error: 'next' is marked pausable, but the typedef of its function type is not */
};

static pausable int work(pausable step_pointer f) /* error: 'f' is marked pausable, but the typedef of its function type is not */
{
    return f == 0 ? wait_for(1) : 0;
}

int main(void)
{
    return (int)sizeof(struct table) + co4_run(work(0));
}
