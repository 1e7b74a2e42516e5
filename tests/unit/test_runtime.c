/* test_runtime.c - create, start, schedule, join, destroy, in good and bad order; embedding. */
#include "woven.h"

#include "core/runtime_id.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

/* pausable int work(atomic_int *n, int yields) { … ++*n; } */
struct work {
    co4_frame head;
    atomic_int *n;
    int yields, r;
};
static void work_resume(co4_fiber *co4, co4_frame *head);
FUNC(work, sizeof(int), 1);
static void work_resume(co4_fiber *co4, co4_frame *head)
{
    struct work *f = (void *)head;
    ENTRY1(f);
    while (f->yields-- > 0)
        AWAIT(f, 1, f->r, co4_yield__co4(co4));
    atomic_fetch_add(f->n, 1);
    RETURN(f, 0);
}

static atomic_int done;

static co4_task *spawn_work(co4_runtime *rt, int yields)
{
    CALL(work, call, .n = &done, .yields = yields);
    return co4_abi_spawn(rt, call);
}

static int reset(void **state)
{
    (void)state;
    atomic_store(&done, 0);
    return 0;
}

static void a_life(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3, .batch = 2 });
    assert_non_null(rt);
    for (int i = 0; i < 100; i++)
        assert_non_null(spawn_work(rt, i % 5)); /* before the start */
    assert_int_equal(co4_runtime_tasks(rt), 100);
    assert_int_equal(co4_runtime_join(rt), CO4_ESTATE);
    assert_int_equal(co4_runtime_destroy(rt), CO4_EBUSY);
    assert_int_equal(atomic_load(&done), 0);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    assert_int_equal(co4_runtime_start(rt), CO4_ESTATE);
    for (int i = 0; i < 100; i++)
        assert_non_null(spawn_work(i % 2 ? rt : NULL, i % 5)); /* NULL: the one started last */
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(atomic_load(&done), 200);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    spawn_work(rt, 3); /* it stays usable */
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(atomic_load(&done), 201);
    if (co4__has_threads)
        assert_int_equal(co4_runtime_run_once(rt), CO4_ESTATE);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    check_no_leak(pool, alloc);
}

static void bad_uses(void **state)
{
    (void)state;
    co4_runtime *rt;
    assert_null(co4_runtime_create(&(co4_runtime_options){ .workers = 1025 }));
    assert_null(co4_runtime_create(&(co4_runtime_options){ .workers = 1, .batch = -1 }));
    assert_null(co4_runtime_create(&(co4_runtime_options){ .workers = 5000 }));
    assert_int_equal(co4_runtime_start(NULL), CO4_EINVAL);
    assert_int_equal(co4_runtime_join(NULL), CO4_EINVAL);
    assert_int_equal(co4_runtime_run_once(NULL), CO4_EINVAL);
    assert_int_equal(co4_runtime_destroy(NULL), CO4_OK);
    assert_int_equal(co4_runtime_tasks(NULL), 0);
    assert_null(spawn_work(NULL, 0)); /* nowhere to run */
    rt = co4_runtime_create(NULL);
    assert_int_equal(co4_runtime_join(rt), CO4_OK); /* nothing to wait for */
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

static void threads_fail(void **state)
{
    (void)state;
    NEEDS_THREADS();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    co4_test_fail_alloc(3);
    assert_int_equal(co4_runtime_start(rt), CO4_ENOMEM); /* two had started, and were stopped */
    co4_test_fail_alloc(0);
    spawn_work(rt, 1);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(atomic_load(&done), 1);
}

static void starts_and_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        co4_runtime *rt = co4_runtime_create(
            &(co4_runtime_options){ .workers = 1 + i % 4, .batch = 1 + i % 3 });
        assert_int_equal(co4_runtime_start(rt), CO4_OK);
        for (int k = 0; k < i % 7; k++)
            spawn_work(rt, k);
        assert_int_equal(co4_runtime_join(rt), CO4_OK);
        assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    }
}

/* ---- the host drives ---- */

static atomic_int told;
static void on_ready(void *data)
{
    (void)data;
    atomic_fetch_add(&told, 1);
}

static void embedded(void **state)
{
    (void)state;
    atomic_store(&told, 0);
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED, .on_ready = on_ready });
    assert_int_equal(co4_runtime_workers(rt), 1);
    assert_int_equal(co4_runtime_run_once(rt), 0);
    spawn_work(rt, 2);
    spawn_work(rt, 2);
    assert_int_equal(atomic_load(&told), 1); /* once, until the host has looked */
    assert_int_equal(co4_runtime_next_deadline(rt), 0);
    assert_int_equal(co4_runtime_run_once(rt), 2);
    assert_int_equal(co4_runtime_run_once(rt), 2);
    assert_int_equal(atomic_load(&done), 0);
    assert_int_equal(co4_runtime_run_once(rt), 2);
    assert_int_equal(atomic_load(&done), 2);
    assert_int_equal(co4_runtime_run_once(rt), 0);
    assert_int_equal(co4_runtime_next_deadline(rt), CO4_NEVER);
    spawn_work(rt, 0);
    assert_int_equal(atomic_load(&told), 2);
    assert_int_equal(co4_runtime_destroy(rt), CO4_EBUSY);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    assert_int_equal(co4_runtime_join(rt), CO4_OK); /* runs it here */
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(atomic_load(&done), 3);
}

static void *spawn_from_outside(void *rt)
{
    for (int i = 0; i < 2000; i++)
        if (!spawn_work(rt, i % 3))
            return rt;
    return NULL;
}

static void embedded_and_other_threads(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t thread[2];
    void *bad;
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED, .on_ready = on_ready });
    co4_runtime_start(rt);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, spawn_from_outside, rt);
    while (atomic_load(&done) < 4000) {
        co4_runtime_run_once(rt);
        co4_runtime_join(rt);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

static bool rings(int fd, int ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, ms) == 1;
}

static void polled(void **state)
{
    (void)state;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    spawn_work(rt, 1); /* before there is anything to ring */
    int fd = co4_runtime_wake_fd(rt);
    assert_true(fd >= 0);
    assert_int_equal(co4_runtime_wake_fd(rt), fd);
    assert_true(rings(fd, 0));
    assert_int_equal(co4_runtime_run_once(rt), 1);
    assert_true(rings(fd, 0)); /* it has given way: there is more */
    assert_int_equal(co4_runtime_run_once(rt), 1);
    assert_false(rings(fd, 0));
    spawn_work(rt, 0);
    spawn_work(rt, 0);
    assert_true(rings(fd, 0));
    assert_int_equal(co4_runtime_run_once(rt), 2);
    assert_false(rings(fd, 0));
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);

    rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    assert_int_equal(co4_runtime_wake_fd(rt), CO4_ESTATE);
    co4_runtime_destroy(rt);
    assert_int_equal(co4_runtime_wake_fd(NULL), CO4_EINVAL);
}

/* The host waits in poll() alone, while others send work: no ring may be lost. */
static void polled_and_other_threads(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t thread[2];
    void *bad;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    int fd = co4_runtime_wake_fd(rt);
    co4_runtime_start(rt);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, spawn_from_outside, rt);
    while (atomic_load(&done) < 4000) {
        assert_true(rings(fd, 20000));
        co4_runtime_run_once(rt);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

/* Several threads schedule and join at once. */
static void *spawn_and_join(void *rt)
{
    for (int i = 0; i < 300; i++)
        if (!spawn_work(rt, i % 3) || co4_runtime_join(rt) != CO4_OK)
            return rt;
    return NULL;
}

static void joiners(void **state)
{
    (void)state;
    NEEDS_THREADS();
    pthread_t thread[3];
    void *bad;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, spawn_and_join, rt);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(atomic_load(&done), 900);
}

static void *run_and_end(void *highest)
{
    for (int i = 0; i < 3; i++) {
        co4_fiber *co4 = co4_abi_run_begin();
        if (!co4)
            return highest;
        unsigned number = co4__runtime_id_of((co4_task *)(void *)co4);
        if (number > *(unsigned *)highest)
            *(unsigned *)highest = number;
        co4_abi_run_end(co4);
    }
    return NULL;
}

/* A thread that has ended keeps none. */
static void numbers_come_back(void **state)
{
    (void)state;
    unsigned highest = 0;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        void *bad;
        assert_int_equal(pthread_create(&thread, NULL, run_and_end, &highest), 0);
        pthread_join(thread, &bad);
        assert_null(bad);
    }
    assert_in_range(highest, 1, 10);
}

static void numbers_run_out(void **state)
{
    (void)state;
    static co4_runtime all[CO4__RUNTIME_IDS];
    unsigned n = 0, again;
    while (co4__runtime_id_take(&all[n], &all[n].runtime_id) == CO4_OK)
        n++;
    assert_in_range(n, CO4__RUNTIME_IDS - 10, CO4__RUNTIME_IDS - 1); /* some may be others' */
    assert_null(co4_runtime_create(NULL));
    assert_null(co4_abi_run_begin());
    assert_int_equal(co4_run_error(), CO4_ENOMEM);
    co4_task t = { .next = NULL };
    assert_null(co4__runtime_of(&t));
    co4__set_runtime_id(&t, all[3].runtime_id);
    assert_ptr_equal(co4__runtime_of(&t), &all[3]);
    co4__runtime_id_release(all[5].runtime_id);
    co4__runtime_id_release(all[3].runtime_id);
    assert_null(co4__runtime_of(&t));
    for (again = 0;
         co4__runtime_id_take(&all[3 + 2 * again], &all[3 + 2 * again].runtime_id) == CO4_OK;
         again++)
        ;
    assert_int_equal(again, 2);
    assert_ptr_equal(co4__runtime_of(&t), &all[5]); /* its number is another's now */
    for (unsigned i = 0; i < n; i++)
        co4__runtime_id_release(all[i].runtime_id);
    co4_fiber *co4 = co4_abi_run_begin();
    assert_non_null(co4);
    co4_abi_run_end(co4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_life, reset),
        cmocka_unit_test_setup(bad_uses, reset),
        cmocka_unit_test_setup(threads_fail, reset),
        cmocka_unit_test_setup(starts_and_stops, reset),
        cmocka_unit_test_setup(embedded, reset),
        cmocka_unit_test_setup(embedded_and_other_threads, reset),
        cmocka_unit_test_setup(polled, reset),
        cmocka_unit_test_setup(polled_and_other_threads, reset),
        cmocka_unit_test_setup(joiners, reset),
        cmocka_unit_test_setup(numbers_come_back, reset),
        cmocka_unit_test_setup(numbers_run_out, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
