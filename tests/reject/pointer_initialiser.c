/* pointer_initialiser.c - a plain member, element or compound literal initialised with a pausable function. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct table {
    int n;
    int (*step)(int);
};

static struct table one = { 1, wait_for };                      /* error: 'wait_for' is pausable, but */
static const struct table two[] = { { .n = 2, .step = wait_for } }; /* error: 'wait_for' is pausable, but */
static int (*const steps[])(int) = { 0, &wait_for };            /* error: '&wait_for' is pausable, but */

int main(void)
{
    const struct table *p = &(struct table){ 3, wait_for }; /* error: 'wait_for' is pausable, but */
    return one.n + two[0].n + (steps[0] == 0) + p->n;
}
