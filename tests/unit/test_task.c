/* test_task.c - states, observers, owners, join, yields. */
#include "woven.h"
#include <stdlib.h>

#include <pthread.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* pausable int yields(int n) { while (n-- > 0) co4_yield(); return 0; } */
struct yields {
    co4_frame head;
    int n, r;
};
static void yields_resume(co4_fiber *co4, co4_frame *head);
FUNC(yields, sizeof(int), 1);
static void yields_resume(co4_fiber *co4, co4_frame *head)
{
    struct yields *f = (void *)head;
    ENTRY1(f);
    while (f->n-- > 0)
        AWAIT(f, 1, f->r, co4_yield__co4(co4));
    RETURN(f, 0);
}

/* pausable int getter(mb) { int v; return co4_mailbox_receive(mb, &v); } */
struct getter {
    co4_frame head;
    co4_mailbox *mb;
    int v, r;
};
static void getter_resume(co4_fiber *co4, co4_frame *head);
FUNC(getter, sizeof(int), 1);
static void getter_resume(co4_fiber *co4, co4_frame *head)
{
    struct getter *f = (void *)head;
    ENTRY1(f);
    AWAIT(f, 1, f->r, co4_mailbox_receive__co4(co4, f->mb, &f->v, sizeof f->v));
    RETURN(f, f->r);
}

static void table(void **state)
{
    (void)state;
    co4_task t = { .state = CO4__NEW };
    assert_int_equal(co4__task_event(&t, CO4__WAKE), CO4__NEW); /* not possible: stays */
    assert_int_equal(co4__task_event(&t, CO4__SCHEDULE), CO4__NEW);
    assert_int_equal(co4__task_event(&t, CO4__SCHEDULE),
                     CO4__READY); /* twice: the caller sees it */
    assert_int_equal(co4__task_event(&t, CO4__STEP), CO4__READY);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_RUNNING);
    assert_int_equal(co4__task_event(&t, CO4__WAIT), CO4__RUNNING);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_PAUSED);
    assert_int_equal(co4__task_event(&t, CO4__WAKE), CO4__PAUSED);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_READY);
    /* A wake while it unwinds. */
    co4__task_event(&t, CO4__STEP);
    assert_int_equal(co4__task_event(&t, CO4__WAKE), CO4__RUNNING);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_RUNNING);
    assert_int_equal(co4__task_event(&t, CO4__WAIT), CO4__WOKEN);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_READY);
    co4__task_event(&t, CO4__STEP);
    co4__task_event(&t, CO4__YIELD);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_READY);
    co4__task_event(&t, CO4__STEP);
    co4__task_event(&t, CO4__END);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_STOPPED);
    co4__task_event(&t, CO4__WAKE);
    assert_int_equal(co4_task_state_of(&t), CO4_TASK_STOPPED);
    assert_string_equal(co4_task_state_name(CO4_TASK_PAUSED), "paused");
}

static char story[200];
static co4_task *hero;

static void tell(void *data, co4_task *t, co4_task_state s)
{
    (void)data;
    if (t == hero)
        strcat(story, (const char *[]){ "r", "R", "P", "S" }[s]);
}

static co4_runtime *embedded(co4_observer *observer)
{
    const co4_runtime_options o = { .workers = CO4_RUNTIME_EMBEDDED, .observer = observer };
    co4_runtime *rt = co4_runtime_create(&o);
    assert_non_null(rt);
    return rt;
}

static void observer_sees_each_step(void **state)
{
    (void)state;
    co4_runtime *rt = embedded(tell);
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int v = 1;

    CALL(yields, a, .n = 2);
    story[0] = 0;
    hero = co4_abi_spawn(rt, a);
    while (co4_runtime_run_once(rt) > 0)
        ;
    assert_string_equal(story, "RrRrRS");

    CALL(getter, b, .mb = mb);
    story[0] = 0;
    hero = co4_abi_spawn(rt, b);
    assert_int_equal(co4_runtime_run_once(rt), 1);
    assert_int_equal(co4_task_state_of(hero), CO4_TASK_PAUSED);
    assert_int_equal(co4_runtime_run_once(rt), 0);
    assert_string_equal(story, "RP");
    assert_int_equal(co4_runtime_next_deadline(rt), CO4_NEVER);
    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_OK);
    assert_int_equal(co4_task_state_of(hero), CO4_TASK_READY);
    assert_int_equal(co4_runtime_next_deadline(rt), 0);
    assert_int_equal(co4_runtime_destroy(rt), CO4_EBUSY);
    assert_int_equal(co4_runtime_run_once(rt), 1);
    assert_string_equal(story, "RPRS");
    assert_int_equal(co4_runtime_tasks(rt), 0);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    co4_mailbox_destroy(mb);
}

static void owners(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    co4_runtime *rt = embedded(NULL);

    CALL(yields, dropped, .n = 1); /* never scheduled */
    co4_task *t = co4_abi_task(dropped);
    assert_int_equal(co4_task_state_of(t), CO4_TASK_READY);
    assert_int_equal(co4_task_error(t), CO4_EBUSY);
    co4_task_release(t);

    CALL(yields, call, .n = 1);
    t = co4_abi_task(call);
    assert_int_equal(co4_runtime_schedule(NULL, t), CO4_ESTATE); /* no runtime to run on */
    assert_int_equal(co4_runtime_schedule(rt, t), CO4_OK);
    assert_int_equal(co4_runtime_schedule(rt, t), CO4_ESTATE);
    assert_ptr_equal(co4_task_retain(t), t);
    while (co4_runtime_run_once(rt) > 0)
        ;
    assert_int_equal(co4_task_state_of(t), CO4_TASK_STOPPED); /* still there: ours */
    assert_int_equal(co4_task_error(t), CO4_OK);
    assert_int_equal(co4_runtime_schedule(rt, t), CO4_ESTATE);
    assert_int_equal(co4_block(co4_task_join(t)), CO4_OK);
    co4_task_release(t);
    co4_task_release(t);
    co4_task_release(NULL);
    assert_int_equal(co4_runtime_schedule(rt, NULL), CO4_EINVAL);

    CALL(yields, early, .n = 5); /* our share goes first */
    t = co4_abi_task(early);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
    while (co4_runtime_run_once(rt) > 0)
        ;
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(co4_test_pool_live(), before);
}

/* pausable int joiner(co4_task *t) { codes: join(self), join(NULL), join(t) } */
struct joiner {
    co4_frame head;
    co4_task *t;
    int r;
    int *codes;
};
static void joiner_resume(co4_fiber *co4, co4_frame *head);
FUNC(joiner, sizeof(int), 1);
static void joiner_resume(co4_fiber *co4, co4_frame *head)
{
    struct joiner *f = (void *)head;
    ENTRY1(f);
    f->codes[0] = co4_task_join__co4(co4, co4_self());
    f->codes[1] = co4_task_join__co4(co4, NULL);
    f->codes[2] = co4_block(co4_task_join(f->t));
    f->codes[3] = 1;
    AWAIT(f, 1, f->r, co4_task_join__co4(co4, f->t));
    f->codes[3] = f->r;
    RETURN(f, 0);
}

static void join_pauses(void **state)
{
    (void)state;
    co4_runtime *rt = embedded(NULL);
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int codes[2][4], v = 3;
    CALL(getter, call, .mb = mb);
    co4_task *t = co4_abi_task(call);
    co4_runtime_schedule(rt, t);
    for (int i = 0; i < 2; i++) {
        CALL(joiner, j, .t = t, .codes = codes[i]);
        co4_abi_spawn(rt, j);
    }
    while (co4_runtime_run_once(rt) > 0)
        ;
    assert_int_equal(co4_runtime_tasks(rt), 3);
    assert_int_equal(codes[0][0], CO4_EDEADLK);
    assert_int_equal(codes[0][1], CO4_EINVAL);
    assert_int_equal(codes[0][2], CO4_EDEADLK);
    assert_int_equal(codes[0][3], 1);
    must(co4_mailbox_send_until(mb, &v, CO4_NOW));
    while (co4_runtime_run_once(rt) > 0)
        ;
    assert_int_equal(codes[0][3], CO4_OK);
    assert_int_equal(codes[1][3], CO4_OK);
    CALL(joiner, late, .t = t, .codes = codes[0]); /* it has stopped already */
    co4_abi_spawn(rt, late);
    assert_int_equal(co4_runtime_run_once(rt), 1);
    assert_int_equal(co4_runtime_tasks(rt), 0);
    co4_task_release(t);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
}

/* Many threads' worth of ends and joins: none is missed. */
static void join_blocks(void **state)
{
    (void)state;
    NEEDS_THREADS();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    for (int i = 0; i < 500; i++) {
        CALL(yields, call, .n = i % 4);
        co4_task *t = co4_abi_task(call);
        assert_int_equal(co4_runtime_schedule(rt, t), CO4_OK);
        assert_int_equal(co4_block(co4_task_join(t)), CO4_OK);
        assert_int_equal(co4_task_state_of(t), CO4_TASK_STOPPED);
        co4_task_release(t);
        assert_int_equal(co4_runtime_tasks(rt), 0); /* counted before it is notified */
    }
    co4_runtime_destroy(rt);
}

/* A pausable primitive as the root of a task: it waits without any frame. */
struct bare {
    co4_frame head;
};
static void bare_resume(co4_fiber *co4, co4_frame *head);
FUNC(bare, sizeof(int), 0);
static void bare_resume(co4_fiber *co4, co4_frame *head)
{
    co4_abi_frame_drop(co4, head);
    co4_sleep__co4(co4, CO4_MS);
}

static void a_primitive_as_root(void **state)
{
    (void)state;
    co4_runtime *rt = embedded(NULL);
    CALL(bare, call);
    co4_task *t = co4_abi_task(call);
    co4_runtime_schedule(rt, t);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_task_error(t), CO4_OK);
    co4_task_release(t);
    co4_runtime_destroy(rt);
    CALL(bare, again);
    assert_int_equal(run_call(again), CO4_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),       cmocka_unit_test(observer_sees_each_step),
        cmocka_unit_test(owners),      cmocka_unit_test(join_pauses),
        cmocka_unit_test(join_blocks), cmocka_unit_test(a_primitive_as_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
