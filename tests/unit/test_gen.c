/* test_gen.c - generators: values, sends, look-ahead, results wide and narrow, early ends, misuse.
 */
#include "woven.h"

/* pausable int count(int n, int *got) { for (int i = 0; i < n; i++) { int v = i;
 * co4_gen_yield(&v); got[i] = v; } return n; } */
struct count {
    co4_frame head;
    int n, i, v, r, *got;
};
static void count_resume(co4_fiber *co4, co4_frame *head);
FUNC(count, sizeof(int), 1);
static void count_resume(co4_fiber *co4, co4_frame *head)
{
    struct count *f = (void *)head;
    ENTRY1(f);
    for (f->i = 0; f->i < f->n; f->i++) {
        f->v = f->i;
        AWAIT(f, 1, f->r, co4_gen_yield__co4(co4, &f->v, sizeof f->v));
        if (f->got)
            f->got[f->i] = f->v;
    }
    RETURN(f, f->n);
}

static co4_gen *count_gen(int n, int *got)
{
    CALL(count, call, .n = n, .got = got);
    return co4_abi_generate(call);
}

static void values_then_result(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    co4_gen *g = count_gen(3, NULL);
    int v = -1;
    assert_int_equal(co4_gen_result(g, &v), CO4_ESTATE);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(co4_gen_next(g, &v), CO4_OK);
        assert_int_equal(v, i);
    }
    v = 99;
    assert_int_equal(co4_gen_next(g, &v), CO4_ECLOSED);
    assert_int_equal(co4_gen_next(g, &v), CO4_ECLOSED);
    assert_int_equal(v, 99);
    assert_int_equal(co4_gen_result(g, &v), CO4_OK);
    assert_int_equal(v, 3);
    assert_int_equal(co4_gen_destroy(g), CO4_OK);
    assert_int_equal(co4_test_pool_live(), before);
}

static void sends_arrive_in_place(void **state)
{
    (void)state;
    int got[3] = { -1, -1, -1 }, v, x = 10;
    co4_gen *g = count_gen(3, got);
    assert_int_equal(co4_gen_send(g, &x), CO4_ESTATE);
    assert_int_equal(co4_gen_next(g, &v), CO4_OK);
    assert_int_equal(co4_gen_send(g, &x), CO4_OK);
    x = 11;
    assert_int_equal(co4_gen_send(g, &x), CO4_OK); /* the last one counts */
    assert_int_equal(co4_gen_next(g, &v), CO4_OK);
    assert_int_equal(v, 1);
    assert_int_equal(got[0], 11);
    assert_int_equal(co4_gen_has_more(g), 1); /* resumes: 1 got nothing */
    assert_int_equal(got[1], 1);
    x = 12;
    assert_int_equal(co4_gen_send(g, &x), CO4_OK); /* waits until the value found is taken */
    assert_int_equal(co4_gen_send(g, &x), CO4_OK);
    assert_int_equal(co4_gen_next(g, &v), CO4_OK);
    assert_int_equal(v, 2);
    assert_int_equal(co4_gen_has_more(g), 0);
    assert_int_equal(got[2], 12);
    assert_int_equal(co4_gen_send(g, &x), CO4_ECLOSED);
    co4_gen_destroy(g);
}

static void sizes_must_agree(void **state)
{
    (void)state;
    co4_gen *g = count_gen(1, NULL);
    long long wide = 5;
    int v;
    assert_int_equal(co4_gen_next(g, &wide), CO4_EINVAL);
    assert_int_equal(wide, 5);
    assert_int_equal(co4_gen_next(g, &v), CO4_OK); /* it was kept */
    assert_int_equal(v, 0);
    assert_int_equal(co4_gen_send(g, &wide), CO4_EINVAL);
    assert_int_equal((co4_gen_next)(g, NULL, 0), CO4_ECLOSED);
    assert_int_equal(co4_gen_result(g, &wide), CO4_EINVAL);
    assert_int_equal(co4_gen_result(g, &v), CO4_OK);
    co4_gen_destroy(g);
}

static void early_ends(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    int v;
    co4_gen *g = count_gen(5, NULL);
    assert_int_equal(co4_gen_close(g), CO4_OK); /* before it ran */
    assert_int_equal(co4_gen_next(g, &v), CO4_ECLOSED);
    co4_gen_destroy(g);

    g = count_gen(5, NULL);
    co4_gen_next(g, &v);
    assert_int_equal(co4_gen_has_more(g), 1);
    assert_int_equal(co4_gen_send(g, &v), CO4_OK); /* stashed, never taken */
    assert_int_equal(co4_gen_close(g), CO4_OK);
    assert_int_equal(co4_gen_close(g), CO4_OK);
    assert_int_equal(co4_gen_has_more(g), 0);
    assert_int_equal(co4_gen_result(g, &v), CO4_ECLOSED);
    assert_int_equal(co4_gen_send(g, &v), CO4_ECLOSED);
    co4_gen_destroy(g);

    g = count_gen(5, NULL); /* destroyed unfinished */
    co4_gen_next(g, &v);
    co4_gen_destroy(g);
    g = count_gen(5, NULL);
    co4_gen_destroy(g);
    assert_int_equal(co4_gen_destroy(NULL), CO4_OK);
    assert_int_equal(co4_gen_next(NULL, &v), CO4_EINVAL);
    assert_int_equal(co4_test_pool_live(), before);
}

/* A generator that calls the primitives of tasks, and itself. */
struct misuse {
    co4_frame head;
    co4_gen **self;
    co4_mailbox *mb;
    int codes[6];
    int r;
};
static void misuse_resume(co4_fiber *co4, co4_frame *head);
FUNC(misuse, sizeof(int), 1);
static void misuse_resume(co4_fiber *co4, co4_frame *head)
{
    struct misuse *f = (void *)head;
    int v = 0;
    ENTRY1(f);
    f->codes[0] = co4_yield__co4(co4);
    f->codes[1] = co4_sleep__co4(co4, 1);
    f->codes[2] = co4_mailbox_receive__co4(co4, f->mb, &v, sizeof v);
    f->codes[3] = co4_mailbox_send_until__co4(co4, f->mb, &v, sizeof v, 0);
    f->codes[4] = co4_gen_next(*f->self, &v) == CO4_EBUSY && co4_gen_close(*f->self) == CO4_EBUSY &&
                          co4_gen_destroy(*f->self) == CO4_EBUSY
                      ? CO4_ESTATE
                      : 0;
    f->codes[5] = CO4_ESTATE;
    AWAIT(f, 1, f->r, co4_gen_yield__co4(co4, f->codes, sizeof f->codes));
    RETURN(f, 1);
}

static void tasks_words_are_refused(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_gen *g = NULL;
    CALL(misuse, call, .self = &g, .mb = mb);
    g = co4_abi_generate(call);
    int codes[6];
    assert_int_equal(co4_gen_next(g, &codes), CO4_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(codes[i], CO4_ESTATE);
    co4_gen_destroy(g);
    co4_mailbox_destroy(mb);

    co4_fiber task = { .kind = CO4_ABI_KIND_TASK };
    assert_int_equal(co4_gen_yield__co4(&task, codes, 4), CO4_ESTATE);
    assert_int_equal(task.pausing, 0);
}

/* A result of 64 bytes: the call frame stays, and is resumed at point 1 when its callee ends.
 * Here: at once, or after a yield. */
struct big {
    long long x[8];
};
struct wide {
    co4_frame head;
    int yields, r;
    struct big result;
};
static void wide_resume(co4_fiber *co4, co4_frame *head);
DESCRIBE(wide, wide, sizeof(struct big), 1, offsetof(struct wide, result));
static void wide_resume(co4_fiber *co4, co4_frame *head)
{
    struct wide *f = (void *)head;
    static const int one = 1;
    ENTRY1(f);
    if (f->yields) {
        AWAIT(f, 1, f->r, co4_gen_yield__co4(co4, &one, sizeof one));
    }
    for (int i = 0; i < 8; i++)
        f->result.x[i] = i * 11;
    co4->result.p = &f->result;
}

static void wide_results(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    for (int yields = 0; yields < 2; yields++)
        for (int how = 0; how < 3; how++) {
            CALL(wide, call, .yields = yields);
            co4_gen *g = co4_abi_generate(call);
            int v;
            struct big b = { { 0 } };
            if (how > 0 && yields)
                assert_int_equal(co4_gen_next(g, &v), CO4_OK);
            if (how > 1) {
                assert_int_equal(co4_gen_next(g, &v), CO4_ECLOSED);
                assert_int_equal(co4_gen_result(g, &b), CO4_OK);
                assert_int_equal(b.x[7], 77);
                assert_int_equal(co4_gen_result(g, &v), CO4_EINVAL);
            }
            co4_gen_destroy(g);
            assert_int_equal(co4_test_pool_live(), before);
        }
}

static void no_memory(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    for (int n = 1; n < 3; n++) {
        co4_test_fail_alloc(n);
        assert_null(count_gen(3, NULL));
        co4_test_fail_alloc(0);
        assert_int_equal(co4_test_pool_live(), before);
    }
    int v;
    co4_gen *g = count_gen(3, NULL);
    co4_gen_next(g, &v);
    co4_gen_has_more(g);
    co4_test_fail_alloc(1);
    assert_int_equal(co4_gen_send(g, &v), CO4_ENOMEM);
    co4_gen_destroy(g);
    assert_int_equal(co4_test_pool_live(), before);
}

/* The calls of CO4_PLAIN sources. */
static void plain(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    int v;
    assert_int_equal((co4_gen_yield)(&v, sizeof v), CO4_ESTATE);
    co4_plain_gen_begin();
    for (int i = 0; i < 3; i++) {
        co4_plain_gen_begin(); /* one inside the other */
        assert_int_equal(co4_gen_yield(&i), CO4_OK);
        co4_gen *inner = co4_plain_gen_end();
        assert_int_equal(co4_gen_next(inner, &v), CO4_OK);
        co4_gen_destroy(inner);
        assert_int_equal(co4_gen_yield(&v), CO4_OK);
    }
    co4_gen *g = co4_plain_gen_end();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(co4_gen_next(g, &v), CO4_OK);
        assert_int_equal(v, i);
        assert_int_equal(co4_gen_send(g, &v), CO4_ESTATE);
    }
    assert_int_equal(co4_gen_has_more(g), 1);
    co4_gen_destroy(g);

    co4_test_fail_alloc(1);
    co4_plain_gen_begin();
    assert_int_equal(co4_gen_yield(&v), CO4_ENOMEM);
    co4_plain_gen_begin();
    assert_null(co4_plain_gen_end());
    assert_null(co4_plain_gen_end());
    co4_test_fail_alloc(0);
    check_no_leak(pool, alloc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_then_result),
        cmocka_unit_test(sends_arrive_in_place),
        cmocka_unit_test(sizes_must_agree),
        cmocka_unit_test(early_ends),
        cmocka_unit_test(tasks_words_are_refused),
        cmocka_unit_test(wide_results),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
