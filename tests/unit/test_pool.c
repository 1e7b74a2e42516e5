/* test_pool.c - frames by size class: alignment, reuse, moves between threads, failing on demand.
 */
#include "woven.h"

#include "base/table.h"
#include "core/runtime_id.h"

#include <pthread.h>

static void sizes_and_alignment(void **state)
{
    (void)state;
    long long before = co4_test_pool_live();
    static const size_t sizes[] = { 1, 8, 16, 24, 40, 48, 72, 128, 200, 1024, 1025, 70000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *p[100];
        for (int k = 0; k < 100; k++) {
            p[k] = co4__pool_take(sizes[i]);
            assert_non_null(p[k]);
            memset(p[k], k, sizes[i]);
            assert_int_equal((uintptr_t)p[k] % 8, 0);
            if (sizes[i] % 16 == 0)
                assert_int_equal((uintptr_t)p[k] % 16, 0);
        }
        for (int k = 0; k < 100; k++) {
            assert_int_equal(p[k][0], k);
            assert_int_equal(p[k][sizes[i] - 1], k);
            co4__pool_drop(p[k], sizes[i]);
        }
    }
    assert_int_equal(co4_test_pool_live(), before);
}

/* One thread takes, another gives back, for many magazines. */
enum { MOVED = 5000 };
static void *moved[MOVED];

static void *drop_all(void *arg)
{
    (void)arg;
    for (int i = 0; i < MOVED; i++)
        co4__pool_drop(moved[i], 56);
    return NULL;
}

static void across_threads(void **state)
{
    (void)state;
    NEEDS_THREADS();
    long long before = co4_test_pool_live();
    for (int round = 0; round < 5; round++) {
        pthread_t thread;
        for (int i = 0; i < MOVED; i++)
            assert_non_null(moved[i] = co4__pool_take(56));
        assert_int_equal(co4_test_pool_live(), before + MOVED);
        assert_int_equal(pthread_create(&thread, NULL, drop_all, NULL), 0);
        pthread_join(thread, NULL);
        assert_int_equal(co4_test_pool_live(), before);
    }
}

enum { OURS = 60000 };

static void count_ours(co4_task *t, void *arg)
{
    if (co4__runtime_id_of(t) == OURS)
        ++*(int *)arg;
}

static void tasks_can_be_walked(void **state)
{
    (void)state;
    int found = 0;
    co4_task *t[300];
    for (int i = 0; i < 300; i++) {
        assert_non_null(t[i] = co4__task_take());
        co4__set_runtime_id(t[i], OURS);
    }
    co4__task_each(count_ours, &found);
    assert_int_equal(found, 300);
    for (int i = 0; i < 200; i++)
        co4__task_drop(t[i]);
    found = 0;
    co4__task_each(count_ours, &found);
    assert_int_equal(found, 100);
    for (int i = 200; i < 300; i++)
        co4__task_drop(t[i]);
}

static void fails_when_notified(void **state)
{
    (void)state;
    void *p;
    co4_test_fail_alloc(2);
    assert_non_null(p = co4__pool_take(40));
    assert_null(co4__pool_take(40));
    co4__pool_drop(p, 40);
    assert_non_null(p = co4__pool_take(40));
    co4__pool_drop(p, 40);
    assert_int_equal(co4_test_fail_alloc(0), 0);

    co4_test_fail_alloc(-2);
    assert_non_null(p = co4__alloc(40));
    assert_null(co4__alloc(40));
    assert_null(co4__pool_take(40));
    assert_null(co4__pool_take(4000));
    co4_test_fail_alloc(0);
    co4__free(p);
}

/* A thread gives back what another has taken, and has taken nothing: it has no cache. */
static void *drop_without_cache(void *arg)
{
    void **p = arg;
    for (int i = 0; i < 100; i++)
        co4__pool_drop(p[i], 40);
    return NULL;
}

static void without_a_cache(void **state)
{
    (void)state;
    NEEDS_THREADS();
    long long before = co4_test_pool_live();
    void *p[100];
    pthread_t thread;
    for (int i = 0; i < 100; i++)
        assert_non_null(p[i] = co4__pool_take(40));
    assert_int_equal(pthread_create(&thread, NULL, drop_without_cache, p), 0);
    pthread_join(thread, NULL);
    assert_int_equal(co4_test_pool_live(), before);
    for (int i = 0; i < 100; i++)
        assert_non_null(p[i] = co4__pool_take(40));
    for (int i = 0; i < 100; i++)
        co4__pool_drop(p[i], 40);
    assert_int_equal(co4_test_pool_live(), before);
}

static void a_task_is_small(void **state)
{
    (void)state;
    if (sizeof(void *) == 8)
        assert_int_equal(sizeof(co4_task), 72);
}

/* Two threads may have allocated it for one table. */
static void a_table_takes_memory_once(void **state)
{
    (void)state;
    static struct co4__table t;
    static struct co4__table_node nodes[1000];
    size_t n = 0, bytes = 0;
    for (; n < 1000 && bytes == 0; n++) {
        co4__table_add(&t, &nodes[n], n);
        bytes = co4__table_wants(&t);
    }
    assert_true(bytes > 0);
    void *memory = calloc(1, bytes), *other = calloc(1, bytes);
    assert_true(co4__table_give(&t, memory, bytes));
    assert_false(co4__table_give(&t, other, bytes));
    free(other);
    for (; n < 1000; n++)
        co4__table_add(&t, &nodes[n], n);
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(co4__table_find(&t, i), &nodes[i]);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_alignment),       cmocka_unit_test(across_threads),
        cmocka_unit_test(tasks_can_be_walked),       cmocka_unit_test(fails_when_notified),
        cmocka_unit_test(without_a_cache),           cmocka_unit_test(a_task_is_small),
        cmocka_unit_test(a_table_takes_memory_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
