/* prepared_tasks - uses of a task that has not run yet: a future, also when another thread
 * schedules it; a group, also when it is dropped, and while that is cancelled.
 * modes: woven forced
 * expect: scheduled by hand: no error, value 7; started again: not possible in this state
 * expect: a second future: refused
 * expect: in a scope: no error, value 7
 * expect: dropped: the group is free: no error
 * expect: dropped while the group is cancelled: 300 groups free
 * expect: an actor of a task that runs: not possible in this state
 * expect: the task of a co4_run is cancelled with its group: 1
 * expect: of NULL: stopped, an argument is not acceptable, 1 1 1, 0, there is no room
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static pausable int seven(void)
{
    co4_yield();
    return 7;
}

static const char *text(int code)
{
    return co4_strerror(code);
}

static pausable int in_scope(void *task)
{
    return co4_scope_start(co4_scope_here(), task);
}

static pausable void futures(void)
{
    int n = -1;
    co4_task *t = co4_task_create(seven());
    co4_future *f = co4_future_of(co4_task_retain(t)), *g = co4_future_of(co4_task_retain(t));
    printf("scheduled by hand: %s, ", text(co4_runtime_schedule(NULL, t)));
    co4_future_await(f, &n);
    printf("value %d; started again: %s\n", n, text(co4_future_start(f)));
    printf("a second future: %s\n", g ? "made" : "refused");
    co4_future_release(f);
    co4_task_release(t);

    t = co4_task_create(seven());
    f = co4_future_of(co4_task_retain(t));
    n = -1;
    int err = co4_scope_run(0, in_scope(t));
    must(co4_future_await_until(f, &n, CO4_NOW));
    printf("in a scope: %s, value %d\n", text(err), n);
    co4_future_release(f);
}

/* ---- dropped ---- */

struct pair {
    co4_group *group;
    co4_sem *both;
};

static pausable void drop(struct pair p)
{
    co4_task *t = co4_task_create(seven());
    must(co4_group_link(p.group, t));
    co4_sem_release(p.both);
    co4_task_release(t);
    co4_sem_release(p.both);
}

static pausable void cancel(struct pair p)
{
    must(co4_sem_acquire(p.both));
    co4_group_cancel(p.group, -1);
    must(co4_sem_acquire(p.both));
}

static void dropped(void)
{
    co4_group *g = co4_group_create(NULL);
    co4_task *t = co4_task_create(seven());
    must(co4_group_link(g, t));
    co4_task_release(t);
    co4_group_cancel(g, -1);
    printf("dropped: the group is free: %s\n", text(co4_group_destroy(g)));

    int ok = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    for (int i = 0; i < 300; i++) {
        co4_sem both = CO4_SEM_INIT(0);
        struct pair p = { co4_group_create(NULL), &both };
        co4_runtime_spawn(rt, cancel(p));
        co4_runtime_spawn(rt, drop(p));
        co4_runtime_join(rt);
        ok += co4_group_destroy(p.group) == CO4_OK;
    }
    co4_runtime_destroy(rt);
    printf("dropped while the group is cancelled: %d groups free\n", ok);
}

/* ---- others ---- */

static pausable void actors(void)
{
    co4_actor *a = co4_actor_create(8, 1, 0);
    co4_task *t = co4_task_create(seven());
    co4_runtime_schedule(NULL, t);
    printf("an actor of a task that runs: %s\n", text(co4_actor_start(a, co4_task_retain(t))));
    co4_task_join(t);
    co4_task_release(t);
    co4_actor_release(a);
}

static pausable void itself(void)
{
    co4_group *g = co4_group_create(NULL);
    must(co4_group_link(g, co4_self()));
    co4_group_cancel(g, -1);
    printf("the task of a co4_run is cancelled with its group: %d\n", co4_yield() == CO4_ECANCELED);
    co4_group_unlink(g, co4_self());
    co4_group_destroy(g);
}

static void nulls(void)
{
    int64_t after;
    co4_sem full = CO4_SEM_INIT(LLONG_MAX);
    printf("of NULL: %s, %s, ", co4_task_state_name(co4_task_state_of(NULL)),
           text(co4_task_error(NULL)));
    printf("%d %d %d, ", !co4_task_retain(NULL), !co4_future_retain(NULL), !co4_actor_retain(NULL));
    printf("%d, %s\n", co4_retry_again(NULL, -1, &after), text(co4_sem_release(&full)));
}

int main(void)
{
    co4_run(futures());
    dropped();
    co4_run(actors());
    co4_run(itself());
    nulls();
    puts(co4_test_pool_live() == 0 && co4_test_alloc_live() == 0 ? "nothing is left"
                                                                 : "something is left");
    return 0;
}
