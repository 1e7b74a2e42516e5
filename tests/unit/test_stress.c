/* test_stress.c - several producers and consumers, tasks and threads, over small mailboxes:
 * nothing is lost or doubled, and each producer's messages stay in order. With and without forced
 * pauses; with deadlines; with memory that runs out. */
#include "woven.h"

#include <pthread.h>

enum { PRODUCERS = 6, EACH = 3000 };

struct producer {
    co4_frame head;
    co4_mailbox *mb;
    int id, i, v, r;
    bool timed, forced;
    atomic_int *left;
};
static void producer_resume(co4_fiber *co4, co4_frame *head);
FUNC(producer, sizeof(int), 2);
static void producer_resume(co4_fiber *co4, co4_frame *head)
{
    struct producer *f = (void *)head;
    ENTRY2(f);
    for (f->i = 0; f->i < EACH; f->i++) {
        f->v = f->id * EACH + f->i;
        do {
            AWAIT(f, 1, f->r,
                  f->timed ? co4_mailbox_send_until__co4(co4, f->mb, &f->v, sizeof f->v,
                                                         co4_now() + 50 * CO4_US)
                           : co4_mailbox_send__co4(co4, f->mb, &f->v, sizeof f->v));
        } while (f->r == CO4_ETIMEDOUT);
        if (f->r != CO4_OK)
            break;
        if (f->forced) {
            co4_abi_force_pause(co4, 1);
            AWAIT(f, 2, f->r, 0);
        }
    }
    if (atomic_fetch_sub(f->left, 1) == 1)
        co4_mailbox_close(f->mb);
    RETURN(f, 0);
}

struct seen {
    int last[PRODUCERS];
    long long sum, n;
    int bad;
};
struct consumer {
    co4_frame head;
    co4_mailbox *mb;
    int v, r;
    bool timed;
    struct seen *seen;
};
static void consumer_resume(co4_fiber *co4, co4_frame *head);
FUNC(consumer, sizeof(int), 1);
static void consumer_resume(co4_fiber *co4, co4_frame *head)
{
    struct consumer *f = (void *)head;
    ENTRY1(f);
    for (;;) {
        AWAIT(f, 1, f->r,
              f->timed ? co4_mailbox_receive_until__co4(co4, f->mb, &f->v, sizeof f->v,
                                                        co4_now() + 30 * CO4_US)
                       : co4_mailbox_receive__co4(co4, f->mb, &f->v, sizeof f->v));
        if (f->r == CO4_ETIMEDOUT)
            continue;
        if (f->r != CO4_OK)
            break;
        struct seen *s = f->seen;
        int p = f->v / EACH;
        if (f->v <= s->last[p])
            s->bad++;
        s->last[p] = f->v;
        s->sum += f->v;
        s->n++;
    }
    RETURN(f, 0);
}

static void fan(int workers, int batch, int consumers, size_t capacity, bool timed, bool forced)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    struct seen seen[4];
    atomic_int left = PRODUCERS;
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = workers, .batch = batch });
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), capacity);
    assert_int_equal(co4_runtime_start(rt), CO4_OK);
    for (int i = 0; i < consumers; i++) {
        memset(&seen[i], 0, sizeof seen[i]);
        memset(seen[i].last, -1, sizeof seen[i].last);
        CALL(consumer, call, .mb = mb, .timed = timed, .seen = &seen[i]);
        assert_non_null(co4_abi_spawn(rt, call));
    }
    for (int i = 0; i < PRODUCERS; i++) {
        CALL(producer, call, .mb = mb, .id = i, .timed = timed, .forced = forced, .left = &left);
        assert_non_null(co4_abi_spawn(rt, call));
    }
    assert_int_equal(co4_runtime_join(rt), CO4_OK);
    long long sum = 0, n = 0, all = (long long)PRODUCERS * EACH;
    for (int i = 0; i < consumers; i++) {
        assert_int_equal(seen[i].bad, 0);
        sum += seen[i].sum;
        n += seen[i].n;
    }
    assert_int_equal(n, all);
    assert_int_equal(sum, all * (all - 1) / 2);
    assert_int_equal(co4_runtime_destroy(rt), CO4_OK);
    assert_int_equal(co4_mailbox_destroy(mb), CO4_OK);
    check_no_leak(pool, alloc);
}

static void one_worker(void **state)
{
    (void)state;
    fan(1, 8, 1, 300, false, false);
    fan(1, 8, 3, 1, false, true);
}

static void some_workers(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        fan(2, 8, 1, 300, false, false);
        fan(2, 8, 2, 1, false, false);
        fan(4, 2, 4, 3, false, true);
        fan(3, 1, 3, 2, false, false);
    }
}

static void with_deadlines(void **state)
{
    (void)state;
    fan(1, 8, 2, 2, true, false);
    fan(3, 8, 3, 1, true, false);
    fan(3, 2, 3, 2, true, true);
}

/* Tasks of two runtimes and of a co4_run meet in one mailbox. */
static void *produce_in_run(void *arg)
{
    run_call(arg);
    return NULL;
}

static void across_runtimes(void **state)
{
    (void)state;
    NEEDS_THREADS();
    struct seen seen[2] = { { .n = 0 }, { .n = 0 } };
    atomic_int left = PRODUCERS;
    pthread_t thread[2];
    co4_runtime *a = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime *b = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 4);
    co4_runtime_start(a);
    co4_runtime_start(b);
    for (int i = 0; i < 2; i++) {
        memset(seen[i].last, -1, sizeof seen[i].last);
        CALL(consumer, call, .mb = mb, .seen = &seen[i]);
        co4_abi_spawn(i ? a : b, call);
    }
    for (int i = 0; i < PRODUCERS; i++) {
        CALL(producer, call, .mb = mb, .id = i, .left = &left);
        if (i < 2)
            pthread_create(&thread[i], NULL, produce_in_run, call);
        else
            co4_abi_spawn(i % 2 ? a : b, call);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(co4_runtime_join(a), CO4_OK);
    assert_int_equal(co4_runtime_join(b), CO4_OK);
    assert_int_equal(seen[0].bad + seen[1].bad, 0);
    assert_int_equal(seen[0].n + seen[1].n, PRODUCERS * EACH);
    assert_int_equal(co4_runtime_destroy(a), CO4_OK);
    assert_int_equal(co4_runtime_destroy(b), CO4_OK);
    co4_mailbox_destroy(mb);
}

/* A tree of tasks, each spawning ten: many spawns on many workers at once. */
struct sky {
    co4_frame head;
    co4_mailbox *out;
    co4_mailbox *in;
    long long id, v, sum;
    int size, i, r;
};
static void sky_resume(co4_fiber *co4, co4_frame *head);
FUNC(sky, sizeof(int), 2);
static void sky_resume(co4_fiber *co4, co4_frame *head)
{
    struct sky *f = (void *)head;
    ENTRY2(f);
    f->sum = f->id;
    if (f->size > 1) {
        f->in = co4_mailbox_create(sizeof(long long), 10);
        f->sum = 0;
        for (f->i = 0; f->i < 10; f->i++) {
            CALL(sky, call, .out = f->in, .id = f->id + f->i * (f->size / 10),
                 .size = f->size / 10);
            co4_abi_spawn(NULL, call);
        }
        for (f->i = 0; f->i < 10; f->i++) {
            AWAIT(f, 1, f->r, co4_mailbox_receive__co4(co4, f->in, &f->v, sizeof f->v));
            f->sum += f->v;
        }
        co4_mailbox_destroy(f->in);
    }
    AWAIT(f, 2, f->r, co4_mailbox_send__co4(co4, f->out, &f->sum, sizeof f->sum));
    RETURN(f, 0);
}

static void skynet(void **state)
{
    (void)state;
    long long pool = co4_test_pool_live(), v = 0;
    for (int workers = 1; workers <= 3; workers++) {
        co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
        co4_mailbox *mb = co4_mailbox_create(sizeof(long long), 1);
        co4_runtime_start(rt);
        CALL(sky, call, .out = mb, .size = 10000);
        co4_abi_spawn(rt, call);
        assert_int_equal(co4_block(co4_mailbox_receive(mb, &v)), CO4_OK);
        assert_int_equal(v, 10000LL * 9999 / 2);
        assert_int_equal(co4_runtime_join(rt), CO4_OK);
        co4_runtime_destroy(rt);
        co4_mailbox_destroy(mb);
    }
    assert_int_equal(co4_test_pool_live(), pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker),     cmocka_unit_test(some_workers),
        cmocka_unit_test(with_deadlines), cmocka_unit_test(across_runtimes),
        cmocka_unit_test(skynet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
