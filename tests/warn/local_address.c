/* local_address - locals whose addresses tasks get that outlive them. */
#include <co4.h>

struct pair {
    int a, b;
};

pausable int use(int *n);

pausable void lost(void);
pausable void lost(void)
{
    int n = 1, many[3] = { 0 };
    struct pair p = { 1, 2 };
    for (int i = 0; i < 3; i++)
        co4_spawn(
            use(&i)); /* warning: the task gets the address of 'i', and 'lost' does not wait */
    /* hint: wait for the task here, or give it the value */
    co4_spawn(use(&n));       /* warning: the task gets the address of 'n' */
    co4_spawn(use(many));     /* warning: the task gets the address of 'many' */
    co4_spawn(use(&p.b));     /* warning: the task gets the address of 'p' */
    co4_spawn(use(&many[1])); /* warning: the task gets the address of 'many' */
}

pausable int in_scope(int argument);
pausable int in_scope(int argument)
{
    return co4_scope_spawn(co4_scope_here(), use(&argument));
    /* warning: the task gets the address of 'argument', and 'in_scope' does not wait */
}

pausable co4_task *returns(void);
pausable co4_task *returns(void)
{
    int n = 1;
    return co4_spawn(use(&n)); /* warning: the task gets the address of 'n', and 'returns' does */
}

pausable int of_block(void);
pausable int of_block(void)
{
    co4_task *t, *other;
    {
        int n = 1, m = 2;
        t = co4_spawn(use(&n)); /* a join is behind it */
        co4_join(t, NULL);
        other = co4_spawn(use(&m)); /* warning: the task gets the address of 'm' */
    }
    return co4_join(other, NULL);
}

void plain(int argument);
void plain(int argument)
{
    co4_spawn(use(&argument)); /* warning: the task gets the address of 'argument', and 'plain' */
}

int plain_waits(int argument);
int plain_waits(int argument)
{
    co4_task *t = co4_spawn(use(&argument));
    return co4_block(co4_join(t, NULL));
}

pausable int waits(int *given);
pausable int waits(int *given)
{
    static int lasting;
    int n = 1, m = 2;
    struct pair *p = (struct pair *)given;
    co4_spawn(use(given));
    co4_spawn(use(&lasting));
    co4_spawn(use(&p->b)); /* not of this function */
    co4_spawn(use(&n));    /* a message may tell that it is done */
    co4_task *t = co4_spawn(use(&m));
    return co4_join(t, NULL);
}

pausable int waits(int *given);
