/* scope_bodies - the body of a scope is cancelled with its children, and no longer than it runs.
 * modes: woven forced
 * expect: a child fails: closed, and nothing is left to take; the body heard the task was cancelled; afterwards no error
 * expect: cancelled from outside: -42, the body heard the task was cancelled; afterwards no error
 * expect: the outer one fails: inner the task was cancelled, outer there is no room; afterwards no error
 * expect: the inner one fails: inner there is no room, outer no error; afterwards no error
 * expect: cancelled itself meanwhile: closed, and nothing is left to take, then 7: the task was cancelled
 * expect: going on: there is no room, the body got 5
 * expect: shielded: the body got 6, then the task was cancelled */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static co4_mailbox *never;
static int heard;

static pausable int fails(int code)
{
    co4_sleep(CO4_MS);
    return code;
}

static pausable int waits(void *code)
{
    int n;
    co4_scope_spawn(co4_scope_here(), fails(*(int *)code));
    heard = co4_mailbox_receive(never, &n);
    if (co4_yield() != CO4_ECANCELED)
        printf("not for as long as it runs ");
    return heard;
}

static pausable int ends_it(co4_scope *scope)
{
    co4_sleep(CO4_MS);
    co4_scope_cancel(scope, 0);
    return CO4_OK;
}

static pausable int is_ended(void)
{
    co4_scope *scope = co4_scope_here();
    int n;
    co4_scope_spawn(scope, ends_it(scope));
    heard = co4_mailbox_receive(never, &n);
    return -42;
}

static int inner_code;

static pausable int inner_waits(void *fail_outer)
{
    int n;
    if (!fail_outer)
        co4_scope_spawn(co4_scope_here(), fails(CO4_EFULL));
    heard = co4_mailbox_receive(never, &n);
    return heard;
}

static pausable int outer_waits(void *fail_outer)
{
    if (fail_outer)
        co4_scope_spawn(co4_scope_here(), fails(CO4_EFULL));
    inner_code = co4_scope_run(0, inner_waits(fail_outer));
    return fail_outer ? co4_yield() : co4_yield() == CO4_OK ? CO4_OK : -99;
}

static pausable int both_ways(void)
{
    int n;
    co4_scope_spawn(co4_scope_here(), fails(CO4_ECLOSED));
    heard = co4_mailbox_receive(never, &n);
    co4_task_cancel(co4_self(), 7);
    return CO4_OK;
}

static pausable void cancelled_meanwhile(void)
{
    int err = co4_scope_run(0, both_ways()), after = co4_yield();
    printf("cancelled itself meanwhile: %s, then %d: %s\n", co4_strerror(err),
           co4_task_cancelled(co4_self()), co4_strerror(after));
}

static pausable int give(co4_mailbox *to, int n)
{
    co4_sleep(5 * CO4_MS);
    co4_mailbox_send(to, &n);
    return CO4_OK;
}

static pausable int goes_on(void *got)
{
    co4_scope *scope = co4_scope_here();
    co4_mailbox *box = co4_mailbox_create(sizeof(int), 1);
    co4_scope_spawn(scope, fails(CO4_EFULL));
    co4_scope_spawn(scope, give(box, 5));
    co4_mailbox_receive(box, (int *)got);
    co4_mailbox_destroy(box);
    return CO4_OK;
}

static pausable int shielded(void *got)
{
    co4_mailbox *box = co4_mailbox_create(sizeof(int), 1);
    co4_spawn(give(box, 6));
    co4_scope_spawn(co4_scope_here(), fails(CO4_EFULL));
    co4_shield_begin();
    co4_mailbox_receive(box, (int *)got);
    co4_shield_end();
    heard = co4_yield();
    co4_mailbox_destroy(box);
    return CO4_OK;
}

static pausable void all(void)
{
    int code = CO4_ECLOSED, got = 0;
    int err = co4_scope_run(0, waits(&code)), after = co4_sleep(CO4_US);
    printf("a child fails: %s; the body heard %s; afterwards %s\n", co4_strerror(err),
           co4_strerror(heard), co4_strerror(after));
    err = co4_scope_run(0, is_ended());
    after = co4_sleep(CO4_US);
    printf("cancelled from outside: %d, the body heard %s; afterwards %s\n", err,
           co4_strerror(heard), co4_strerror(after));
    err = co4_scope_run(0, outer_waits(&code));
    after = co4_sleep(CO4_US);
    printf("the outer one fails: inner %s, outer %s; afterwards %s\n", co4_strerror(inner_code),
           co4_strerror(err), co4_strerror(after));
    err = co4_scope_run(0, outer_waits(NULL));
    after = co4_sleep(CO4_US);
    printf("the inner one fails: inner %s, outer %s; afterwards %s\n", co4_strerror(inner_code),
           co4_strerror(err), co4_strerror(after));
    co4_task *t = co4_task_create(cancelled_meanwhile());
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_task_release(t);
    err = co4_scope_run(CO4_SCOPE_KEEP_GOING, goes_on(&got));
    printf("going on: %s, the body got %d\n", co4_strerror(err), got);
    co4_scope_run(0, shielded(&got));
    printf("shielded: the body got %d, then %s\n", got, co4_strerror(heard));
}

int main(void)
{
    never = co4_mailbox_create(sizeof(int), 1);
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(all());
    co4_test_end(NULL);
    co4_mailbox_destroy(never);
    return 0;
}
