/* nested_ends - ends inside ends: an inner scope fails while the outer one does, in either order;
 * shields in shields; groups and tasks that come below a group that is cancelled; a future that is
 * released before its prepared task runs.
 * modes: woven forced
 * expect: inner first: inner EINVAL, outer body ECANCELED, scope EINVAL, then 0
 * expect: outer first: inner EINVAL, outer body ECANCELED, scope EINVAL, then 0
 * expect: inner alone: inner EINVAL, outer body ETIMEDOUT, scope OK, then 0
 * expect: shields: OK OK OK, ECANCELED
 * expect: below: 5 5, its task 5, a later one 5
 * expect: without its future: it ran, nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

enum order { INNER_FIRST, OUTER_FIRST, INNER_ALONE };

struct places {
    enum order order;
    co4_mailbox *inner, *outer, *nothing;
    int inner_result, body_code;
};

static pausable int fails_at(co4_mailbox *signal)
{
    int n;
    co4_mailbox_receive(signal, &n);
    return CO4_EINVAL;
}

static pausable void lets_fail(co4_mailbox *signal)
{
    int n = 1;
    co4_mailbox_send(signal, &n);
    for (int i = 0; i < 20; i++)
        co4_yield();
}

/* Stays, shielded, until both have failed that are to. */
static pausable int inner_body(struct places *p)
{
    co4_scope_spawn(co4_scope_here(), fails_at(p->inner));
    co4_shield_begin();
    if (p->order == OUTER_FIRST)
        lets_fail(p->outer);
    lets_fail(p->inner);
    if (p->order == INNER_FIRST)
        lets_fail(p->outer);
    co4_shield_end();
    return CO4_OK;
}

static pausable int waits_for_end(co4_mailbox *signal)
{
    int n;
    return co4_mailbox_receive(signal, &n) == CO4_ECLOSED ? CO4_OK : CO4_EINVAL;
}

static pausable int outer_body(struct places *p)
{
    int n;
    co4_scope_spawn(co4_scope_here(), waits_for_end(p->outer));
    p->inner_result = co4_scope_run(0, inner_body(p));
    p->body_code = co4_mailbox_receive_until(p->nothing, &n, co4_now() + 50 * CO4_MS);
    co4_mailbox_close(p->outer);
    return CO4_OK;
}

static pausable int scopes(const char *what, enum order order)
{
    struct places p = { .order = order };
    p.inner = co4_mailbox_create(sizeof(int), 1);
    p.outer = co4_mailbox_create(sizeof(int), 1);
    p.nothing = co4_mailbox_create(sizeof(int), 1);
    int err = co4_scope_run(0, outer_body(&p));
    /* One whose signal comes after its failure has not been cut short by the scope. */
    const char *inner = co4_errname(p.inner_result) + 4;
    printf("%s: inner %s, outer body %s, scope %s, then %d\n", what, inner,
           co4_errname(p.body_code) + 4, co4_errname(err) + 4, co4_task_cancelled(co4_self()));
    co4_mailbox_destroy(p.inner);
    co4_mailbox_destroy(p.outer);
    co4_mailbox_destroy(p.nothing);
    return 0;
}

static pausable void shields(void)
{
    int codes[4];
    co4_shield_begin();
    co4_shield_begin();
    co4_task_cancel(co4_self(), 0);
    codes[0] = co4_sleep(CO4_US);
    co4_shield_end();
    codes[1] = co4_sleep(CO4_US);
    codes[2] = co4_yield();
    co4_shield_end();
    codes[3] = co4_sleep(CO4_US);
    printf("shields: %s %s %s, %s\n", co4_errname(codes[0]) + 4, co4_errname(codes[1]) + 4,
           co4_errname(codes[2]) + 4, co4_errname(codes[3]) + 4);
}

static pausable int waits(void)
{
    return co4_sleep(3600 * CO4_SEC);
}

static pausable void groups(void)
{
    co4_group *above = co4_group_create(NULL), *below, *lowest;
    co4_group_cancel(above, 5);
    below = co4_group_create(above);
    lowest = co4_group_create(below);
    co4_task *t = co4_task_create(waits()), *later = co4_task_create(waits());
    must(co4_group_link(lowest, t));
    co4_runtime_schedule(NULL, t);
    co4_runtime_schedule(NULL, later);
    co4_yield();
    must(co4_group_link(below, later));
    printf("below: %d %d, its task %d, a later one %d\n", co4_group_cancelled(below),
           co4_group_cancelled(lowest), co4_task_cancelled(t), co4_task_cancelled(later));
    co4_task_cancel(t, 1);
    co4_task_cancel(later, 1);
    co4_task_join(t);
    co4_task_join(later);
    co4_task_release(t);
    co4_task_release(later);
    co4_group_destroy(lowest);
    co4_group_destroy(below);
    co4_group_destroy(above);
}

static int ran;

static pausable int runs(void)
{
    ran++;
    return co4_yield();
}

static pausable int without_future(void)
{
    co4_task *t = co4_task_create(runs());
    co4_task_retain(t);
    co4_future *f = co4_future_of(t); /* takes one share */
    co4_future_release(f);
    co4_future *other = co4_future_create(sizeof(int)); /* in the same memory, perhaps */
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_task_release(t);
    int untouched = co4_future_await_until(other, NULL, CO4_NOW) == CO4_EEMPTY;
    co4_future_release(other);
    return untouched;
}

int main(void)
{
    co4_run(scopes("inner first", INNER_FIRST));
    co4_run(scopes("outer first", OUTER_FIRST));
    co4_run(scopes("inner alone", INNER_ALONE));
    co4_run(shields());
    co4_run(groups());
    long long live = co4_test_pool_live();
    int untouched = co4_run(without_future());
    printf("without its future: %s, %s is left\n", ran == 1 && untouched ? "it ran" : "?",
           co4_test_pool_live() == live ? "nothing" : "something");
    return 0;
}
