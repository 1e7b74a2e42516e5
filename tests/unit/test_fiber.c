/* test_fiber.c - the trampoline under a function woven by hand in full: dual entry, frames on a
 * pause, all four states.
 *
 *   pausable int leaf(int n) { while (n-- > 0) co4_yield(); return 7; }
 *   pausable int tree(int depth, int n) { 
 *   return depth == 0 ? leaf(n) : tree(depth - 1, n) + tree(depth - 1, n); }
 */
#include "woven.h"

static unsigned seen[4]; /* by co4_abi_state, after each call below */

#define SEE(resumed) (seen[co4_abi_state_of(co4, (resumed))]++)

struct leaf__frame {
    co4_frame head;
    int n;
};
static void leaf__resume(co4_fiber *co4, co4_frame *frame);
DESCRIBE(leaf_, leaf__frame, sizeof(int), 1, 0);

static inline int leaf(co4_fiber *co4, struct leaf__frame *f, int resumed, int n)
{
    if (resumed) {
        n = f->n;
        goto resume_1;
    }
    while (n-- > 0) {
        co4_yield__co4(co4);
        SEE(resumed);
        if (co4_abi_pausing(co4)) {
            if (!(f = co4_abi_save(co4, f, &leaf__func.points[1])))
                return 0;
            f->n = n;
            return 0;
        }
        if (0) {
        resume_1:
            SEE(resumed);
        }
    }
    co4_abi_frame_drop(co4, f);
    return 7;
}
static int leaf__co4(co4_fiber *co4, int n)
{
    return leaf(co4, NULL, 0, n);
}
static void leaf__resume(co4_fiber *co4, co4_frame *frame)
{
    int r = leaf(co4, (struct leaf__frame *)frame, 1, 0);
    if (!co4_abi_pausing(co4))
        *(int *)co4_abi_result_of(co4) = r;
}

struct tree__frame {
    co4_frame head;
    int depth, n, t1;
};
static int tree__co4(co4_fiber *co4, int depth, int n);
static void tree__resume(co4_fiber *co4, co4_frame *frame);
DESCRIBE(tree_, tree__frame, sizeof(int), 3, 0);

static inline int tree(co4_fiber *co4, struct tree__frame *f, int resumed, int depth, int n)
{
    int t1 = 0, t2;
    if (resumed) {
        depth = f->depth;
        n = f->n;
        t1 = f->t1;
        switch (f->head.at->id) {
        case 1:
            goto resume_1;
        case 2:
            goto resume_2;
        default:
            goto resume_3;
        }
    }
    if (depth == 0) {
        t1 = leaf__co4(co4, n);
        SEE(resumed);
        if (co4_abi_pausing(co4)) {
            if ((f = co4_abi_save(co4, f, &tree__func.points[1])))
                f->depth = depth, f->n = n;
            return 0;
        resume_1:
            SEE(resumed);
            t1 = *(int *)co4_abi_result_of(co4);
        }
        co4_abi_frame_drop(co4, f);
        return t1;
    }
    t1 = tree__co4(co4, depth - 1, n);
    SEE(resumed);
    if (co4_abi_pausing(co4)) {
        if ((f = co4_abi_save(co4, f, &tree__func.points[2])))
            f->depth = depth, f->n = n;
        return 0;
    resume_2:
        SEE(resumed);
        t1 = *(int *)co4_abi_result_of(co4);
    }
    t2 = tree__co4(co4, depth - 1, n);
    SEE(resumed);
    if (co4_abi_pausing(co4)) {
        if ((f = co4_abi_save(co4, f, &tree__func.points[3])))
            f->depth = depth, f->n = n, f->t1 = t1;
        return 0;
    resume_3:
        SEE(resumed);
        t2 = *(int *)co4_abi_result_of(co4);
    }
    co4_abi_frame_drop(co4, f);
    return t1 + t2;
}
static int tree__co4(co4_fiber *co4, int depth, int n)
{
    return tree(co4, NULL, 0, depth, n);
}
static void tree__resume(co4_fiber *co4, co4_frame *frame)
{
    int r = tree(co4, (struct tree__frame *)frame, 1, 0, 0);
    if (!co4_abi_pausing(co4))
        *(int *)co4_abi_result_of(co4) = r;
}

/* Runs tree() on a bare fiber. Counts the pauses; returns how it ended. */
static int drive(int depth, int n, int *pauses, int *result)
{
    co4_task task = { .fiber.kind = CO4_ABI_KIND_TASK }; /* primitives look at the task */
    co4_fiber *fiber = &task.fiber;
    *pauses = 0;
    int r = tree__co4(fiber, depth, n);
    if (!co4_abi_pausing(fiber)) {
        *result = r;
        return 0;
    }
    int why = co4__fiber_finish_step(fiber, NULL);
    while (why == CO4_ABI_READY) {
        ++*pauses;
        why = co4__fiber_resume(fiber);
    }
    *result = fiber->result.i;
    assert_null(fiber->leaf);
    return why;
}

static void without_a_pause(void **state)
{
    (void)state;
    int pauses, result;
    memset(seen, 0, sizeof seen);
    long long before = co4_test_pool_live();
    assert_int_equal(drive(5, 0, &pauses, &result), 0);
    assert_int_equal(result, 32 * 7);
    assert_int_equal(pauses, 0);
    assert_int_equal(co4_test_pool_live(), before);
    assert_true(seen[CO4_NOT_PAUSING__NO_STATE] > 0);
    assert_int_equal(seen[CO4_PAUSING__NO_STATE], 0);
    assert_int_equal(seen[CO4_NOT_PAUSING__HAS_STATE], 0);
    assert_int_equal(seen[CO4_PAUSING__HAS_STATE], 0);
}

static void all_four_states(void **state)
{
    (void)state;
    int pauses, result;
    memset(seen, 0, sizeof seen);
    long long before = co4_test_pool_live();
    assert_int_equal(drive(4, 3, &pauses, &result), 0);
    assert_int_equal(result, 16 * 7);
    assert_int_equal(pauses, 16 * 3);
    assert_int_equal(co4_test_pool_live(), before);
    for (int i = 0; i < 4; i++)
        if (i != CO4_NOT_PAUSING__NO_STATE)
            assert_true(seen[i] > 0);
}

/* A resume costs the frames it runs: pausing again and again at the bottom does not touch those
 * above. */
static void resume_is_leaf_first(void **state)
{
    (void)state;
    int pauses, result;
    memset(seen, 0, sizeof seen);
    assert_int_equal(drive(0, 1000, &pauses, &result), 0);
    unsigned shallow = seen[CO4_PAUSING__HAS_STATE] + seen[CO4_NOT_PAUSING__HAS_STATE];
    memset(seen, 0, sizeof seen);
    assert_int_equal(drive(1, 1000, &pauses, &result), 0);
    unsigned deep = seen[CO4_PAUSING__HAS_STATE] + seen[CO4_NOT_PAUSING__HAS_STATE];
    assert_true(deep <= 2 * shallow + 8);
}

/* Every frame in turn cannot be allocated: the fiber fails, all frames come back. */
static void no_memory(void **state)
{
    (void)state;
    int pauses, result, n = 0;
    long long before = co4_test_pool_live();
    for (;; n++) {
        co4_test_fail_alloc(n + 1);
        int why = drive(3, 2, &pauses, &result);
        long left = co4_test_fail_alloc(0);
        assert_int_equal(co4_test_pool_live(), before);
        if (left > 0) {
            assert_int_equal(why, 0);
            assert_int_equal(result, 8 * 7);
            break;
        }
        assert_int_equal(why, CO4_ABI_FAILED);
    }
    assert_true(n >= 4);
}

static void forced_pauses_are_counted(void **state)
{
    (void)state;
    unsigned long long a[4], b[4];
    co4_fiber fiber = { 0 };
    co4_abi_state_counts(a);
    co4_abi_force_pause(&fiber, 0);
    assert_int_equal(fiber.pausing, CO4_ABI_READY);
    co4_abi_force_pause(&fiber, 1);
    assert_int_equal(fiber.pausing, CO4_ABI_READY);
    fiber.pausing = 0;
    co4_abi_force_pause(&fiber, 1);
    co4_abi_force_pause(&fiber, 0);
    co4_abi_state_counts(b);
    for (int i = 0; i < 4; i++)
        assert_int_equal(b[i] - a[i], 1);
    co4__local()->fiber.forced = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_pause),           cmocka_unit_test(all_four_states),
        cmocka_unit_test(resume_is_leaf_first),      cmocka_unit_test(no_memory),
        cmocka_unit_test(forced_pauses_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
