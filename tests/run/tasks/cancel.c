/* cancel - a task that is cancelled comes out of any wait, goes on to its end, and gets the code at
 * every pause from then on. A shield delays that; the first reason stays.
 * modes: woven forced
 * expect: get: the task was cancelled, 7
 * expect: put: the task was cancelled, 7
 * expect: sleep: the task was cancelled, 7
 * expect: join: the task was cancelled, 7
 * expect: get until: the task was cancelled, 7
 * expect: put until: the task was cancelled, 7
 * expect: before its first step: the task was cancelled, -2007
 * expect: again: the task was cancelled / the task was cancelled / the task was cancelled
 * expect: shielded: no error 42, then the task was cancelled
 * expect: nothing lost: 1 2 3
 * expect: deadline: the deadline has passed, then the task was cancelled
 * expect: stopped: not possible in this state
 * expect: wrong: an argument is not acceptable not possible in this state */
#include <co4.h>
#include <stdio.h>

struct place {
    co4_mailbox *empty, *full;
    co4_task *endless;
};

typedef pausable int waits(struct place *p);

static pausable int in_get(struct place *p)
{
    int n;
    return co4_mailbox_receive(p->empty, &n);
}

static pausable int in_put(struct place *p)
{
    int n = 9;
    return co4_mailbox_send(p->full, &n);
}

static pausable int in_sleep(struct place *p)
{
    (void)p;
    return co4_sleep(3600 * CO4_SEC);
}

static pausable int in_join(struct place *p)
{
    return co4_task_join(p->endless);
}

static pausable int in_get_until(struct place *p)
{
    int n;
    return co4_mailbox_receive_until(p->empty, &n, co4_now() + 3600 * CO4_SEC);
}

static pausable int in_put_until(struct place *p)
{
    int n = 9;
    return co4_mailbox_send_until(p->full, &n, co4_now() + 3600 * CO4_SEC);
}

static pausable void tell(const char *name, waits *wait, struct place *p)
{
    int err = wait(p);
    printf("%s: %s, %d\n", name, co4_strerror(err), co4_task_cancelled(co4_self()));
}

static pausable void try_each(struct place *p)
{
    static const struct {
        const char *name;
        waits *wait;
    } all[] = { { "get", in_get },
                { "put", in_put },
                { "sleep", in_sleep },
                { "join", in_join },
                { "get until", in_get_until },
                { "put until", in_put_until } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        co4_task *t = co4_task_create(tell(all[i].name, all[i].wait, p));
        co4_runtime_schedule(NULL, t);
        while (co4_task_state_of(t) != CO4_TASK_PAUSED)
            co4_yield();
        co4_task_cancel(t, 7);
        co4_task_cancel(t, 8);
        co4_task_join(t);
        co4_task_release(t);
    }
}

static pausable void again(struct place *p)
{
    int a = co4_yield(), b = co4_sleep(CO4_US), c = in_get(p);
    printf("again: %s / %s / %s\n", co4_strerror(a), co4_strerror(b), co4_strerror(c));
}

static pausable void shielded(co4_mailbox *mb)
{
    int n = 0;
    co4_shield_begin();
    int err = co4_mailbox_receive(mb, &n);
    co4_shield_end();
    printf("shielded: %s %d, then %s\n", co4_strerror(err), n, co4_strerror(co4_yield()));
}

static pausable void work(void)
{
    int one = 1, n;
    struct place p = { co4_mailbox_create(sizeof n, 3), co4_mailbox_create(sizeof n, 3), NULL };
    for (n = 1; n <= 3; n++)
        co4_mailbox_send(p.full, &n);
    p.endless = co4_task_create(in_sleep(&p));
    co4_runtime_schedule(NULL, p.endless);
    try_each(&p);

    co4_task *t = co4_task_create(tell("before its first step", in_get, &p));
    co4_task_cancel(t, 0);
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_task_release(t);

    t = co4_task_create(again(&p));
    co4_task_cancel(t, one);
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_task_release(t);

    t = co4_task_create(shielded(p.empty));
    co4_runtime_schedule(NULL, t);
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    co4_task_cancel(t, 0);
    n = 42;
    co4_mailbox_send(p.empty, &n);
    co4_task_join(t);
    co4_task_release(t);

    printf("nothing lost:");
    while (co4_mailbox_receive_until(p.full, &n, CO4_NOW) == CO4_OK)
        printf(" %d", n);
    printf("\n");

    int early = co4_task_join_until(p.endless, co4_now() + CO4_MS);
    co4_task_cancel(p.endless, 0);
    int late = co4_task_join_until(p.endless, co4_now() + 3600 * CO4_SEC);
    printf("deadline: %s, then %s\n", co4_strerror(early), co4_strerror(late));
    printf("stopped: %s\n", co4_strerror(co4_task_cancel(p.endless, 0)));
    co4_task_release(p.endless);
    printf("wrong: %s %s\n", co4_strerror(co4_task_cancel(NULL, 0)),
           co4_strerror(co4_shield_end()));
    co4_mailbox_close(p.full);
    co4_mailbox_destroy(p.empty);
    co4_mailbox_destroy(p.full);
}

int main(void)
{
    co4_run(work());
    return 0;
}
