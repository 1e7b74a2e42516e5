/* scopes - all tasks started in a scope have ended when it returns, for any reason; the first
 * failure cancels the others.
 * modes: woven forced
 * expect: all: no error, ended 3
 * expect: early: 5, ended 2
 * expect: failing child: closed, and nothing is left to take, ended 3, told 2
 * expect: failing body: there is no room, ended 2, told 2
 * expect: keep going: closed, and nothing is left to take, ended 3, told 0
 * expect: cancelled around: the task was cancelled, ended 2, told 2, reason 9
 * expect: nested: no error, ended 7
 * expect: by children: no error, ended 7
 * expect: after cancel: the task was cancelled, ended 1
 * expect: wrong: an argument is not acceptable an argument is not acceptable
 * expect: groups: told 3, member busy still in use, then no error no error, late told 1
 * expect: unlinked: told 0, again not possible in this state, twice not possible in this state */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static int ended, told;

static pausable int waits(int ms)
{
    int err = co4_sleep(ms * CO4_MS);
    ended++;
    told += err == CO4_ECANCELED;
    return CO4_OK;
}

static pausable void quick(void)
{
    co4_yield();
    ended++;
}

static pausable int fails(void)
{
    co4_yield();
    ended++;
    return CO4_ECLOSED;
}

static pausable int three(void)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, waits(1));
    co4_scope_spawn(s, waits(2));
    co4_scope_spawn(s, quick());
    return CO4_OK;
}

static pausable int early(const char *arg)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, waits(1));
    co4_scope_spawn(s, quick());
    if (arg == NULL)
        return 5;
    co4_sleep(3600 * CO4_SEC);
    return CO4_OK;
}

static pausable int child_fails(int ms)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, waits(ms));
    co4_scope_spawn(s, waits(ms));
    co4_scope_spawn(s, fails());
    return CO4_OK;
}

static pausable int body_fails(void)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, waits(3600000));
    co4_scope_spawn(s, waits(3600000));
    co4_yield();
    return CO4_EFULL;
}

static pausable int spawns_more(co4_scope *s, int depth)
{
    if (depth > 0) {
        co4_scope_spawn(s, spawns_more(s, depth - 1));
        co4_scope_spawn(s, spawns_more(s, depth - 1));
    }
    ended++;
    return CO4_OK;
}

static pausable int nested(void)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, spawns_more(s, 2));
    return CO4_OK;
}

static pausable int after_cancel(void)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, quick());
    co4_scope_cancel(s, 0);
    return co4_scope_spawn(s, quick());
}

static pausable int two(void)
{
    co4_scope *s = co4_scope_here();
    co4_scope_spawn(s, waits(3600000));
    co4_scope_spawn(s, waits(3600000));
    return CO4_OK;
}

static pausable int run_two(int *reason)
{
    int err = co4_scope_run(0, two());
    *reason = co4_task_cancelled(co4_self());
    return err;
}

/* Prints the scope that has just ended. */
static void one(const char *name, int err, int tell)
{
    if (err > 0)
        printf("%s: %d, ended %d", name, err, ended);
    else
        printf("%s: %s, ended %d", name, co4_strerror(err), ended);
    if (tell)
        printf(", told %d", told);
    printf("\n");
    ended = told = 0;
}

static co4_task *start(co4_task *t)
{
    co4_runtime_schedule(NULL, t);
    return t;
}

static pausable void groups(void)
{
    ended = told = 0;
    co4_group *top = co4_group_create(NULL), *below = co4_group_create(top);
    co4_task *t[4];
    for (int i = 0; i < 3; i++) {
        t[i] = start(co4_task_create(waits(3600000)));
        must(co4_group_link(i ? below : top, t[i]));
    }
    int busy = co4_group_destroy(below);
    co4_yield();
    co4_group_cancel(top, 3);
    for (int i = 0; i < 3; i++) {
        co4_task_join(t[i]);
        co4_task_release(t[i]);
    }
    printf("groups: told %d, member busy %s", told, co4_strerror(busy));
    told = 0;
    t[3] = start(co4_task_create(waits(3600000)));
    must(co4_group_link(below, t[3]));
    co4_task_join(t[3]);
    co4_task_release(t[3]);
    busy = co4_group_destroy(below);
    printf(", then %s %s, late told %d\n", co4_strerror(busy), co4_strerror(co4_group_destroy(top)),
           told);

    told = 0;
    top = co4_group_create(NULL);
    t[0] = start(co4_task_create(waits(2)));
    must(co4_group_link(top, t[0]));
    int again = co4_group_link(top, t[0]);
    co4_group_unlink(top, t[0]);
    int twice = co4_group_unlink(top, t[0]);
    co4_group_cancel(top, 0);
    co4_task_join(t[0]);
    co4_task_release(t[0]);
    co4_group_destroy(top);
    printf("unlinked: told %d, again %s, twice %s\n", told, co4_strerror(again),
           co4_strerror(twice));
}

/* A child is in the scope of its parent, also after one of its own. */
static pausable int child(int depth)
{
    if (depth > 0) {
        must(co4_scope_run(0, child(0)));
        must(co4_scope_spawn(co4_scope_here(), child(depth - 1)));
        co4_yield();
        must(co4_scope_spawn(co4_scope_here(), child(depth - 1)));
    } else {
        quick();
    }
    return CO4_OK;
}

static pausable int family(void)
{
    must(co4_scope_spawn(co4_scope_here(), child(2)));
    return co4_scope_tasks(co4_scope_here()) > 1 ? CO4_ESTATE : CO4_OK;
}

static pausable void work(void)
{
    int hour = 3600000, ms = 1, reason = 0, n;
    one("all", co4_scope_run(0, three()), 0);
    one("early", co4_scope_run(0, early(NULL)), 0);
    one("failing child", co4_scope_run(0, child_fails(hour)), 1);
    one("failing body", co4_scope_run(0, body_fails()), 1);
    one("keep going", co4_scope_run(CO4_SCOPE_KEEP_GOING, child_fails(ms)), 1);

    ended = told = 0;
    co4_future *f = co4_async(run_two(&reason));
    co4_yield();
    co4_yield();
    co4_yield();
    co4_future_cancel(f, 9);
    co4_future_await(f, &n);
    co4_future_release(f);
    printf("cancelled around: %s, ended %d, told %d, reason %d\n", co4_strerror(n), ended, told,
           reason);
    ended = told = 0;
    one("nested", co4_scope_run(0, nested()), 0);
    one("by children", co4_scope_run(0, family()), 0);
    one("after cancel", co4_scope_run(0, after_cancel()), 0);
    printf("wrong: %s %s\n", co4_strerror(co4_scope_run(8, three())),
           co4_strerror(co4_scope_spawn((co4_scope *)NULL, quick())));
    groups();
}

int main(void)
{
    co4_run(work());
    return 0;
}
