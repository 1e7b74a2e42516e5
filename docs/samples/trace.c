/* trace.c - something to look at: two cooks, a waiter that selects, guests that wait; with
 * CO4_TRACE=trace.json a trace of it.
 * modes: woven forced
 * expect: 12 meals */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

#define MEALS 6

struct kitchen {
    co4_mailbox *soups, *cakes;
    co4_mailbox *table;
};

/* Represents work. */
static void work(int64_t ns)
{
    for (int64_t until = co4_now() + ns; co4_now() < until;)
        ;
}

static pausable int cook(co4_mailbox *out, int64_t ns, const char *name)
{
    co4_task_set_name(co4_self(), name);
    for (int i = 0; i < MEALS; i++) {
        work(ns);
        co4_mailbox_send(out, &i);
        co4_sleep(40 * CO4_US);
    }
    return CO4_OK;
}

static pausable int waiter(struct kitchen *k)
{
    co4_task_set_name(co4_self(), "waiter");
    for (int i = 0, meal; i < 2 * MEALS; i++) {
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(k->soups), &meal),
                             CO4_CASE(co4_mailbox_source(k->cakes), &meal) };
        if (co4_select(cases, 2) < 0)
            return CO4_EINVAL;
        work(20 * CO4_US);
        co4_mailbox_send(k->table, &meal);
    }
    int late; // no more are cooked: however the tasks ran, this select waits
    co4_case last[] = { CO4_CASE(co4_mailbox_source(k->soups), &late),
                        CO4_CASE(co4_mailbox_source(k->cakes), &late) };
    return co4_select_until(last, 2, 0, co4_now() + 50 * CO4_US) == CO4_ETIMEDOUT ? CO4_OK
                                                                                  : CO4_EINVAL;
}

static pausable int guest(struct kitchen *k, atomic_int *eaten)
{
    co4_task_set_name(co4_self(), "guest");
    for (int i = 0, meal; i < MEALS; i++) {
        co4_mailbox_receive(k->table, &meal);
        work(60 * CO4_US);
        atomic_fetch_add(eaten, 1);
    }
    return CO4_OK;
}

int main(void)
{
    atomic_int eaten = 0;
    struct kitchen k = { co4_mailbox_create(sizeof(int), 1), co4_mailbox_create(sizeof(int), 1),
                         co4_mailbox_create(sizeof(int), 0) };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, cook(k.soups, 50 * CO4_US, "soups"));
    co4_runtime_spawn(rt, cook(k.cakes, 90 * CO4_US, "cakes"));
    co4_runtime_spawn(rt, waiter(&k));
    co4_runtime_spawn(rt, guest(&k, &eaten));
    co4_runtime_spawn(rt, guest(&k, &eaten));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("%d meals\n", atomic_load(&eaten));
    co4_mailbox_destroy(k.soups);
    co4_mailbox_destroy(k.cakes);
    co4_mailbox_destroy(k.table);
    return 0;
}
