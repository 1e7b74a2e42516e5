/* no_memory_waiting - a task that has begun to wait, and then cannot have the frame to wait in, has
 * ended: it gets no message, holds no place in a mailbox, a select or a scope.
 * modes: woven forced
 * expect: get: out of memory, the message is there: 1
 * expect: until: out of memory, the message is there: 2
 * expect: sleep: out of memory
 * expect: join: out of memory
 * expect: select: out of memory, the message is there: 3
 * expect: scope: out of memory, its child was cancelled
 * expect: once: out of memory, run by another */
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

static int slot, child_ended, ran;

/* No local of theirs is pinned: they take a frame when they pause, and are queued by then. */
static pausable int in_get(co4_mailbox *mb)
{
    co4_test_fail_alloc(1);
    return co4_mailbox_receive(mb, &slot);
}

static pausable int in_get_until(co4_mailbox *mb)
{
    co4_test_fail_alloc(2); /* the timer is allocated */
    return co4_mailbox_receive_until(mb, &slot, co4_now() + 3600 * CO4_SEC);
}

static pausable int in_sleep(void)
{
    co4_test_fail_alloc(2);
    return co4_sleep(CO4_MS);
}

static pausable int in_join(co4_task *t)
{
    co4_test_fail_alloc(2); /* the task's place for joiners is allocated */
    return co4_task_join(t);
}

static pausable int fails_at_pause(co4_case *cases)
{
    co4_test_fail_alloc(2); /* the select's own frame is allocated, at entry */
    return co4_select(cases, 1);
}

static pausable int in_select(co4_mailbox *mb)
{
    static co4_case cases[1];
    cases[0].source = co4_mailbox_source(mb);
    cases[0].out = &slot;
    cases[0].size = sizeof slot;
    return fails_at_pause(cases);
}

static pausable int child(void)
{
    child_ended = co4_sleep(3600 * CO4_SEC) == CO4_ECANCELED;
    return CO4_OK;
}

static pausable int body(void)
{
    co4_scope_spawn(co4_scope_here(), child());
    co4_test_fail_alloc(1);
    co4_yield();
    return CO4_OK;
}

static pausable int in_scope(void)
{
    return co4_scope_run(0, body());
}

static pausable int fails(void *arg)
{
    (void)arg;
    co4_test_fail_alloc(1);
    co4_yield();
    return CO4_OK;
}

static pausable int runs(void *arg)
{
    (void)arg;
    ran++;
    return CO4_OK;
}

typedef pausable int body_of_once(void *arg);

static pausable int once(co4_once *o, body_of_once *run)
{
    return co4_once_run(o, run(NULL));
}

static pausable const char *end_of(co4_task *t)
{
    co4_runtime_schedule(NULL, t);
    int err = co4_task_join(t);
    co4_test_fail_alloc(0);
    co4_task_release(t);
    return co4_strerror(err);
}

static pausable int message(co4_mailbox *mb, int n)
{
    int got = -1;
    co4_mailbox_send(mb, &n);
    must(co4_mailbox_receive_until(mb, &got, CO4_NOW));
    return got;
}

static pausable int forever(void)
{
    return co4_sleep(3600 * CO4_SEC);
}

static pausable void work(void)
{
    co4_once one = CO4_ONCE_INIT;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    must(co4_mailbox_reserve(mb, 2));
    const char *end = end_of(co4_task_create(in_get(mb)));
    printf("get: %s, the message is there: %d\n", end, message(mb, 1));
    end = end_of(co4_task_create(in_get_until(mb)));
    printf("until: %s, the message is there: %d\n", end, message(mb, 2));
    printf("sleep: %s\n", end_of(co4_task_create(in_sleep())));
    co4_sleep(2 * CO4_MS); /* its timer would have fired */
    co4_task *t = co4_task_create(forever());
    co4_runtime_schedule(NULL, t);
    end = end_of(co4_task_create(in_join(t)));
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf("join: %s\n", end);
    end = end_of(co4_task_create(in_select(mb)));
    printf("select: %s, the message is there: %d\n", end, message(mb, 3));
    end = end_of(co4_task_create(in_scope()));
    for (int i = 0; i < 10; i++)
        co4_yield();
    printf("scope: %s, its child was %s\n", end, child_ended ? "cancelled" : "left alone");
    end = end_of(co4_task_create(once(&one, fails)));
    once(&one, runs);
    printf("once: %s, run by %s\n", end, ran == 1 ? "another" : "nobody");
    co4_mailbox_destroy(mb);
}

int main(void)
{
    long long before = co4_test_pool_live();
    co4_run(work());
    if (co4_test_pool_live() != before)
        printf("%lld objects are lost\n", co4_test_pool_live() - before);
    return 0;
}
