/* test_exclusive.c - a worker becomes the exclusive owner, over and over, and a thread revokes that
 * by each call that can. */
#include "idler.h"

#include "sync/source.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 2000, CANCELS = 16 /* one time in so many */, AWAITS = 5000, FORKS = 50 };

/* Plays with another until the mailboxes are closed. */
struct player {
    co4_frame head;
    co4_mailbox *in, *out;
    long ball, *rounds;
    int r;
};
static void player_resume(co4_fiber *co4, co4_frame *head);
FUNC(player, sizeof(int), 2);
static void player_resume(co4_fiber *co4, co4_frame *head)
{
    struct player *f = (void *)head;
    ENTRY2(f);
    for (;;) {
        AWAIT(f, 1, f->r, co4_mailbox_receive__co4(co4, f->in, &f->ball, sizeof f->ball));
        if (f->r != CO4_OK)
            break;
        ++*f->rounds;
        AWAIT(f, 2, f->r, co4_mailbox_send__co4(co4, f->out, &f->ball, sizeof f->ball));
    }
    RETURN(f, 0);
}

/* Counts what it gets, until it is cancelled. */
struct reader {
    co4_frame head;
    co4_mailbox *in;
    long value, *got;
    int r;
};
static void reader_resume(co4_fiber *co4, co4_frame *head);
FUNC(reader, sizeof(int), 1);
static void reader_resume(co4_fiber *co4, co4_frame *head)
{
    struct reader *f = (void *)head;
    ENTRY1(f);
    for (;;) {
        AWAIT(f, 1, f->r, co4_mailbox_receive__co4(co4, f->in, &f->value, sizeof f->value));
        if (f->r != CO4_OK)
            break;
        ++*f->got;
    }
    RETURN(f, f->r);
}

static co4_task *read_on(co4_runtime *rt, co4_mailbox *in, long *got)
{
    CALL(reader, call, .in = in, .got = got);
    co4_task *t = co4_abi_task(call);
    assert_int_equal(co4_runtime_schedule(rt, t), CO4_OK);
    return t;
}

static bool somebody_is_alone(void)
{
    return atomic_load(&co4__exclusive_owner) != NULL;
}

static void disturbed(int workers)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    long rounds[2] = { 0, 0 }, got = 0, put = 0, ball = 0;
    int alone = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
    co4_mailbox *box[2] = { co4_mailbox_create(sizeof ball, 1),
                            co4_mailbox_create(sizeof ball, 1) };
    co4_mailbox *news = co4_mailbox_create(sizeof put, 2);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    for (int i = 0; i < 2; i++) {
        CALL(player, call, .in = box[i], .out = box[!i], .rounds = &rounds[i]);
        assert_non_null(co4_abi_spawn(rt, call));
    }
    assert_int_equal(co4_block(co4_mailbox_send(box[0], &ball)), CO4_OK);
    co4_task *reader = read_on(rt, news, &got);
    for (int i = 1; i <= TIMES; i++) {
        int64_t until = co4__clock() + (int64_t)(co4__random((uint64_t)i) % 40) * CO4_US;
        do
            alone += somebody_is_alone();
        while (co4__clock() < until);
        if (i % CANCELS != 0) {
            put++;
            assert_int_equal(co4_block(co4_mailbox_send(news, &put)), CO4_OK);
            continue;
        }
        assert_int_equal(co4_task_cancel(reader, 0), CO4_OK);
        assert_int_equal(co4_block(co4_task_join(reader)), CO4_OK);
        co4_task_release(reader);
        reader = read_on(rt, news, &got);
    }
    while (co4_mailbox_len(news) > 0)
        co4__thread_yield();
    /* On a busy machine the worker may have had its processor only while this thread slept. */
    for (int64_t until = co4__clock() + 10 * CO4_SEC;
         alone == 0 && co4__fence_all_init() && co4__clock() < until;)
        alone += somebody_is_alone();
    co4_task_cancel(reader, 0);
    co4_block(co4_task_join(reader));
    co4_task_release(reader);
    co4_mailbox_close(box[0]);
    co4_mailbox_close(box[1]);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(got, put);
    assert_true(rounds[0] > 0 && rounds[1] > 0);
    assert_true(alone > 0 || !co4__fence_all_init());
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(box[0]), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(box[1]), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(news), CO4_OK);
    check_no_leak(pool, alloc);
}

static void by_another_thread(void **state)
{
    (void)state;
    disturbed(1);
    disturbed(2);
}

static void *idle(void *able)
{
    *(bool *)able = co4__fence_all_init();
    assert_int_equal(idle_run(), *(bool *)able);
    return NULL;
}

static void whose_thread_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        bool able;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, idle, &able), 0);
        pthread_join(thread, NULL);
        assert_false(somebody_is_alone());
    }
}

/* In the child of a fork there is no other thread to wait for. */
static void in_a_child(void **state)
{
    (void)state;
    long rounds[2] = { 0, 0 }, ball = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_mailbox *box[2] = { co4_mailbox_create(sizeof ball, 1),
                            co4_mailbox_create(sizeof ball, 1) };
    co4_mailbox *own = co4_mailbox_create(sizeof ball, 1);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    for (int i = 0; i < 2; i++) {
        CALL(player, call, .in = box[i], .out = box[!i], .rounds = &rounds[i]);
        assert_non_null(co4_abi_spawn(rt, call));
    }
    assert_int_equal(co4_block(co4_mailbox_send(box[0], &ball)), CO4_OK);
    for (int i = 0; i < FORKS; i++) {
        int status;
        co4__sleep_thread(co4__clock() + CO4_MS);
        pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit((int)co4_mailbox_len(own));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    co4_mailbox_close(box[0]);
    co4_mailbox_close(box[1]);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(box[0]), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(box[1]), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(own), CO4_OK);
}

/* A user's own source, without a lock, at which a task may wait. */
struct own {
    co4_source source; /* first */
    _Atomic(co4_listener *) waits;
    atomic_bool over;
    uint64_t added;
};

static int own_poll(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
    return 0;
}

static int own_add(co4_source *source, co4_listener *l)
{
    struct own *own = (void *)source;
    atomic_store(&own->waits, l);
    /* The giver needs a moment to see it: it comes while this thread goes on to the task's
     * pause. */
    for (uint64_t i = co4__random(own->added++) % 1000; i > 0; i--)
        atomic_signal_fence(memory_order_seq_cst);
    return 0;
}

static void own_drop(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
}

static const co4_source_ops own_ops = { own_poll, own_add, own_drop, NULL };

int co4__park_begin__co4(co4_fiber *co4, int64_t deadline, struct co4__waiter **waiter);
int co4__park__co4(co4_fiber *co4);

/* Awaits it, as co4_select_until() does. */
struct awaiter {
    co4_frame head;
    struct own *own;
    struct co4__selecting s;
    co4_case one;
    int i, r;
};
static void awaiter_resume(co4_fiber *co4, co4_frame *head);
FUNC(awaiter, sizeof(int), 1);
static void awaiter_resume(co4_fiber *co4, co4_frame *head)
{
    struct awaiter *f = (void *)head;
    ENTRY1(f);
    for (f->i = 0; f->i < AWAITS; f->i++) {
        f->one = (co4_case)CO4_CASE(&f->own->source, NULL);
        co4__selecting_begin(&f->s, &f->one, 1, 0);
        co4__park_begin__co4(co4, CO4_NEVER, &f->s.waiter);
        co4__selecting_add(&f->s);
        AWAIT(f, 1, f->r, co4__park__co4(co4));
        co4__selecting_drop(&f->s);
    }
    atomic_store(&f->own->over, true);
    RETURN(f, CO4_OK);
}

/* Has its worker make steps until that is over. */
struct stepper {
    co4_frame head;
    struct own *own;
    int r;
};
static void stepper_resume(co4_fiber *co4, co4_frame *head);
FUNC(stepper, sizeof(int), 1);
static void stepper_resume(co4_fiber *co4, co4_frame *head)
{
    struct stepper *f = (void *)head;
    ENTRY1(f);
    while (!atomic_load(&f->own->over))
        AWAIT(f, 1, f->r, co4_yield__co4(co4));
    RETURN(f, CO4_OK);
}

/* A thread that completes such a source has taken no lock of the library since the task queued. */
static void by_a_source_of_ones_own(void **state)
{
    (void)state;
    struct own own = { .source = { &own_ops } };
    int64_t last = co4__clock();
    bool lost = false;
    int alone = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    CALL(awaiter, await, .own = &own);
    CALL(stepper, step, .own = &own);
    assert_non_null(co4_abi_spawn(rt, await));
    assert_non_null(co4_abi_spawn(rt, step));
    while (!atomic_load(&own.over) && !lost) {
        co4_listener *l = NULL;
        for (int looks = 0; !l && looks < 1000; looks++) {
            l = atomic_load(&own.waits);
            alone += somebody_is_alone();
        }
        if (l) {
            atomic_store(&own.waits, NULL);
            co4_listener_offer(l, CO4_OK, NULL);
            l->ops->wake(l);
            last = co4__clock();
        }
        lost = co4__clock() - last > 10 * CO4_SEC;
    }
    assert_false(lost);
    assert_true(alone > 0 || !co4__fence_all_init());
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_another_thread),
        cmocka_unit_test(whose_thread_ends),
        cmocka_unit_test(by_a_source_of_ones_own),
        cmocka_unit_test(in_a_child),
    };
    co4__exclusive_patience = 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
