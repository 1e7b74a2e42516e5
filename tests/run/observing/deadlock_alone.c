/* deadlock_alone.c - calls that wait for an impossible event end, and say so.
 * needs: deadlocks
 * modes: woven forced
 * expect: nobody puts: CO4_EDEADLK
 * expect: nobody takes: CO4_EDEADLK
 * expect: nobody completes: CO4_EDEADLK
 * expect: two locks: CO4_EDEADLK
 * expect: a task that waits: CO4_EDEADLK
 * expect: a scope with children that wait: CO4_EDEADLK
 * expect: a run in a run: CO4_EDEADLK, and the outer one goes on
 * expect: tasks that the host drives: CO4_EDEADLK, then CO4_OK
 * expect: no code to return: CO4_EDEADLK */
#include <stdio.h>
#include <stdlib.h>

#include <co4.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static const char *name(int code)
{
    return co4_errname(code);
}

static pausable int takes(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

static pausable int puts_twice(co4_mailbox *mb)
{
    int n = 1, err = co4_mailbox_send(mb, &n);
    return err == CO4_OK ? co4_mailbox_send(mb, &n) : err;
}

static pausable int awaits(co4_future *f)
{
    return co4_future_await(f, NULL);
}

static pausable int locks(co4_mutex *first, co4_mutex *second, co4_waitgroup *both)
{
    int err = co4_mutex_lock(first);
    co4_waitgroup_done(both);
    if (err == CO4_OK)
        err = co4_waitgroup_wait(both);
    if (err == CO4_OK)
        err = co4_mutex_lock(second);
    return err;
}

static pausable int two_locks(void)
{
    static co4_mutex a = CO4_MUTEX_INIT, b = CO4_MUTEX_INIT;
    co4_waitgroup both = CO4_WAITGROUP_INIT;
    co4_waitgroup_add(&both, 2);
    co4_spawn(locks(&a, &b, &both));
    return locks(&b, &a, &both);
}

static pausable int joins(co4_mailbox *mb)
{
    return co4_join(co4_spawn(takes(mb)), NULL);
}

static pausable int child_waits(void *mb)
{
    co4_scope *scope = co4_scope_here();
    co4_scope_spawn(scope, takes(mb));
    co4_scope_spawn(scope, takes(mb));
    return CO4_OK;
}

static pausable int in_a_scope(co4_mailbox *mb)
{
    return co4_scope_run(0, child_waits(mb));
}

static int plain_run(co4_mailbox *mb)
{
    return co4_run(takes(mb));
}

static pausable int outer(co4_mailbox *mb)
{
    int inner = plain_run(mb);
    printf("a run in a run: %s", name(inner));
    return co4_yield();
}

static pausable void takes_once(co4_mailbox *mb)
{
    takes(mb);
}

static void host(co4_mailbox *mb)
{
    int one = 1;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, takes(mb));
    int stuck = co4_runtime_join(rt);
    must(co4_mailbox_send_until(mb, &one, CO4_NOW));
    printf("tasks that the host drives: %s, then %s\n", name(stuck), name(co4_runtime_join(rt)));
    co4_runtime_destroy(rt);
}

int main(void)
{
    int code;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1),
                *full = co4_mailbox_create(sizeof(int), 1);
    co4_future *f = co4_future_create(0);
    printf("nobody puts: %s\n", name(co4_run(takes(mb))));
    printf("nobody takes: %s\n", name(co4_run(puts_twice(full))));
    printf("nobody completes: %s\n", name(co4_run(awaits(f))));
    printf("two locks: %s\n", name(co4_run(two_locks())));
    printf("a task that waits: %s\n", name(co4_run(joins(mb))));
    printf("a scope with children that wait: %s\n", name(co4_run(in_a_scope(mb))));
    printf("%s\n", co4_run(outer(mb)) == CO4_OK ? ", and the outer one goes on" : "");
    host(mb);
    co4_run_checked(&code, takes_once(mb));
    printf("no code to return: %s\n", name(code));
    co4_future_release(f);
    co4_mailbox_destroy(full);
    co4_mailbox_destroy(mb);
    return 0;
}
