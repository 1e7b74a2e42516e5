/* test_run.c - co4_run: the loop on the calling thread, the tasks spawned in it, and those left at
 * its end. */
#include "woven.h"
#include <stdlib.h>

#include <pthread.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* pausable int passer(in, out, int n): puts n..1 to `out` and gets as many from `in`; either may
 * be NULL. */
struct passer {
    co4_frame head;
    co4_mailbox *in, *out;
    int n, sum, v, r;
    int64_t sleep;
};
static void passer_resume(co4_fiber *co4, co4_frame *head);
FUNC(passer, sizeof(int), 3);
static void passer_resume(co4_fiber *co4, co4_frame *head)
{
    struct passer *f = (void *)head;
    ENTRY3(f);
    for (; f->n > 0; f->n--) {
        if (f->sleep)
            AWAIT(f, 1, f->r, co4_sleep__co4(co4, f->sleep));
        if (f->in) {
            AWAIT(f, 2, f->r, co4_mailbox_receive__co4(co4, f->in, &f->v, sizeof f->v));
            if (f->r != CO4_OK)
                break;
            f->sum += f->v;
        }
        if (f->out) {
            f->v = f->n;
            AWAIT(f, 3, f->r, co4_mailbox_send__co4(co4, f->out, &f->v, sizeof f->v));
            if (f->r != CO4_OK)
                break;
        }
    }
    RETURN(f, f->sum);
}

/* The main call: spawns a partner, then goes on as a passer. */
struct pair {
    co4_frame head;
    co4_mailbox *a, *b;
    int n;
};
static void pair_resume(co4_fiber *co4, co4_frame *head);
FUNC(pair, sizeof(int), 0);
static void pair_resume(co4_fiber *co4, co4_frame *head)
{
    struct pair *f = (void *)head;
    CALL(passer, partner, .in = f->a, .out = f->b, .n = f->n);
    if (!co4_abi_spawn(NULL, partner))
        co4_mailbox_close(f->b); /* no task will send to it */
    CALL(passer, rest, .in = f->b, .out = NULL, .n = f->n);
    if (!rest) {
        co4_mailbox_close(f->a);
        RETURN(f, -1);
    }
    for (int i = 0; i < f->n; i++)
        must(co4_mailbox_send_until(f->a, &i, CO4_NOW));
    co4_abi_frame_drop(co4, f);
    rest->head.at->resume(co4, &rest->head); /* a direct call, for the fiber */
}

static void returns_at_once(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    CALL(passer, call, .n = 0, .sum = 5);
    assert_int_equal(run_call(call), 5);
    assert_int_equal(co4_run_error(), CO4_OK);
    check_no_leak(pool, alloc);
}

static void a_pair(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_mailbox *a = co4_mailbox_create(sizeof(int), 100), *b = co4_mailbox_create(sizeof(int), 1);
    CALL(pair, call, .a = a, .b = b, .n = 50);
    assert_int_equal(run_call(call), 50 * 51 / 2);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
    check_no_leak(pool, alloc);
}

static void spawned_tasks_finish(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 100);
    co4_fiber *co4 = co4_abi_run_begin();
    assert_ptr_equal(co4_self(), (co4_task *)(void *)co4);
    CALL(passer, call, .out = mb, .n = 3, .sleep = CO4_MS);
    co4_abi_spawn(NULL, call);
    assert_int_equal(co4_mailbox_len(mb), 0);
    co4_abi_run_end(co4); /* the main call has ended before the first put */
    assert_null(co4_self());
    assert_int_equal(co4_mailbox_len(mb), 3);
    co4_mailbox_destroy(mb);
    check_no_leak(pool, alloc);
}

static void those_left_waiting_are_closed(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_mailbox *empty = co4_mailbox_create(sizeof(int), 1),
                *full = co4_mailbox_create(sizeof(int), 1);
    co4_task *kept[3];
    co4_fiber *co4 = co4_abi_run_begin();
    for (int i = 0; i < 20; i++) {
        CALL(passer, getter, .in = empty, .n = 1);
        CALL(passer, putter, .out = full, .n = 2);
        co4_abi_spawn(NULL, getter);
        co4_abi_spawn(NULL, putter);
    }
    CALL(passer, one, .in = empty, .n = 1);
    kept[0] = co4_abi_task(one);
    assert_int_equal(co4_runtime_schedule(NULL, kept[0]), CO4_OK);
    co4_abi_run_end(co4);
    assert_int_equal(co4_task_state_of(kept[0]), CO4_TASK_STOPPED);
    assert_int_equal(co4_task_error(kept[0]), CO4_ECANCELED);
    co4_task_release(kept[0]);
    assert_int_equal(co4_mailbox_destroy(empty), CO4_OK); /* they have no waiters any more */
    assert_int_equal(co4_mailbox_destroy(full), CO4_OK);
    check_no_leak(pool, alloc);
}

static void nested(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_fiber *outer = co4_abi_run_begin();
    co4_mailbox *a = co4_mailbox_create(sizeof(int), 100), *b = co4_mailbox_create(sizeof(int), 1);
    CALL(pair, call, .a = a, .b = b, .n = 10);
    assert_int_equal(run_call(call), 55);
    assert_ptr_equal(co4_self(), (co4_task *)(void *)outer);
    co4_abi_run_end(outer);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
    check_no_leak(pool, alloc);
}

static void a_wait_that_cannot_end(void **state)
{
    (void)state;
    if (co4__has_threads)
        skip();
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    CALL(passer, call, .in = mb, .n = 1);
    assert_int_equal(run_call(call), 0);
    assert_int_equal(co4_run_error(), CO4_EDEADLK);
    co4_mailbox_destroy(mb);
    check_no_leak(pool, alloc);
}

/* A result of 64 bytes: the call site has a frame for it on its stack, saved as the root. */
struct big {
    long long x[8];
};
struct root {
    co4_frame head;
    struct big value;
};
static void root_resume(co4_fiber *co4, co4_frame *head)
{
    (void)co4, (void)head;
}
DESCRIBE(root, root, sizeof(struct big), 1, offsetof(struct root, value));

struct wide {
    co4_frame head;
    int r;
    co4_mailbox *mb;
};
static void wide_resume(co4_fiber *co4, co4_frame *head)
{
    struct wide *f = (void *)head;
    co4_frame *caller = head->caller;
    ENTRY2(f);
    AWAIT(f, 1, f->r, co4_yield__co4(co4));
    AWAIT(f, 2, f->r, co4_sleep__co4(co4, 1));
    if (f->r == CO4_OK)
        ((struct big *)co4_abi_wide_result(caller))->x[7] = 77;
    else
        ((struct big *)co4_abi_wide_result(caller))->x[7] = f->r;
    co4_abi_frame_drop(co4, f);
}
DESCRIBE(wide, wide, sizeof(struct big), 2, 0);

static void wide_result(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    for (int n = 0; n < 6; n++) {
        long long value = 0;
        co4_fiber *co4 = co4_abi_run_begin();
        co4_test_fail_alloc(n);
        struct wide *f = co4_abi_frame_take(co4, &wide_func.func);
        if (f)
            wide_resume(co4, &f->head);
        struct root root = { .head = { .at = root_func.points } };
        assert_true(co4_abi_pausing(co4));
        assert_ptr_equal(co4_abi_save(co4, &root, &root_func.points[1]), &root);
        if (co4_abi_run_drive(co4) == 0)
            value = root.value.x[7];
        co4_abi_run_end(co4);
        long left = co4_test_fail_alloc(0);
        if (n == 1) {
            assert_int_equal(co4_run_error(), CO4_ENOMEM);
            assert_int_equal(value, 0);
        } else {
            assert_int_equal(co4_run_error(), CO4_OK);
            assert_true(value ==
                        (n == 0 || left > 0 ? 77 : CO4_ENOMEM)); /* or no memory for the timer */
        }
        check_no_leak(pool, alloc);
    }
}

/* ---- with other threads ---- */

static void *feed(void *mb)
{
    for (int i = 1; i <= 2000; i++)
        if (co4_block(co4_mailbox_send(mb, &i)) != CO4_OK)
            return mb;
    return NULL;
}

static void woken_by_a_thread(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t thread;
    void *bad;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 3);
    pthread_create(&thread, NULL, feed, mb);
    CALL(passer, call, .in = mb, .n = 2000);
    assert_int_equal(run_call(call), 2000 * 2001 / 2);
    pthread_join(thread, &bad);
    assert_null(bad);
    co4_mailbox_destroy(mb);
}

/* Runs end while a thread sends messages to their waiters: each message arrives, or its sender
 * keeps it. */
static atomic_bool stop;
static void *feed_some(void *mb)
{
    intptr_t n = 0;
    for (int v = 1; !atomic_load(&stop);) {
        if (co4_mailbox_send_until(mb, &v, CO4_NOW) == CO4_OK)
            n++;
        co4__thread_yield();
    }
    return (void *)n;
}

struct counted {
    co4_frame head;
    co4_mailbox *mb;
    int v, r;
    atomic_int *n;
};
static void counted_resume(co4_fiber *co4, co4_frame *head);
FUNC(counted, sizeof(int), 1);
static void counted_resume(co4_fiber *co4, co4_frame *head)
{
    struct counted *f = (void *)head;
    ENTRY1(f);
    AWAIT(f, 1, f->r, co4_mailbox_receive__co4(co4, f->mb, &f->v, sizeof f->v));
    if (f->r == CO4_OK)
        atomic_fetch_add(f->n, 1);
    RETURN(f, 0);
}

static void closing_races_with_a_sender(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t thread;
    void *sent;
    atomic_int received = 0;
    long long before = co4_test_pool_live();
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    atomic_store(&stop, false);
    pthread_create(&thread, NULL, feed_some, mb);
    for (int i = 0; i < 3000; i++) {
        co4_fiber *co4 = co4_abi_run_begin();
        for (int k = 0; k < 4; k++) {
            CALL(counted, call, .mb = mb, .n = &received);
            co4_abi_spawn(NULL, call);
        }
        co4_abi_run_end(co4);
    }
    atomic_store(&stop, true);
    pthread_join(thread, &sent);
    assert_int_equal((intptr_t)sent, atomic_load(&received) + (intptr_t)co4_mailbox_len(mb));
    co4_mailbox_destroy(mb);
    assert_int_equal(co4_test_pool_live(), before);
}

/* Each allocation in turn fails: a code, a value of zero, and nothing left over. */
static void no_memory(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    for (int n = 1;; n++) {
        co4_mailbox *a = co4_mailbox_create(sizeof(int), 100),
                    *b = co4_mailbox_create(sizeof(int), 1);
        must(co4_mailbox_reserve(a, 100));
        must(co4_mailbox_reserve(b, 1));
        co4_test_fail_alloc(n);
        CALL(pair, call, .a = a, .b = b, .n = 10);
        int value = run_call(call);
        long left = co4_test_fail_alloc(0);
        co4_mailbox_close(a);
        assert_int_equal(co4_mailbox_destroy(a), CO4_OK);
        assert_int_equal(co4_mailbox_destroy(b), CO4_OK);
        check_no_leak(pool, alloc);
        if (left > 0) {
            assert_int_equal(value, 55);
            break;
        }
        assert_true(value <= 0);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_at_once),
        cmocka_unit_test(a_pair),
        cmocka_unit_test(spawned_tasks_finish),
        cmocka_unit_test(those_left_waiting_are_closed),
        cmocka_unit_test(nested),
        cmocka_unit_test(wide_result),
        cmocka_unit_test(a_wait_that_cannot_end),
        cmocka_unit_test(woken_by_a_thread),
        cmocka_unit_test(closing_races_with_a_sender),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
