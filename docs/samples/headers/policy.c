/* policy.c - the lead example of co4/policy.h.
 * modes: woven forced
 * expect: 5 tasks ran on the first worker */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static int to_the_first(void *data, const co4_placing *p)
{
    (void)data, (void)p;
    return 0;
}
static const co4_policy mine = { "first", to_the_first };
static atomic_int ran, elsewhere;

static pausable void work(void)
{
    ran++;
    elsewhere += co4_worker_here() != 0;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 8, .policy = &mine });
    for (int i = 0; i < 5; i++)
        co4_runtime_spawn(rt, work());
    if (co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_runtime_join(rt);
    printf("%d tasks ran %s\n", ran, elsewhere ? "elsewhere, too" : "on the first worker");
    return co4_runtime_destroy(rt);
}
