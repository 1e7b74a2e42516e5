/* test_queue.c - a worker's queue: order, counts, and the notified bit under many producers. */
#include "woven.h"

#include <pthread.h>

static co4_task item[8];

static void inner_is_a_fifo(void **state)
{
    (void)state;
    struct co4__queue q;
    co4__queue_init(&q);
    assert_null(co4__queue_fetch(&q));
    for (int i = 0; i < 8; i++)
        co4__queue_push(&q, &item[i]);
    assert_in_range(co4__queue_load(&q), 6, 8);
    for (int i = 0; i < 8; i++)
        assert_ptr_equal(co4__queue_fetch(&q), &item[i]);
    assert_true(co4__queue_load(&q) > 0); /* they run */
    for (int i = 0; i < 8; i++)
        co4__queue_done(&q);
    assert_int_equal(co4__queue_load(&q), 0);
}

static void inbox_is_a_fifo_behind_inner(void **state)
{
    (void)state;
    struct co4__queue q;
    co4__queue_init(&q);
    for (int i = 1; i < 8; i++)
        assert_int_equal(co4__queue_push_rx(&q, &item[i]), CO4__PUSHED); /* the owner is awake */
    assert_int_equal(co4__queue_load(&q), 7);
    co4__queue_push(&q, &item[0]);
    for (int i = 0; i < 8; i++)
        assert_ptr_equal(co4__queue_fetch(&q), &item[i]);
    assert_null(co4__queue_fetch(&q));
    assert_true(co4__queue_pushes_done(&q));
}

static void only_the_first_marker_pays(void **state)
{
    (void)state;
    struct co4__queue q;
    co4__queue_init(&q);
    assert_true(co4__queue_sleep(&q));
    assert_int_equal(co4__queue_push_rx(&q, &item[0]), CO4__PUSH_WAKE);
    assert_int_equal(co4__queue_push_rx(&q, &item[1]), CO4__PUSHED);
    assert_false(co4__queue_sleep(&q)); /* there is work */
    assert_ptr_equal(co4__queue_fetch(&q), &item[0]);
    assert_false(co4__queue_sleep(&q));
    assert_ptr_equal(co4__queue_fetch(&q), &item[1]);
    co4__queue_done(&q);
    co4__queue_done(&q);
    assert_true(co4__queue_sleep(&q));
    assert_true(co4__queue_unsleep(&q)); /* by itself: no thread owes a wake */
    assert_false(co4__queue_interrupt(&q));
    assert_true(co4__queue_sleep(&q));
    assert_true(co4__queue_interrupt(&q));
    assert_false(co4__queue_unsleep(&q)); /* a waker was first */
}

/* Producers push numbered items. The owner fetches, sleeps when empty, and is woken by the producer
 * that has to do it. */
enum { PRODUCERS = 4, EACH = 20000 };
static struct co4__queue shared;
static struct co4__parker parker;
static co4_task *items[PRODUCERS];
static atomic_uint wakes;

static void *produce(void *arg)
{
    co4_task *mine = arg;
    for (int i = 0; i < EACH; i++)
        if (co4__queue_push_rx(&shared, &mine[i]) == CO4__PUSH_WAKE) {
            atomic_fetch_add(&wakes, 1);
            co4__parker_wake(&parker);
        }
    return NULL;
}

static void many_producers(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t thread[PRODUCERS];
    int next[PRODUCERS] = { 0 };
    unsigned slept = 0;
    co4__queue_init(&shared);
    assert_int_equal(co4__parker_init(&parker), CO4_OK);
    for (int p = 0; p < PRODUCERS; p++) {
        items[p] = calloc(EACH, sizeof(co4_task));
        assert_int_equal(pthread_create(&thread[p], NULL, produce, items[p]), 0);
    }
    for (int taken = 0; taken < PRODUCERS * EACH;) {
        co4_task *t = co4__queue_fetch(&shared);
        if (!t) {
            if (co4__queue_sleep(&shared)) {
                slept++;
                assert_int_equal(co4__parker_wait(&parker, co4_now() + 20 * CO4_SEC),
                                 CO4_OK); /* no wake is lost */
            }
            continue;
        }
        int p = 0;
        while (t < items[p] || t >= items[p] + EACH)
            p++;
        assert_int_equal(t - items[p], next[p]); /* each once, in its producer's order */
        next[p]++;
        taken++;
        co4__queue_done(&shared);
    }
    for (int p = 0; p < PRODUCERS; p++)
        pthread_join(thread[p], NULL);
    assert_int_equal(atomic_load(&wakes), slept); /* no wake too many */
    assert_true(co4__queue_pushes_done(&shared));
    assert_int_equal(co4__queue_load(&shared), 0);
    co4__parker_fini(&parker);
    for (int p = 0; p < PRODUCERS; p++)
        free(items[p]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_is_a_fifo),
        cmocka_unit_test(inbox_is_a_fifo_behind_inner),
        cmocka_unit_test(only_the_first_marker_pays),
        cmocka_unit_test(many_producers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
