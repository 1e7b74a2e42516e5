/* policies - which worker gets a task: the stock's choices, windows of a batch, one of one's own;
 * wrong options are refused.
 * expect: windows of 22 by 8: 5 12 21 5 12 21
 * expect: all of 22: 12
 * expect: round robin: 0 1 2 21 0
 * expect: here, with a little more than the least: 2; with too much: 0
 * expect: the slack is capped: 1
 * expect: wrong: -2002 -2002 -2002 -2002 NULL NULL
 * expect: tasks ran: 60, elsewhere than chosen: 0 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static void stock(void)
{
    unsigned loads[22];
    for (unsigned i = 0; i < 22; i++)
        loads[i] = 100 + i % 7;
    loads[5] = 3;
    loads[12] = 1;
    loads[21] = 2;
    printf("windows of 22 by 8:");
    for (unsigned turn = 0; turn < 6; turn++)
        printf(" %d", co4_policy_try(&co4_policy_windows, NULL, loads, 22, 8, turn, -1));
    printf("\nall of 22: %d\n",
           co4_policy_try(&co4_policy_least_loaded, NULL, loads, 22, 8, 0, -1));
    printf("round robin:");
    for (unsigned turn = 0; turn < 3; turn++)
        printf(" %d", co4_policy_try(&co4_policy_round_robin, NULL, loads, 22, 8, turn, 3));
    for (unsigned turn = 21; turn < 23; turn++)
        printf(" %d", co4_policy_try(&co4_policy_round_robin, NULL, loads, 22, 8, turn, 3));
    unsigned few[] = { 4, 9, 6 }, many[] = { 100000, 100257 };
    printf("\nhere, with a little more than the least: %d; with too much: %d\n",
           co4_policy_try(&co4_policy_windows, NULL, (unsigned[]){ 5, 9, 6 }, 3, 8, 0, 2),
           co4_policy_try(&co4_policy_windows, NULL, few, 3, 8, 0, 2));
    many[1]++;
    int over = co4_policy_try(&co4_policy_windows, NULL, many, 2, 8, 0, 1);
    many[1]--;
    printf("the slack is capped: %d\n",
           over == 0 ? co4_policy_try(&co4_policy_windows, NULL, many, 2, 8, 0, 1) : -1);
}

static int nonsense(void *data, const co4_placing *p)
{
    (void)data;
    return (int)p->workers + 7;
}

static int to_data(void *data, const co4_placing *p)
{
    unsigned long all = 0;
    for (unsigned i = 0; i <= p->workers; i++)
        all += co4_placing_load(p, i);
    return all > 1000000 ? -1 : *(int *)data;
}

static const co4_policy mine = { "mine", to_data }, none = { "none", NULL },
                        wild = { "wild", nonsense };

static const char *made(const co4_runtime_options *options)
{
    return co4_runtime_create(options) ? "made" : "NULL";
}

static void wrong(void)
{
    unsigned loads[] = { 1, 2 };
    printf("wrong: %d %d %d %d %s %s\n", co4_policy_try(NULL, NULL, loads, 2, 8, 0, -1),
           co4_policy_try(&none, NULL, loads, 2, 8, 0, -1),
           co4_policy_try(&mine, NULL, NULL, 2, 8, 0, -1),
           co4_policy_try(&mine, NULL, loads, 0, 8, 0, -1),
           made(&(co4_runtime_options){ .workers = 2, .policy = &none }),
           made(&(co4_runtime_options){ .workers = 2, .step_budget = -1 }));
    if (co4_policy_try(&wild, NULL, loads, 2, 8, 0, 1) != 1 ||
        co4_policy_try(&wild, NULL, loads, 2, 8, 0, -1) != 0)
        printf("a worker that is none is taken\n");
}

static atomic_int ran, elsewhere;

static pausable void where(int expected)
{
    ran++;
    if (expected >= 0 && co4_worker_here() != expected)
        elsewhere++;
}

/* From this thread, which is no worker, so each task comes to where the policy says. */
static void own(const co4_policy *policy, int to, int expected)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){
        .workers = 3, .policy = policy, .policy_data = &to, .rescue_after = -1 });
#ifdef CO4_PLAIN
    expected = -1;
#endif
    for (int i = 0; i < 20; i++)
        co4_runtime_spawn(rt, where(expected));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
}

int main(void)
{
    stock();
    wrong();
    own(&mine, 2, 2);
    own(&wild, 1, 0);
    own(&mine, 1, 1);
    printf("tasks ran: %d, elsewhere than chosen: %d\n", ran, elsewhere);
    return 0;
}
