/* test_mailbox.c - four forms of put and get, bounds, close, deadlines, hand-over; alone and with
 * threads. */
#include "woven.h"

#include <pthread.h>

/* One operation in a task: its code is kept in *code, 1 while it waits. */
struct op {
    co4_frame head;
    co4_mailbox *mb;
    int put;
    int64_t deadline;
    int *code, *value;
    int v, r;
};
static void op_resume(co4_fiber *co4, co4_frame *head);
FUNC(op, sizeof(int), 2);
static void op_resume(co4_fiber *co4, co4_frame *head)
{
    struct op *f = (void *)head;
    ENTRY2(f);
    *f->code = 1;
    f->v = *f->value;
    if (f->put)
        AWAIT(f, 1, f->r, co4_mailbox_send_until__co4(co4, f->mb, &f->v, sizeof f->v, f->deadline));
    else
        AWAIT(f, 2, f->r,
              co4_mailbox_receive_until__co4(co4, f->mb, &f->v, sizeof f->v, f->deadline));
    *f->code = f->r;
    *f->value = f->v;
    RETURN(f, f->r);
}

static co4_runtime *rt;

static void start(co4_mailbox *mb, int put, int64_t deadline, int *code, int *value)
{
    CALL(op, call, .mb = mb, .put = put, .deadline = deadline, .code = code, .value = value);
    assert_non_null(co4_abi_spawn(rt, call));
    while (co4_runtime_run_once(rt) > 0)
        ;
}

static void settle(void)
{
    while (co4_runtime_run_once(rt) > 0)
        ;
}

static int make_rt(void **state)
{
    (void)state;
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    return rt == NULL;
}

static int drop_rt(void **state)
{
    (void)state;
    return co4_runtime_destroy(rt);
}

static void creation(void **state)
{
    (void)state;
    co4_mailbox *mb;
    assert_null(co4_mailbox_create(0, 1));
    assert_null(co4_mailbox_create((size_t)1 << 31, 1));
    co4_test_fail_alloc(1);
    assert_null(co4_mailbox_create(4, 1));
    co4_test_fail_alloc(0);
    mb = co4_mailbox_create(4, CO4_MAILBOX_CAPACITY);
    assert_non_null(mb);
    assert_int_equal(co4_mailbox_capacity(mb), 300);
    assert_int_equal(co4_mailbox_destroy(mb), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(NULL), CO4_OK);
    assert_int_equal(co4_mailbox_receive_until(NULL, &mb, CO4_NOW), CO4_EINVAL);
    assert_int_equal(co4_mailbox_close(NULL), CO4_EINVAL);
}

static void bound_and_order(void **state)
{
    (void)state;
    long long before = co4_test_alloc_live();
    static const size_t capacities[] = { 1, 2, 3, 4, 5, 7, 8, 300 };
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
        int cap = (int)capacities[c], in = 0, out = 0, v;
        co4_mailbox *mb = co4_mailbox_create(sizeof(int), capacities[c]);
        for (int round = 0; round < 5; round++) {
            while (co4_mailbox_send_until(mb, &in, CO4_NOW) == CO4_OK)
                in++;
            assert_int_equal(co4_mailbox_send_until(mb, &in, CO4_NOW), CO4_EFULL);
            assert_int_equal(co4_mailbox_len(mb), cap);
            for (int i = 0; i < (round == 4 ? cap : cap - cap / 3); i++) {
                assert_int_equal(co4_mailbox_receive_until(mb, &v, CO4_NOW), CO4_OK);
                assert_int_equal(v, out++);
            }
        }
        assert_int_equal(in, out);
        v = -5;
        assert_int_equal(co4_mailbox_receive_until(mb, &v, CO4_NOW), CO4_EEMPTY);
        assert_int_equal(v, -5);
        co4_mailbox_destroy(mb);
    }
    assert_int_equal(co4_test_alloc_live(), before);
}

static void elements_of_any_size(void **state)
{
    (void)state;
    for (size_t size = 1; size < 70; size += 3) {
        unsigned char in[70], out[70];
        co4_mailbox *mb = co4_mailbox_create(size, 6);
        for (unsigned i = 0; i < 20; i++) {
            memset(in, (int)i, size);
            assert_int_equal((co4_mailbox_send_until)(mb, in, size, CO4_NOW), CO4_OK);
            if (i % 4 == 3)
                for (unsigned k = i - 3; k <= i; k++) {
                    assert_int_equal((co4_mailbox_receive_until)(mb, out, size, CO4_NOW), CO4_OK);
                    assert_int_equal(out[0], k);
                    assert_int_equal(out[size - 1], k);
                }
        }
        co4_mailbox_destroy(mb);
    }
}

static void no_memory_for_the_ring(void **state)
{
    (void)state;
    int v = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 100);
    co4_test_fail_alloc(1);
    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_ENOMEM);
    co4_test_fail_alloc(0);
    assert_int_equal(co4_mailbox_reserve(mb, 1000), CO4_OK);
    co4_test_fail_alloc(-1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_OK);
    co4_test_fail_alloc(0);
    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_EFULL);
    co4_mailbox_destroy(mb); /* with messages in it */
}

static void hand_over_to_receivers(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int code[3], value[3] = { 0 };
    for (int i = 0; i < 3; i++)
        start(mb, 0, CO4_NEVER, &code[i], &value[i]);
    assert_int_equal(co4_mailbox_destroy(mb), CO4_EBUSY);
    long long before = co4_test_alloc_live();
    for (int v = 10; v < 13; v++)
        assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW),
                         CO4_OK); /* three, though the capacity is one */
    assert_int_equal(co4_mailbox_len(mb), 0);
    assert_int_equal(co4_test_alloc_live(), before); /* no ring was needed */
    settle();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(code[i], CO4_OK);
        assert_int_equal(value[i], 10 + i); /* first come, first served */
    }
    co4_mailbox_destroy(mb);
}

static void waiting_senders(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    int code[5], value[5], v;
    for (int i = 0; i < 5; i++) {
        value[i] = i;
        start(mb, 1, CO4_NEVER, &code[i], &value[i]);
        assert_int_equal(code[i], i < 2 ? CO4_OK : 1);
    }
    for (int i = 0; i < 5; i++) {
        assert_int_equal(co4_mailbox_receive_until(mb, &v, CO4_NOW), CO4_OK);
        assert_int_equal(v, i);
        assert_int_equal(co4_mailbox_len(mb),
                         i < 3 ? 2 : 4 - i); /* a sender's message took the place */
        settle();
        for (int k = 0; k < 5; k++)
            assert_int_equal(code[k], k <= i + 2 ? CO4_OK : 1);
    }
    co4_mailbox_destroy(mb);
}

static void closing(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    int code[2], value[2] = { -1, -1 }, v = 7;
    start(mb, 0, CO4_NEVER, &code[0], &value[0]);
    start(mb, 0, co4_now() + 100 * CO4_SEC, &code[1], &value[1]); /* its timer must go, too */
    assert_int_equal(co4_mailbox_close(mb), CO4_OK);
    assert_int_equal(co4_mailbox_close(mb), CO4_OK);
    settle();
    assert_int_equal(code[0], CO4_ECLOSED);
    assert_int_equal(code[1], CO4_ECLOSED);
    assert_int_equal(value[0], -1);
    assert_int_equal(co4_runtime_next_deadline(rt), CO4_NEVER);
    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_ECLOSED);
    assert_int_equal(co4_mailbox_is_closed(mb), 1);
    co4_mailbox_destroy(mb);

    mb = co4_mailbox_create(sizeof(int), 1);
    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_OK);
    start(mb, 1, CO4_NEVER, &code[0], &value[0]);
    start(mb, 1, co4_now() + 100 * CO4_SEC, &code[1], &value[1]);
    co4_mailbox_close(mb);
    settle();
    assert_int_equal(code[0], CO4_ECLOSED);
    assert_int_equal(code[1], CO4_ECLOSED);
    v = 0;
    start(mb, 0, CO4_NEVER, &code[0], &value[0]); /* the remaining message comes first */
    assert_int_equal(code[0], CO4_OK);
    assert_int_equal(value[0], 7);
    start(mb, 0, CO4_NEVER, &code[0], &value[0]);
    assert_int_equal(code[0], CO4_ECLOSED);
    assert_int_equal(co4_block(co4_mailbox_receive(mb, &v)), CO4_ECLOSED);
    assert_int_equal(co4_block(co4_mailbox_send(mb, &v)), CO4_ECLOSED);
    co4_mailbox_destroy(mb);
}

static void deadlines_in_tasks(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int code[3], value[3] = { 1, 2, 3 };
    start(mb, 0, 0, &code[0], &value[0]); /* long past: does not wait */
    assert_int_equal(code[0], CO4_ETIMEDOUT);
    start(mb, 0, co4_now() + 3600 * CO4_SEC, &code[2], &value[2]);
    int64_t from, later = 10 * CO4_MS;
    bool both_wait = false;
    while (!both_wait) { /* before one of them is due: else once more, with more time */
        settle();
        from = co4_now();
        later *= 2;
        start(mb, 0, from + 2 * later, &code[0], &value[0]);
        start(mb, 0, from + later, &code[1], &value[1]);
        both_wait = code[0] == 1 && code[1] == 1;
        co4__sleep_thread(both_wait ? 0 : from + 2 * later);
    }
    assert_int_equal(co4_runtime_next_deadline(rt), from + later);
    co4__sleep_thread(from + later);
    settle();
    assert_int_equal(code[1], CO4_ETIMEDOUT);
    assert_int_equal(value[1], 2);
    co4__sleep_thread(from + 2 * later);
    settle();
    assert_int_equal(code[0], CO4_ETIMEDOUT);
    int v = 42;
    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW),
                     CO4_OK); /* to the third, not to the two that left */
    settle();
    assert_int_equal(code[2], CO4_OK);
    assert_int_equal(value[2], 42);
    assert_int_equal(co4_runtime_next_deadline(rt), CO4_NEVER);

    assert_int_equal(co4_mailbox_send_until(mb, &v, CO4_NOW), CO4_OK);
    start(mb, 1, co4_now() + CO4_MS, &code[0], &value[0]);
    co4__sleep_thread(co4_now() + 2 * CO4_MS);
    settle();
    assert_int_equal(code[0], CO4_ETIMEDOUT);
    assert_int_equal(co4_mailbox_len(mb), 1);
    co4_mailbox_destroy(mb);
    assert_int_equal(co4_test_pool_live(), before);
}

static void block_forms_alone(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int v = 5, w = 0;
    assert_int_equal(co4_block(co4_mailbox_receive_until(mb, &w, co4_now() + CO4_MS)),
                     CO4_ETIMEDOUT);
    assert_int_equal(co4_block(co4_mailbox_send(mb, &v)), CO4_OK);
    assert_int_equal(co4_block(co4_mailbox_send_until(mb, &v, co4_now() + CO4_MS)), CO4_ETIMEDOUT);
    assert_int_equal(co4_block(co4_mailbox_send_until(mb, &v, 0)), CO4_ETIMEDOUT);
    assert_int_equal(co4_block(co4_mailbox_receive(mb, &w)), CO4_OK);
    assert_int_equal(w, 5);
    if (!co4__has_threads) {
        assert_int_equal(co4_block(co4_mailbox_receive(mb, &w)), CO4_EDEADLK);
        assert_int_equal(co4_mailbox_destroy(mb), CO4_OK); /* it has no waiters */
        return;
    }
    co4_mailbox_destroy(mb);
}

/* Inside a task a thread must not block. */
struct blocks {
    co4_frame head;
    co4_mailbox *mb;
    int *codes;
};
static void blocks_resume(co4_fiber *co4, co4_frame *head);
FUNC(blocks, sizeof(int), 0);
static void blocks_resume(co4_fiber *co4, co4_frame *head)
{
    struct blocks *f = (void *)head;
    int v = 0;
    f->codes[0] = co4_block(co4_mailbox_send(f->mb, &v));
    f->codes[1] = co4_block(co4_mailbox_receive(f->mb, &v));
    f->codes[2] = co4_block(co4_mailbox_receive_until(f->mb, &v, 0));
    f->codes[3] = co4_runtime_join(rt);
    f->codes[4] = co4_runtime_destroy(rt);
    RETURN(f, 0);
}

static void blocking_in_a_task(void **state)
{
    (void)state;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int codes[5];
    CALL(blocks, call, .mb = mb, .codes = codes);
    co4_abi_spawn(rt, call);
    settle();
    for (int i = 0; i < 5; i++)
        assert_int_equal(codes[i], CO4_EDEADLK);
    co4_mailbox_destroy(mb);
}

/* ---- threads ---- */

enum { PUTTERS = 3, EACH = 20000 };
static co4_mailbox *busy;
static atomic_llong sum;
static atomic_int got;

static void *put_many(void *arg)
{
    int base = (int)(intptr_t)arg * EACH;
    for (int i = 0; i < EACH; i++) {
        int v = base + i;
        int err = i % 2 ? co4_block(co4_mailbox_send(busy, &v))
                        : co4_block(co4_mailbox_send_until(busy, &v, co4_now() + 60 * CO4_SEC));
        if (err != CO4_OK)
            return (void *)1;
    }
    return NULL;
}

static void *get_many(void *arg)
{
    int last[PUTTERS] = { -1, -1, -1 }, v, err;
    (void)arg;
    while ((err = co4_block(co4_mailbox_receive(busy, &v))) == CO4_OK) {
        if (v <= last[v / EACH])
            return (void *)1; /* order per producer */
        last[v / EACH] = v;
        atomic_fetch_add(&sum, v);
        atomic_fetch_add(&got, 1);
    }
    return err == CO4_ECLOSED ? NULL : (void *)1;
}

static void threads_alone(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t put[PUTTERS], get[2];
    void *bad;
    busy = co4_mailbox_create(sizeof(int), 7);
    for (int i = 0; i < 2; i++)
        pthread_create(&get[i], NULL, get_many, NULL);
    for (int i = 0; i < PUTTERS; i++)
        pthread_create(&put[i], NULL, put_many, (void *)(intptr_t)i);
    for (int i = 0; i < PUTTERS; i++) {
        pthread_join(put[i], &bad);
        assert_null(bad);
    }
    co4_mailbox_close(busy);
    for (int i = 0; i < 2; i++) {
        pthread_join(get[i], &bad);
        assert_null(bad);
    }
    long long n = (long long)PUTTERS * EACH;
    assert_int_equal(atomic_load(&got), n);
    assert_int_equal(atomic_load(&sum), n * (n - 1) / 2);
    co4_mailbox_destroy(busy);
}

/* Tight deadlines against a thread that hands over: each message arrives once, or its sender keeps
 * it. */
static void *get_with_deadlines(void *arg)
{
    intptr_t *n = arg;
    int v, err;
    do {
        err = co4_block(co4_mailbox_receive_until(busy, &v, co4_now() + 20 * CO4_US));
        *n += err == CO4_OK;
    } while (err == CO4_OK || err == CO4_ETIMEDOUT);
    return NULL;
}

static void deadlines_race(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t get[2];
    intptr_t n[2] = { 0, 0 }, sent = 0;
    busy = co4_mailbox_create(sizeof(int), 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&get[i], NULL, get_with_deadlines, &n[i]);
    for (int v = 0; v < 3000; v++) {
        sent += co4_block(co4_mailbox_send_until(busy, &v, co4_now() + 20 * CO4_US)) == CO4_OK;
        if (v % 4 == 0)
            co4__sleep_thread(co4_now() + 20 * CO4_US);
    }
    while (co4_mailbox_len(busy) > 0)
        co4__thread_yield();
    co4_mailbox_close(busy);
    for (int i = 0; i < 2; i++)
        pthread_join(get[i], NULL);
    assert_int_equal(n[0] + n[1], sent);
    assert_true(sent > 0);
    co4_mailbox_destroy(busy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation),
        cmocka_unit_test(bound_and_order),
        cmocka_unit_test(elements_of_any_size),
        cmocka_unit_test(no_memory_for_the_ring),
        cmocka_unit_test(hand_over_to_receivers),
        cmocka_unit_test(waiting_senders),
        cmocka_unit_test(closing),
        cmocka_unit_test(deadlines_in_tasks),
        cmocka_unit_test(block_forms_alone),
        cmocka_unit_test(blocking_in_a_task),
        cmocka_unit_test(threads_alone),
        cmocka_unit_test(deadlines_race),
    };
    return cmocka_run_group_tests(tests, make_rt, drop_rt);
}
