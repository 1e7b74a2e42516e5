/* test_nomem.c - a small program on a whole runtime, once for each allocation it makes, with that
 * one failing; and once more with all that follow failing, too. It gets codes, comes to an end,
 * and leaves nothing behind. */
#include "woven.h"

enum { N = 5 };

/* Puts 0..N-1, each with a deadline; then closes. */
struct source {
    co4_frame head;
    co4_mailbox *mb;
    int i, r, *codes;
};
static void source_resume(co4_fiber *co4, co4_frame *head);
FUNC(source, sizeof(int), 1);
static void source_resume(co4_fiber *co4, co4_frame *head)
{
    struct source *f = (void *)head;
    ENTRY1(f);
    for (f->i = 0; f->i < N; f->i++) {
        AWAIT(
            f, 1, f->r,
            co4_mailbox_send_until__co4(co4, f->mb, &f->i, sizeof f->i, co4_now() + 100 * CO4_SEC));
        f->codes[f->i] = f->r;
    }
    co4_mailbox_close(f->mb);
    RETURN(f, 0);
}

/* Waits for each in a frame of its own, one call deeper: that frame may fail. */
struct inner {
    co4_frame head;
    co4_mailbox *mb;
    int v, r;
};
static void inner_resume(co4_fiber *co4, co4_frame *head);
FUNC(inner, sizeof(int), 2);
static void inner_resume(co4_fiber *co4, co4_frame *head)
{
    struct inner *f = (void *)head;
    ENTRY2(f);
    AWAIT(f, 1, f->r, co4_sleep__co4(co4, CO4_US));
    AWAIT(f, 2, f->r, co4_mailbox_receive__co4(co4, f->mb, &f->v, sizeof f->v));
    RETURN(f, f->r == CO4_OK ? f->v : -1);
}

static int inner__co4(co4_fiber *co4, co4_mailbox *mb)
{
    struct inner *f = co4_abi_frame_take(co4, &inner_func.func); /* pinned: at entry */
    if (!f)
        return 0;
    f->mb = mb;
    inner_resume(co4, &f->head);
    return co4_abi_pausing(co4) ? 0 : co4->result.i; /* while it pauses, `result` is its waker's */
}

struct sink {
    co4_frame head;
    co4_mailbox *mb;
    int r, sum, *out;
};
static void sink_resume(co4_fiber *co4, co4_frame *head);
FUNC(sink, sizeof(int), 1);
static void sink_resume(co4_fiber *co4, co4_frame *head)
{
    struct sink *f = (void *)head;
    ENTRY1(f);
    do {
        AWAIT(f, 1, f->r, inner__co4(co4, f->mb));
        if (f->r >= 0)
            f->sum += f->r;
    } while (f->r >= 0);
    *f->out = f->sum;
    RETURN(f, 0);
}

/* True when it went through undisturbed. */
static bool program(int workers)
{
    int codes[N] = { 0 }, sum = -1;
    bool fine = false;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
    if (!rt)
        return false;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    int err = mb ? co4_runtime_start(rt) : CO4_ENOMEM;
    if (err == CO4_OK) {
        CALL(source, a, .mb = mb, .codes = codes);
        CALL(sink, b, .mb = mb, .out = &sum);
        co4_task *t = co4_abi_task(b);
        co4_task *s = co4_abi_spawn(rt, a);
        if (t)
            assert_int_equal(co4_runtime_schedule(rt, t), CO4_OK);
        if (!s || !t)
            co4_mailbox_close(mb);
        if (t)
            err = co4_block(co4_task_join(t));
        assert_true(err == CO4_OK || err == CO4_ENOMEM);
        co4_mailbox_close(mb); /* in case the sink failed */
        assert_int_equal(co4_runtime_join(rt), CO4_OK);
        fine = s && t && err == CO4_OK && sum == N * (N - 1) / 2;
        for (int i = 0; i < N; i++)
            assert_true(codes[i] == CO4_OK || codes[i] == CO4_ENOMEM || codes[i] == CO4_ECLOSED);
        co4_task_release(t);
    } else {
        assert_int_equal(err, CO4_ENOMEM);
    }
    assert_int_equal(co4_mailbox_destroy(mb), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    return fine;
}

static void sweep(int workers, int sign)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    int failed = 0;
    for (long n = 1;; n++) {
        co4_test_fail_alloc(sign * n);
        bool fine = program(workers);
        long left = co4_test_fail_alloc(0);
        check_no_leak(pool, alloc);
        failed += !fine;
        if (sign > 0 ? left > 0 : left < -1) {
            assert_true(fine);
            break;
        }
        assert_true(n < 1000);
    }
    assert_true(failed > 8);
}

static void one_fails(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        sweep(1 + i % 3, 1);
}

static void all_fail_from_there(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        sweep(1 + i % 3, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fails),
        cmocka_unit_test(all_fail_from_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
