/* test_limits.c - what a runtime asks of its machine: processors, workers that are woken, looks of
 * the monitor; memory for arrays of ever other lengths; threads that end in the middle of it. */
#define _GNU_SOURCE
#include "idler.h"

#include <co4/sanitizer.h>

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- processors ---- */

#ifdef __linux__

static void *pinned(void *n)
{
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0, first = 1; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set) && !first--)
            CPU_CLR(i, &set);
    while (CPU_COUNT(&set) > 1)
        for (int i = CPU_SETSIZE - 1; i >= 0; i--)
            if (CPU_ISSET(i, &set)) {
                CPU_CLR(i, &set);
                break;
            }
    sched_setaffinity(0, sizeof set, &set);
    *(int *)n = co4__processors();
    return NULL;
}

static void by_affinity(void **state)
{
    (void)state;
    pthread_t t;
    int n = 0;
    assert_int_equal(pthread_create(&t, NULL, pinned, &n), 0);
    pthread_join(t, NULL);
    assert_int_equal(n, 1);
}

static char root[64];

static void file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int quota(const char *groups)
{
    char path[256];
    file("groups", groups);
    snprintf(path, sizeof path, "%s/groups", root);
    return co4__processors_of_group(path, root);
}

static void by_quota(void **state)
{
    (void)state;
    strcpy(root, "/tmp/co4-groups-XXXXXX");
    assert_non_null(mkdtemp(root));
    folder("a");
    folder("a/b");
    folder("cpu");
    folder("cpu/c");
    assert_int_equal(quota("0::/a/b\n"), 0);
    file("a/b/cpu.max", "max 100000\n");
    assert_int_equal(quota("0::/a/b\n"), 0);
    file("a/b/cpu.max", "250000 100000\n");
    assert_int_equal(quota("0::/a/b\n"), 3);
    file("a/cpu.max", "100000 100000\n"); /* the group above has less */
    assert_int_equal(quota("0::/a/b\n"), 1);
    assert_int_equal(quota("0::/\n"), 0);
    file("cpu/c/cpu.cfs_period_us", "100000\n");
    file("cpu/c/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(quota("5:cpuset:/x\n4:cpu,cpuacct:/c\n"), 0);
    file("cpu/c/cpu.cfs_quota_us", "150000\n");
    assert_int_equal(quota("5:cpuset:/x\n4:cpu,cpuacct:/c\n"), 2);
    assert_int_equal(quota("4:cpuset:/c\n"), 0);
    assert_int_equal(quota("nonsense\n:\n"), 0);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

#endif

/* ---- the monitor ---- */

static void no_monitor(void **state)
{
    (void)state;
    co4_runtime_options never = { .workers = 2, .rescue_after = CO4_NEVER };
    co4_runtime *rt = co4_runtime_create(&never);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    assert_false(rt->monitor.runs);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
}

/* ---- wakes ---- */

/* Where tasks have begun; none ends before all have begun. */
struct begun {
    atomic_uint workers;
    atomic_int tasks;
    atomic_bool all;
};

struct where {
    co4_frame head;
    struct begun *begun;
    int r;
};
static void where_resume(co4_fiber *co4, co4_frame *head);
FUNC(where, sizeof(int), 1);
static void where_resume(co4_fiber *co4, co4_frame *head)
{
    struct where *f = (void *)head;
    ENTRY1(f);
    atomic_fetch_or(&f->begun->workers, 1u << co4_worker_here());
    atomic_fetch_add(&f->begun->tasks, 1);
    while (!atomic_load(&f->begun->all))
        AWAIT(f, 1, f->r, co4_yield__co4(co4));
    RETURN(f, 0);
}

static bool all_sleep(const co4_runtime *rt)
{
    for (unsigned i = 0; i < rt->nworkers; i++)
        if (!co4__queue_sleeps(&rt->workers[i].queue))
            return false;
    return true;
}

/* A worker that has run out of tasks may sleep, and another be woken for the next: so not before
 * all have begun. */
static unsigned workers_used(unsigned processors, int tasks)
{
    struct begun begun = { 0 };
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 8, .rescue_after = -1 });
    rt->sched.processors = processors;
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    for (unsigned i = 0; !all_sleep(rt) || atomic_load(&rt->idle.awake) != 0; i++)
        co4__back_off(i);
    for (int i = 0; i < tasks; i++) {
        CALL(where, call, .begun = &begun);
        assert_non_null(co4_abi_spawn(rt, call));
    }
    for (unsigned i = 0; atomic_load(&begun.tasks) < tasks; i++)
        co4__back_off(i);
    atomic_store(&begun.all, true);
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    for (unsigned i = 0; !all_sleep(rt) || atomic_load(&rt->idle.awake) != 0; i++)
        co4__back_off(i); /* as many go to sleep as were woken */
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    return (unsigned)__builtin_popcount(begun.workers);
}

static void wakes(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_true(workers_used(1, 40) == 1); /* fewer than make another worth it */
        assert_true(workers_used(2, 80) <= 2);
    }
    assert_true(workers_used(1, 5000) >= 1);
}

/* ---- arrays ---- */

static void lengths(void **state)
{
    (void)state;
    struct co4__pool_use before, after;
    co4_fiber fiber = { .kind = CO4_ABI_KIND_TASK };
    co4__pool_use(&before);
    for (size_t bytes = 100; bytes < 900; bytes++) {
        void *p = co4_abi_block_take(&fiber, bytes, 8);
        assert_non_null(p);
        memset(p, 1, bytes);
        co4_abi_block_drop(p);
    }
    co4__pool_use(&after);
    assert_true(after.reserved - before.reserved < 40 * 1024);
}

/* ---- plain threads ---- */

static co4_mutex mutex = CO4_MUTEX_INIT;

static void *unlocks(void *err)
{
    *(int *)err = co4_mutex_unlock(&mutex);
    return NULL;
}

static void mutex_of_a_thread(void **state)
{
    (void)state;
    pthread_t t;
    int err = CO4_OK;
    assert_int_equal(co4_mutex_lock_until(&mutex, CO4_NOW), CO4_OK);
    assert_int_equal(pthread_create(&t, NULL, unlocks, &err), 0);
    pthread_join(t, NULL);
    assert_int_equal(err, CO4_ESTATE);
    assert_int_equal(co4_mutex_unlock(&mutex), CO4_OK);
}

/* ---- a thread that ends ---- */

static pthread_key_t last;

/* Comes again in each round of destructors, and runs tasks in the last. */
static void destroy(void *round)
{
    if ((intptr_t)round < 4) {
        pthread_setspecific(last, (void *)((intptr_t)round + 1));
        return;
    }
    idle_run();
}

static void *ends(void *arg)
{
    pthread_setspecific(last, (void *)1);
    return arg;
}

static void last_round(void **state)
{
    (void)state;
#if CO4_THREAD_SANITIZER /* it has taken leave of the thread by then */
    skip();
#endif
    pthread_key_create(&last, destroy);
    for (int i = 0; i < 5; i++) {
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, ends, NULL), 0);
        pthread_join(t, NULL);
        assert_null(atomic_load(&co4__exclusive_owner));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __linux__
        cmocka_unit_test(by_affinity), cmocka_unit_test(by_quota),
#endif
        cmocka_unit_test(no_monitor),  cmocka_unit_test(wakes),
        cmocka_unit_test(lengths),     cmocka_unit_test(mutex_of_a_thread),
        cmocka_unit_test(last_round),
    };
    co4__exclusive_patience = 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
