/* failed_unseen.c - a task that fails, and whose code nothing can ask for, is reported on standard
 * error: the first one of the program. Tasks are not that succeed or are cancelled, or whose code
 * another has.
 * flags: -Wno-co4-blocking
 * modes: woven forced
 * needs: descriptors posix
 * expect: succeeds: 0 lines
 * expect: cancelled: 0 lines
 * expect: joined: 0 lines -32
 * expect: kept: 0 lines -32
 * expect: a future: 0 lines -32
 * expect: a scope: 0 lines -32
 * expect: a group: 0 lines
 * expect: a notice: 0 lines -32
 * expect: observed: 0 lines, 1 end
 * expect: unseen: 1 line: a task has failed, and nothing asks for its code: parser, -32,
 * expect: again: 0 lines */
#include <co4.h>
#include <stdio.h>

#include "said.h"

static pausable int ends(int code)
{
    co4_yield();
    return code;
}

static pausable void waits(void)
{
    (void)!co4_sleep(CO4_SEC);
}

static pausable int waits_and_fails(void)
{
    (void)!co4_sleep(CO4_SEC);
    return -32;
}

static pausable void let_others_end(void)
{
    for (int i = 0; i < 100; i++)
        co4_yield();
}

static pausable int in_scope(void)
{
    (void)!co4_scope_spawn(co4_scope_here(), ends(-32));
    return CO4_OK;
}

static pausable void silent(void)
{
    listen();
    co4_spawn(ends(0));
    co4_spawn(ends(7));
    co4_spawn(ends(CO4_ECANCELED));
    let_others_end();
    tell("succeeds", "-32,");

    listen();
    co4_task *t = co4_spawn(waits());
    co4_task_cancel(t, 0);
    co4_task_release(t);
    t = co4_spawn(waits_and_fails());
    co4_task_cancel(t, -5);
    co4_task_release(t);
    let_others_end();
    tell("\ncancelled", "-32,");

    listen();
    int code = co4_join(co4_spawn(ends(-32)), NULL);
    tell("\njoined", "-32,");
    printf(" %d", code);

    listen();
    t = co4_spawn(ends(-32));
    let_others_end();
    tell("\nkept", "-32,");
    printf(" %d", co4_task_error(t));
    co4_task_release(t);

    listen();
    co4_future *f = co4_async(ends(-32));
    code = co4_await(co4_future_source(f), NULL);
    co4_future_release(f);
    tell("\na future", "-32,");
    printf(" %d", code);

    listen();
    code = co4_scope_run(0, in_scope());
    tell("\na scope", "-32,");
    printf(" %d", code);
}

static pausable void linked(void)
{
    listen();
    co4_group *g = co4_group_create(NULL);
    co4_task *t = co4_spawn(ends(-32));
    (void)!co4_group_link(g, t);
    co4_task_release(t);
    let_others_end();
    co4_group_destroy(g);
    tell("\na group", "-32,");

    co4_exit e = { .error = 0 };
    co4_mailbox *mb = co4_mailbox_create(sizeof e, 1);
    listen();
    t = co4_spawn(ends(-32));
    (void)!co4_task_notify_exit(t, mb, NULL);
    co4_task_release(t);
    (void)co4_mailbox_receive(mb, &e);
    co4_mailbox_destroy(mb);
    tell("\na notice", "-32,");
    printf(" %d\n", e.error);
}

static void count_end(void *ends, co4_task *task, co4_task_state state)
{
    (void)task;
    *(int *)ends += state == CO4_TASK_STOPPED;
}

static void observed(void)
{
    int n = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){
        .workers = CO4_RUNTIME_EMBEDDED, .observer = count_end, .observer_data = &n });
    co4_runtime_start(rt);
    listen();
    co4_runtime_spawn(rt, ends(-32));
    co4_runtime_join(rt);
    tell("observed", "-32,");
    printf(", %d end\n", n);
    co4_runtime_destroy(rt);
}

static pausable void unseen(const char *when)
{
    listen();
    co4_task *t = co4_spawn(ends(-32));
    co4_task_set_name(t, "parser");
    co4_task_release(t);
    let_others_end();
    tell(when, "-32,");
    printf("\n");
}

int main(void)
{
    co4_run(silent());
    co4_run(linked());
    observed();
    co4_run(unseen("unseen"));
    co4_run(unseen("again"));
    return 0;
}
