/* test_sched.c - windows of workers, and the choice of the least loaded. */
#include "woven.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "platform/thread.h"
#include "sched/queue.h"

/* How often the monitor asks for a load. */
static long loads_asked;
static uint32_t asked_load(struct co4__queue *q)
{
    loads_asked++;
    return co4__queue_load(q);
}
#define co4__queue_load asked_load
#include "sched/monitor.c"
#undef co4__queue_load

static void check_windows(unsigned workers, unsigned batch, unsigned n,
                          const unsigned expected[][2])
{
    for (unsigned turn = 0; turn < 3 * n; turn++) {
        unsigned from, to;
        co4__sched_window(workers, batch, turn, &from, &to);
        assert_int_equal(from, expected[turn % n][0]);
        assert_int_equal(to, expected[turn % n][1]);
    }
}

static void windows(void **state)
{
    (void)state;
    check_windows(22, 8, 3, (const unsigned[][2]){ { 0, 8 }, { 8, 16 }, { 16, 22 } });
    check_windows(16, 8, 2, (const unsigned[][2]){ { 0, 8 }, { 8, 16 } });
    check_windows(8, 8, 1, (const unsigned[][2]){ { 0, 8 } });
    check_windows(3, 8, 1, (const unsigned[][2]){ { 0, 3 } });
    check_windows(3, 2, 2, (const unsigned[][2]){ { 0, 2 }, { 2, 3 } });
    check_windows(9, 8, 2, (const unsigned[][2]){ { 0, 8 }, { 8, 9 } });
    check_windows(1, 1, 1, (const unsigned[][2]){ { 0, 1 } });
}

/* pausable int nothing(void) { return 0; } */
struct nothing {
    co4_frame head;
};
static void nothing_resume(co4_fiber *co4, co4_frame *head);
FUNC(nothing, sizeof(int), 0);
static void nothing_resume(co4_fiber *co4, co4_frame *head)
{
    struct nothing *f = (void *)head;
    RETURN(f, 0);
}

static void spawn_nothing(co4_runtime *rt)
{
    CALL(nothing, call);
    assert_non_null(co4_abi_spawn(rt, call));
}

static co4_runtime *not_started(int workers, int batch)
{
    const co4_runtime_options o = { .workers = workers, .batch = batch };
    co4_runtime *rt = co4_runtime_create(&o);
    assert_non_null(rt);
    return rt;
}

static void run_all(co4_runtime *rt)
{
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

/* From a thread that is no worker, onto workers that do not run yet: the loads are exact. */
static void spreads_evenly(void **state)
{
    (void)state;
    static const int cases[][2] = { { 1, 8 }, { 3, 8 }, { 3, 2 }, { 8, 8 }, { 22, 8 } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        co4_runtime *rt = not_started(cases[c][0], cases[c][1]);
        int n = cases[c][0], windows = (n + cases[c][1] - 1) / cases[c][1];
        for (int i = 0; i < 10 * n * windows; i++)
            spawn_nothing(rt);
        uint32_t least = UINT32_MAX, most = 0, all = 0;
        for (int i = 0; i < n; i++) {
            uint32_t load = co4__queue_load(&rt->workers[i].queue);
            least = load < least ? load : least;
            most = load > most ? load : most;
            all += load;
        }
        assert_int_equal(all, 10 * n * windows);
        if (windows == 1)
            assert_true(most - least <= 1);
        assert_true(least > 0); /* no worker is left out */
        run_all(rt);
    }
}

static void least_loaded_in_the_window(void **state)
{
    (void)state;
    co4_runtime *rt = not_started(3, 2); /* (0,2), (2,3), … */
    unsigned expected[] = { 0, 2, 1, 2, 0, 2, 1, 2 };
    uint32_t load[3] = { 0, 0, 0 };
    for (int i = 0; i < 8; i++) {
        spawn_nothing(rt);
        load[expected[i]]++;
        for (int w = 0; w < 3; w++)
            assert_int_equal(co4__queue_load(&rt->workers[w].queue), load[w]);
    }
    run_all(rt);
}

static unsigned length(const struct co4__worker *w)
{
    unsigned n = w->queue.lanes.arrived.n + w->queue.lanes.yielded.n;
    for (const co4_task *t = w->queue.lanes.head; t; t = t->next)
        n++;
    return n;
}

/* All tasks into the inbox of worker 0, as if its step lasted. */
static void fill_inbox(co4_runtime *rt, int tasks)
{
    for (int i = 0; i < tasks; i++)
        spawn_nothing(rt);
    for (unsigned i = 1; i < rt->nworkers; i++) {
        for (co4_task *t = co4__queue_take_rx(&rt->workers[i].queue), *next; t; t = next) {
            next = t->next;
            co4__sched_push_remote(&rt->workers[0], t);
        }
    }
    assert_int_equal(co4__queue_load(&rt->workers[0].queue), tasks);
    rt->workers[0].monitor.inbox = true;
}

/* The tasks of a blocked worker are dealt out evenly, and a load is not asked for with each. */
static void frees_an_inbox(void **state)
{
    (void)state;
    enum { OTHERS = 7, EACH = 640 };
    co4_runtime *rt = not_started(OTHERS + 1, 8);
    fill_inbox(rt, OTHERS * EACH);
    loads_asked = 0;
    free_inbox(&rt->workers[0]);
    assert_int_equal(co4__queue_load(&rt->workers[0].queue), 0);
    for (int i = 1; i <= OTHERS; i++)
        assert_int_equal(co4__queue_load(&rt->workers[i].queue), EACH);
    assert_true(loads_asked <= (OTHERS + 1) * (OTHERS * EACH / 64 + 1));
    run_all(rt);
}

/* Pinned tasks stay; and all of them where the others are blocked, too. */
static void leaves_in_an_inbox(void **state)
{
    (void)state;
    co4_runtime *rt = not_started(3, 8);
    fill_inbox(rt, 10);
    co4_task *t = co4__queue_take_rx(&rt->workers[0].queue);
    for (co4_task *next; t; t = next) {
        next = t->next;
        assert_int_equal(co4_task_pin(t, 0), CO4_OK);
        co4__sched_push_remote(&rt->workers[0], t);
    }
    free_inbox(&rt->workers[0]);
    assert_int_equal(co4__queue_load(&rt->workers[0].queue), 10);
    run_all(rt);
    rt = not_started(3, 8);
    fill_inbox(rt, 10);
    rt->workers[1].monitor.inbox = rt->workers[2].monitor.inbox = true;
    free_inbox(&rt->workers[0]);
    assert_int_equal(co4__queue_load(&rt->workers[0].queue), 10);
    rt->workers[2].monitor.inbox = false;
    free_inbox(&rt->workers[0]);
    assert_int_equal(co4__queue_load(&rt->workers[2].queue), 10);
    run_all(rt);
}

/* Half of the queued tasks, the oldest first, without pinned ones; none when steps are short, or
 * there is only one. */
static void gives_half_when_asked(void **state)
{
    (void)state;
    co4_runtime *rt = not_started(2, 8);
    struct co4__worker *w = &rt->workers[0], *asker = &rt->workers[1];
    for (int i = 0; i < 20; i++)
        spawn_nothing(rt);
    co4__queue_drain(&w->queue);
    co4__queue_drain(&asker->queue);
    assert_int_equal(length(w), 10);
    assert_int_equal(length(asker), 10);
    co4__lanes_join(&w->queue.lanes);
    co4_task *first = w->queue.lanes.head, *second = first->next, *third = second->next;
    assert_int_equal(co4_task_pin(second, 0), CO4_OK);

    w->sched.small_tasks = true;
    atomic_store(&w->others.asked, 2);
    co4__several_answer(w);
    assert_int_equal(length(w), 10);
    assert_int_equal(atomic_load(&w->others.asked), 0); /* and is not asked again */
    w->sched.small_tasks = false;
    co4__several_answer(w); /* no worker asks */
    assert_int_equal(length(w), 10);

    atomic_store(&w->others.asked, 2);
    co4__several_answer(w);
    assert_int_equal(length(w), 6);
    assert_ptr_equal(w->queue.lanes.head, second);
    assert_int_equal(co4__queue_load(&w->queue), 6);
    co4__queue_drain(&asker->queue);
    assert_int_equal(length(asker), 14);
    co4__lanes_join(&asker->queue.lanes);
    co4_task *t = asker->queue.lanes.head;
    for (int i = 0; i < 10; i++)
        t = t->next;
    assert_ptr_equal(t, first); /* oldest first */
    assert_ptr_equal(t->next, third);
    spawn_nothing(rt); /* the queue's end is where it was */
    run_all(rt);
}

/* A long task is offered to thieves; a short one that only communicates is kept. */
static void measures_what_tasks_do(void **state)
{
    (void)state;
    co4_runtime *rt = not_started(2, 8);
    struct co4__worker *w = &rt->workers[0];
    assert_int_equal(rt->sched.prefers_here, co4__has_threads);
    rt->sched.prefers_here = true;
    co4__several_sample(w, co4__clock());
    assert_false(w->sched.small_tasks);
    w->sched.unused -= 1000 * 1000 * 1000; /* in no time */
    co4__several_sample(w, co4__clock());
    assert_true(w->sched.small_tasks);
    w->sched.unused -= 1;
    int64_t until = co4_now() + 3 * CO4_MS;
    while (co4_now() < until)
        ;
    co4__several_sample(w, co4__clock());
    assert_false(w->sched.small_tasks);
    run_all(rt);
}

/* ---- what the monitor sees of a thread ---- */

static struct {
    struct co4__thread thread;
    struct co4__parker parker;
    _Atomic int clock;
    atomic_bool sleeps;
} seen;

static void computes_then_sleeps(void *arg)
{
    (void)arg;
#ifdef __linux__
    prctl(PR_SET_NAME, "a) S 1 (R");
#endif
    atomic_store(&seen.clock, co4__thread_clock());
    while (!atomic_load(&seen.sleeps))
        ;
    co4__parker_wait(&seen.parker, CO4_NEVER);
}

static void threads_that_are_ready(void **state)
{
    (void)state;
    if (!co4__has_threads || co4__thread_clock() == -1)
        skip();
    assert_int_equal(co4__parker_init(&seen.parker), CO4_OK);
    assert_int_equal(co4__thread_start(&seen.thread, computes_then_sleeps, NULL), CO4_OK);
    while (atomic_load(&seen.clock) == 0)
        co4__sleep_thread(co4__clock() + CO4_MS);
    for (int i = 0; i < 10; i++)
        assert_true(co4__thread_is_ready(seen.clock));
    atomic_store(&seen.sleeps, true);
    while (co4__thread_is_ready(seen.clock))
        co4__sleep_thread(co4__clock() + CO4_MS);
    assert_false(co4__thread_is_ready(seen.clock));
    co4__parker_wake(&seen.parker);
    co4__thread_join(&seen.thread);
    co4__parker_fini(&seen.parker);
}

static void defaults(void **state)
{
    (void)state;
    co4_runtime *rt = co4_runtime_create(NULL);
    assert_int_equal(rt->batch, 8);
    assert_int_equal(co4_runtime_workers(rt), co4__processors());
    run_all(rt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows),
        cmocka_unit_test(spreads_evenly),
        cmocka_unit_test(least_loaded_in_the_window),
        cmocka_unit_test(frees_an_inbox),
        cmocka_unit_test(leaves_in_an_inbox),
        cmocka_unit_test(gives_half_when_asked),
        cmocka_unit_test(measures_what_tasks_do),
        cmocka_unit_test(threads_that_are_ready),
        cmocka_unit_test(defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
