/* group_link_races.c - a task that ends while it is linked to a group leaves that all the same,
 * with any references to it.
 * modes: woven forced
 * needs: threads
 * expect: all have left */
#include <co4.h>
#include <stdio.h>

static pausable int nothing(void)
{
    return CO4_OK;
}

/* Links it at some moment of its life, which is short. */
static int link_one(co4_runtime *rt, int moment)
{
    co4_group *group = co4_group_create(NULL);
    co4_task *t = co4_task_create(nothing());
    co4_runtime_schedule(rt, t);
    for (volatile int spin = moment; spin > 0; spin--)
        ;
    int linked = co4_group_link(group, t);
    co4_block(co4_task_join(t));
    int err = co4_group_destroy(group);
    if (linked != CO4_OK && linked != CO4_ESTATE) /* that: it was too late */
        err = linked;
    co4_task_release(t);
    if (err != CO4_OK)
        co4_group_destroy(group);
    return err;
}

int main(void)
{
    int members = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(rt);
    for (int i = 0; i < 4000; i++)
        members += link_one(rt, i * 37 % 50021) != CO4_OK;
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    if (members > 0)
        printf("%d have ended, and not left\n", members);
    else
        printf("all have left\n");
    return 0;
}
