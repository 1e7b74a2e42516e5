/* group_races - tasks of a group that never run are released by one thread while another cancels
 * the group: each is freed once, and the group knows of none of them.
 * modes: woven
 * needs: threads workers
 * expect: 100 rounds, 4000 tasks each: every group was empty, nothing is left: 0 */
#include <co4.h>
#include <co4/test.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 100, TASKS = 4000 };

static co4_task *tasks[TASKS];
static atomic_int at; /* of both threads: how many have come to the start of a round */

static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable void runs(void)
{
    abort(); /* none does */
}

/* Neither thread goes on before both have come here for the n-th time. */
static void meet(int n)
{
    atomic_fetch_add(&at, 1);
    for (int looks = 0; atomic_load(&at) < 2 * n; looks++)
        if (looks > 10000) /* else the two would not start together */
            sched_yield();
}

static void *releases(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        meet(2 * round + 1);
        for (int i = 0; i < TASKS; i++)
            co4_task_release(tasks[i]);
        meet(2 * round + 2);
    }
    return arg;
}

static void start(pthread_t *thread)
{
    must(-pthread_create(thread, NULL, releases, NULL));
}

static void end(pthread_t thread)
{
    pthread_join(thread, NULL);
}

static void round_of_both(int round, co4_group *group)
{
    for (int i = 0; i < TASKS; i++) {
        tasks[i] = co4_task_create(runs());
        must(co4_group_link(group, tasks[i]));
    }
    meet(2 * round + 1);
    must(co4_group_cancel(group, CO4_ECANCELED));
    meet(2 * round + 2);
}

int main(void)
{
    pthread_t thread;
    int empty = 0;
    long long before = co4_test_pool_live();
    start(&thread);
    for (int round = 0; round < ROUNDS; round++) {
        co4_group *group = co4_group_create(NULL);
        round_of_both(round, group);
        empty += co4_group_destroy(group) == CO4_OK;
    }
    end(thread);
    if (empty == ROUNDS)
        printf("%d rounds, %d tasks each: every group was empty, nothing is left: %lld\n", ROUNDS,
               TASKS, co4_test_pool_live() - before);
    return 0;
}
