/* exits - learning that tasks have ended, by messages and by select: in time and late, in full
 * mailboxes, without memory.
 * modes: woven forced
 * expect: notices: one no error a, two no error b
 * expect: cancelled: no error, reason the deadline has passed
 * expect: out of memory: task out of memory
 * expect: ended before: no error c
 * expect: full: still in use, a, b, c, then no error
 * expect: closed: got 1, no error
 * expect: no memory for the ring: 3 come
 * expect: larger: no error d, the rest 0
 * expect: forgotten: no error, then not possible in this state, 0 come
 * expect: the first forgotten, then one more: b, c, d
 * expect: the second forgotten, then one more: a, c, d
 * expect: the last forgotten, then one more: a, b, d
 * expect: never scheduled: 0 come
 * expect: select: 1 no error, 0 no error, once more no error, the deadline has passed
 * expect: a thread: no error
 * expect: wrong: an argument is not acceptable, an argument is not acceptable, an argument is not acceptable, none
 * expect: no memory: out of memory, none
 * expect: the end of a run: no error main, the task was cancelled lost
 * expect: nothing is left */
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

static const char *text(int code)
{
    return co4_strerror(code);
}

static co4_mailbox *go, *ends;

static pausable int wait_for_go(int wide)
{
    int v = 0;
    co4_mailbox_receive(go, &v);
    return v + wide;
}

static pausable void frames(int n)
{
    co4_yield();
    if (n > 0)
        frames(n - 1);
}

static co4_task *start(co4_task *t)
{
    co4_runtime_schedule(NULL, t);
    return t;
}

static pausable void let_run(void)
{
    for (int i = 0; i < 20; i++)
        co4_yield();
}

static pausable void let_go(int n)
{
    for (int i = 0; i < n; i++) {
        co4_mailbox_send(go, &n);
        let_run(); /* one after the other, also with forced pauses */
    }
}

static pausable const char *tag_of_next(void)
{
    co4_exit e = { 0 };
    co4_mailbox_receive(ends, &e);
    return e.tag;
}

static int come(void)
{
    co4_exit e;
    int n = 0;
    while (co4_mailbox_receive_until(ends, &e, CO4_NOW) == CO4_OK)
        n++;
    return n;
}

static pausable void notices(void)
{
    co4_exit e;
    co4_task *t = start(co4_task_create(wait_for_go(1))), *u = co4_task_create(wait_for_go(2));
    co4_task_set_name(t, "one");
    co4_task_set_name(u, "two");
    must(co4_task_notify_exit(t, ends, "a"));
    must(co4_task_notify_exit(u, ends, "b"));
    start(u);
    let_go(2);
    co4_mailbox_receive(ends, &e);
    printf("notices: %s %s %s", e.name, text(e.error), (char *)e.tag);
    co4_mailbox_receive(ends, &e);
    printf(", %s %s %s\n", e.name, text(e.error), (char *)e.tag);
    co4_task_release(t);

    t = start(co4_task_create(wait_for_go(0)));
    must(co4_task_notify_exit(t, ends, NULL));
    co4_task_cancel(t, CO4_ETIMEDOUT);
    co4_mailbox_receive(ends, &e);
    printf("cancelled: %s, reason %s\n", text(e.error), text(e.cancelled));
    co4_task_release(t);

    t = start(co4_task_create(frames(100)));
    must(co4_task_notify_exit(t, ends, NULL));
    co4_yield();
    co4_test_fail_alloc(-1);
    while (co4_task_state_of(t) != CO4_TASK_STOPPED)
        co4_yield();
    co4_test_fail_alloc(0);
    co4_mailbox_receive(ends, &e);
    printf("out of memory: task %s\n", text(e.error));
    co4_task_release(t);

    must(co4_task_notify_exit(u, ends, "c"));
    co4_mailbox_receive(ends, &e);
    printf("ended before: %s %s\n", text(e.error), (char *)e.tag);
    co4_task_release(u);
}

static pausable void no_places(void)
{
    co4_task *t[3];
    static const char *const tags[] = { "a", "b", "c" };
    co4_mailbox *many = ends;
    ends = co4_mailbox_create(sizeof(co4_exit), 1);
    for (int i = 0; i < 3; i++) {
        t[i] = start(co4_task_create(wait_for_go(i)));
        must(co4_task_notify_exit(t[i], ends, (void *)(uintptr_t)tags[i]));
        co4_task_release(t[i]);
    }
    let_go(3);
    printf("full: %s", text(co4_mailbox_destroy(ends)));
    for (int i = 0; i < 3; i++) {
        const char *tag = tag_of_next();
        printf(", %s", tag);
    }
    printf(", then %s\n", text(co4_mailbox_destroy(ends)));

    ends = co4_mailbox_create(sizeof(co4_exit), 1);
    for (int i = 0; i < 3; i++) {
        t[i] = start(co4_task_create(wait_for_go(i)));
        must(co4_task_notify_exit(t[i], ends, NULL));
        co4_task_release(t[i]);
    }
    let_go(3);
    co4_mailbox_close(ends);
    int got = come();
    printf("closed: got %d, %s\n", got, text(co4_mailbox_destroy(ends)));

    ends = co4_mailbox_create(sizeof(co4_exit), 100);
    for (int i = 0; i < 3; i++) {
        t[i] = start(co4_task_create(wait_for_go(i)));
        must(co4_task_notify_exit(t[i], ends, NULL));
        co4_task_release(t[i]);
    }
    let_run();
    co4_test_fail_alloc(-1);
    for (int i = 0; i < 3; i++)
        must(co4_mailbox_send_until(go, &i, CO4_NOW));
    for (int i = 0; i < 20; i++) /* needs no frame */
        co4_yield();
    co4_test_fail_alloc(0);
    printf("no memory for the ring: %d come\n", come());
    co4_mailbox_destroy(ends);

    struct {
        co4_exit exit;
        long more[4];
    } large = { .more = { 1, 1, 1, 1 } };
    ends = co4_mailbox_create(sizeof large, 1);
    t[0] = start(co4_task_create(wait_for_go(0)));
    must(co4_task_notify_exit(t[0], ends, "d"));
    co4_task_release(t[0]);
    let_go(1);
    co4_mailbox_receive(ends, &large);
    printf("larger: %s %s, the rest %ld\n", text(large.exit.error), (char *)large.exit.tag,
           large.more[0] + large.more[3]);
    co4_mailbox_destroy(ends);
    ends = many;
}

/* Of three notices, in mailboxes of their own. */
static pausable void one_forgotten(int which)
{
    static const char *const names[] = { "first", "second", "last" }, *const tags[] = { "a", "b",
                                                                                        "c" };
    co4_task *t = start(co4_task_create(wait_for_go(0)));
    co4_mailbox *to[3];
    for (int i = 0; i < 3; i++) {
        to[i] = i == which ? co4_mailbox_create(sizeof(co4_exit), 1) : ends;
        must(co4_task_notify_exit(t, to[i], (void *)(uintptr_t)tags[i]));
    }
    must(co4_task_forget_exit(t, to[which]));
    must(co4_task_notify_exit(t, ends, "d"));
    let_go(1);
    co4_exit e = { 0 };
    printf("the %s forgotten, then one more:", names[which]);
    for (int i = 0; co4_mailbox_receive_until(ends, &e, CO4_NOW) == CO4_OK; i++)
        printf("%s %s", i ? "," : "", (char *)e.tag);
    puts("");
    must(co4_mailbox_destroy(to[which]));
    co4_task_release(t);
}

static pausable void not_told(void)
{
    co4_task *t = start(co4_task_create(wait_for_go(0)));
    must(co4_task_notify_exit(t, ends, NULL));
    must(co4_task_notify_exit(t, ends, NULL));
    int first = co4_task_forget_exit(t, ends), second = co4_task_forget_exit(t, ends);
    let_go(1);
    printf("forgotten: %s, then %s, %d come\n", text(first), text(second), come());
    co4_task_release(t);
    for (int i = 0; i < 3; i++)
        one_forgotten(i);
    t = co4_task_create(wait_for_go(0));
    must(co4_task_notify_exit(t, ends, NULL));
    co4_task_release(t);
    printf("never scheduled: %d come\n", come());
}

static pausable void selecting(void)
{
    co4_task *t = start(co4_task_create(wait_for_go(0))),
             *u = start(co4_task_create(wait_for_go(0))),
             *never = start(co4_task_create(wait_for_go(0)));
    co4_case cases[] = { CO4_CASE(co4_task_source(u), NULL), CO4_CASE(co4_task_source(t), NULL) };
    let_run();
    int v = 0;
    co4_mailbox_send(go, &v);
    int first = co4_select(cases, 2), first_code = cases[first].code;
    cases[first].source = NULL;
    co4_mailbox_send(go, &v);
    int second = co4_select(cases, 2), second_code = cases[second].code;
    int again = co4_await(co4_task_source(t), NULL);
    int late = co4_await_until(co4_task_source(never), NULL, co4_now() + CO4_MS);
    printf("select: %d %s, %d %s, once more %s, %s\n", first, text(first_code), second,
           text(second_code), text(again), text(late));
    let_go(1);
    co4_task_release(t);
    co4_task_release(u);
    co4_task_release(never);
}

static pausable void alone(void)
{
    co4_sleep(CO4_MS);
}

static void thread(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_task *t = co4_task_create(alone());
    co4_runtime_start(rt);
    co4_runtime_schedule(rt, t);
    int err = co4_block(co4_await(co4_task_source(t), NULL));
    printf("a thread: %s\n", text(err));
    co4_mailbox *small = co4_mailbox_create(sizeof(co4_exit) - 1, 1);
    printf("wrong: %s, %s, %s, %s\n", text(co4_task_notify_exit(NULL, ends, NULL)),
           text(co4_task_notify_exit(t, NULL, NULL)), text(co4_task_notify_exit(t, small, NULL)),
           co4_task_source(NULL) ? "one" : "none");
    co4_mailbox_destroy(small);
    co4_task_release(t);
    t = co4_task_create(alone());
    co4_test_fail_alloc(-1);
    err = co4_task_notify_exit(t, ends, NULL);
    co4_source *none = co4_task_source(t);
    co4_test_fail_alloc(0);
    printf("no memory: %s, %s\n", text(err), none ? "one" : "none");
    co4_task_release(t);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
}

static pausable void left_behind(void)
{
    co4_mailbox_receive(go, &(int){ 0 });
}

static pausable void run_that_ends(void)
{
    co4_task *lost = co4_spawn(left_behind());
    co4_task_set_name(lost, "lost");
    co4_task_set_name(co4_self(), "main");
    must(co4_task_notify_exit(lost, ends, NULL));
    must(co4_task_notify_exit(co4_self(), ends, NULL));
    co4_task_release(lost);
    co4_yield();
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    go = co4_mailbox_create(sizeof(int), 100);
    ends = co4_mailbox_create(sizeof(co4_exit), 100);
    co4_run(notices());
    co4_run(no_places());
    co4_run(not_told());
    co4_run(selecting());
    thread();
    co4_run(run_that_ends());
    printf("the end of a run:");
    co4_exit e;
    for (int i = 0; co4_mailbox_receive_until(ends, &e, CO4_NOW) == CO4_OK; i++)
        printf("%s %s %s", i ? "," : "", text(e.error), e.name);
    puts("");
    co4_mailbox_destroy(ends);
    co4_mailbox_destroy(go);
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
