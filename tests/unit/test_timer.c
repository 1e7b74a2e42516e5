/* test_timer.c - the heap against a sorted list, sleeping tasks, and a million timers with
 * listeners. */
#include "woven.h"

/* pausable int sleeper(int64_t until) { int r = co4_sleep_until(until); *order = (*clock)++;
 * return r; } */
struct sleeper {
    co4_frame head;
    int64_t until;
    int r, *order, *clock, *code;
};
static void sleeper_resume(co4_fiber *co4, co4_frame *head);
FUNC(sleeper, sizeof(int), 1);
static void sleeper_resume(co4_fiber *co4, co4_frame *head)
{
    struct sleeper *f = (void *)head;
    ENTRY1(f);
    AWAIT(f, 1, f->r, co4_sleep_until__co4(co4, f->until));
    *f->order = (*f->clock)++;
    *f->code = f->r;
    RETURN(f, f->r);
}

static unsigned long long seed = 88172645463325252u;
static unsigned pick(unsigned n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (unsigned)(seed % n);
}

static int later(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Timers are added, cancelled and fired at random; `earliest` must be that of a plain list. */
static void heap_against_a_list(void **state)
{
    (void)state;
    enum { MOST = 300 };
    static co4_task task[MOST];
    struct co4__timers heap;
    struct co4__timer *timer[MOST];
    int64_t list[MOST];
    int n = 0;
    long long before = co4_test_pool_live();
    co4__timers_init(&heap, NULL, NULL);
    assert_int_equal(co4__timers_earliest(&heap), CO4_NEVER);
    for (int round = 0; round < 20000; round++) {
        if (n < MOST && pick(2) == 0) {
            list[n] = pick(50000);
            timer[n] = co4__timer_create(&task[n], list[n]);
            co4__timers_insert(&heap, timer[n]);
            n++;
        } else if (n > 0) {
            int i = (int)pick((unsigned)n);
            co4__timers_cancel(timer[i]);
            n--;
            timer[i] = timer[n];
            list[i] = list[n];
        }
        int64_t least = CO4_NEVER;
        for (int i = 0; i < n; i++)
            least = list[i] < least ? list[i] : least;
        assert_int_equal(co4__timers_earliest(&heap), least);
    }
    qsort(list, (size_t)n, sizeof *list, later);
    for (int i = 0; i < n; i++)
        assert_true(co4__timers_earliest(&heap) == list[i] ? (co4__timers_cancel(heap.root), true)
                                                           : false);
    assert_int_equal(co4_test_pool_live(), before);
}

/* Each sleeps `gap` longer than another one. Returns whether they have woken in that order. */
static bool wake_in_order(co4_runtime *rt, int64_t gap)
{
    enum { N = 50 };
    int order[N], code[N], clock;
    int64_t from, lead = 10 * CO4_MS;
    bool all_sleep = false, ordered = true;
    while (!all_sleep) { /* before the first is due: else once more, with more time */
        clock = 0;
        from = co4_now() + (lead *= 2);
        for (int i = 0; i < N; i++) {
            CALL(sleeper, call, .until = from + (i * 37 % N) * gap, .order = &order[i],
                 .clock = &clock, .code = &code[i]);
            co4_abi_spawn(rt, call);
        }
        co4_runtime_run_once(rt);
        all_sleep = co4_now() < from;
        assert_int_equal(co4_runtime_join(rt), CO4_OK);
    }
    assert_true(co4_now() >= from + (N - 1) * gap);
    for (int i = 0; i < N; i++) {
        assert_int_equal(code[i], CO4_OK);
        ordered = ordered && order[i] == i * 37 % N;
    }
    return ordered;
}

/* Those that are due while another one is stepped are ready, in whatever order: a busy machine
 * needs longer gaps. */
static void sleepers_wake_in_order(void **state)
{
    (void)state;
    int64_t gap = 200 * CO4_US;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    while (!wake_in_order(rt, gap)) {
        gap *= 4;
        assert_true(gap < 100 * CO4_MS);
    }
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

static void odd_durations(void **state)
{
    (void)state;
    static const int64_t until[] = { 0, INT64_MIN, CO4_NEVER };
    for (int i = 0; i < 3; i++) {
        int order, clock = 0, code = 1;
        CALL(sleeper, call, .until = until[i], .order = &order, .clock = &clock, .code = &code);
        run_call(call);
        assert_int_equal(code, i == 2 ? CO4_EINVAL : CO4_OK);
    }
    int64_t from = co4_now();
    assert_int_equal(co4_sleep(2 * CO4_MS), CO4_OK); /* plain */
    assert_int_equal(co4_sleep(-1), CO4_OK);
    assert_true(co4_now() - from >= 2 * CO4_MS);
    assert_int_equal(co4_sleep_until(CO4_NEVER), CO4_EINVAL);
}

static void a_hundred_thousand(void **state)
{
    (void)state;
    int order, clock = 0, code;
    long long before = co4_test_pool_live();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    co4_runtime_destroy(rt);
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    int64_t from = co4_now();
    for (int i = 0; i < 100000; i++) {
        CALL(sleeper, call, .until = from + 100 * CO4_MS + pick(100) * CO4_MS, .order = &order,
             .clock = &clock, .code = &code);
        assert_non_null(co4_abi_spawn(rt, call));
    }
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    assert_int_equal(clock, 100000);
    co4_runtime_destroy(rt);
    assert_int_equal(co4_test_pool_live(), before);
}

/* ---- a million timers, a listener each; most start anew, a third is dropped, others fire ---- */

enum { MILLION = 1000 * 1000 };

struct waiter {
    co4_listener listener;
    co4_timer timer;
    unsigned completed, woken;
};

static struct waiter *waiter_of(co4_listener *l)
{
    return (struct waiter *)(void *)l;
}

static int take(co4_listener *l, int code, const void *value)
{
    (void)value;
    return code == CO4_OK && waiter_of(l)->completed == 0;
}

static void complete(co4_listener *l, int code, const void *value)
{
    (void)code, (void)value;
    waiter_of(l)->completed++;
}

static void release(co4_listener *l)
{
    (void)l;
}

static void wake(co4_listener *l)
{
    waiter_of(l)->woken++;
}

static const void *owner(const co4_listener *l)
{
    return l;
}

static const co4_listener_ops waiter_ops = { take, complete, release, wake, owner, NULL };

static void poke(struct co4__timers *h)
{
    co4__parker_interrupt(h->owner);
}

static void a_million_timers(void **state)
{
    (void)state;
    struct waiter *all = calloc(MILLION, sizeof *all);
    struct co4__timers heap;
    assert_non_null(all);
    long long before = co4_test_pool_live();
    struct co4__parker parker;
    assert_int_equal(co4__parker_init(&parker), CO4_OK);
    co4__timers_init(&heap, poke, &parker); /* as of a blocked thread */
    co4__local()->source.timers = &heap;
    int64_t from = co4_now(), later_on = from + 3600 * CO4_SEC;
    for (int i = 0; i < MILLION; i++) {
        struct waiter *w = &all[i];
        w->listener.ops = &waiter_ops;
        co4_timer_init(&w->timer);
        co4_timer_start(&w->timer, later_on + pick(MILLION));
        assert_int_equal(
            co4_timer_source(&w->timer)->ops->add(co4_timer_source(&w->timer), &w->listener), 0);
    }
    int64_t added = co4_now();
    for (int i = 0; i < MILLION; i++) {
        if (i % 3 == 0)
            co4_timer_source(&all[i].timer)
                ->ops->drop(co4_timer_source(&all[i].timer), &all[i].listener);
        else if (i % 3 == 1)
            co4_timer_start(&all[i].timer, from + pick(1000));
    }
    int64_t cancelled = co4_now();
    co4__timers_fire(&heap, cancelled);
    for (int i = 0; i < MILLION; i++)
        assert_int_equal(all[i].woken, i % 3 == 1);
    for (int i = 2; i < MILLION; i += 3)
        co4_timer_start(&all[i].timer, from);
    co4__timers_fire(&heap, co4_now());
    int64_t fired = co4_now();
    for (int i = 0; i < MILLION; i++) {
        assert_int_equal(all[i].completed, i % 3 != 0);
        assert_int_equal(all[i].woken, i % 3 != 0);
        assert_int_equal(co4_timer_destroy(&all[i].timer), CO4_OK);
    }
    assert_int_equal(co4__timers_earliest(&heap), CO4_NEVER);
    assert_int_equal(co4_test_pool_live(), before); /* nothing was allocated */
    print_message(
        "a million timers: added in %d ms, cancelled or started anew in %d, fired in %d\n",
        (int)((added - from) / CO4_MS), (int)((cancelled - added) / CO4_MS),
        (int)((fired - cancelled) / CO4_MS));
    co4__local()->source.timers = NULL;
    co4__parker_fini(&parker);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_against_a_list), cmocka_unit_test(sleepers_wake_in_order),
        cmocka_unit_test(odd_durations),       cmocka_unit_test(a_hundred_thousand),
        cmocka_unit_test(a_million_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
