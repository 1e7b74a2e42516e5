/* exit_races - notices ordered and taken back while tasks end on four workers, into a mailbox that
 * is mostly full; and selects over the ends: each notice comes once.
 * modes: woven forced
 * expect: 4000 ordered, as many came or were taken back; 4000 ends seen */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WATCHERS = 4, EACH = 1000 };

static co4_mailbox *ends;
static atomic_long ordered, taken_back, came, seen;

static pausable int brief(int n)
{
    for (int i = 0; i < n % 4; i++)
        co4_yield();
    return n;
}

static pausable void watch(int self)
{
    for (int i = 0; i < EACH; i++) {
        co4_task *t = co4_task_create(brief(i + self)), *u = co4_task_create(brief(i / 2));
        co4_runtime_schedule(NULL, t);
        co4_runtime_schedule(NULL, u);
        if (i % 3 == 0)
            co4_yield();
        if (co4_task_notify_exit(t, ends, NULL) == CO4_OK)
            atomic_fetch_add(&ordered, 1);
        co4_case cases[] = { CO4_CASE(co4_task_source(t), NULL),
                             CO4_CASE(co4_task_source(u), NULL) };
        int which = co4_select_until(cases, 2, 0, co4_now() + 3600 * CO4_SEC);
        if (i % 5 == 0 && co4_task_forget_exit(t, ends) == CO4_OK)
            atomic_fetch_add(&taken_back, 1);
        if (which >= 0)
            cases[which].source = NULL;
        if (which >= 0 && co4_select(cases, 2) == 1 - which)
            atomic_fetch_add(&seen, 1);
        co4_task_release(t);
        co4_task_release(u);
    }
}

static pausable void count(void)
{
    co4_exit e;
    while (co4_mailbox_receive(ends, &e) == CO4_OK)
        atomic_fetch_add(&came, 1);
}

static pausable void all(void)
{
    co4_task *t[WATCHERS];
    for (int i = 0; i < WATCHERS; i++)
        co4_runtime_schedule(NULL, t[i] = co4_task_create(watch(i)));
    for (int i = 0; i < WATCHERS; i++) {
        co4_task_join(t[i]);
        co4_task_release(t[i]);
    }
    int64_t end = co4_now() + 20 * CO4_SEC;
    while (atomic_load(&came) + atomic_load(&taken_back) < atomic_load(&ordered) && co4_now() < end)
        co4_yield();
    co4_mailbox_close(ends);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    ends = co4_mailbox_create(sizeof(co4_exit), 1);
    co4_runtime_spawn(rt, all());
    co4_runtime_spawn(rt, count());
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    printf("%ld ordered, %s; %ld ends seen\n", atomic_load(&ordered),
           atomic_load(&came) + atomic_load(&taken_back) == atomic_load(&ordered)
               ? "as many came or were taken back"
               : "some are lost",
           atomic_load(&seen));
    co4_mailbox_destroy(ends);
    co4_runtime_destroy(rt);
    return 0;
}
