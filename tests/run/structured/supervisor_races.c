/* supervisor_races - trees of supervisors on four workers, whose children fail now and then, while
 * the trees are shut down: every child that has been started has ended when its supervisor returns,
 * and never two lives of one child run at once.
 * modes: woven forced
 * expect: 24 trees, all children ended, one life at a time, nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>

enum { TREES = 8, ROUNDS = 3, BRANCHES = 2, LEAVES = 3 };

struct leaf {
    atomic_int running;
    int lives;
};

struct tree {
    struct leaf leaves[BRANCHES][LEAVES];
    int strategy;
};

static atomic_int overlaps, left, done;

static pausable int live(struct leaf *leaf, int life)
{
    if (atomic_fetch_add(&leaf->running, 1) != 0)
        atomic_fetch_add(&overlaps, 1);
    int err = CO4_OK;
    for (int i = 0; i < 5 + life % 7 && err == CO4_OK; i++)
        err = life % 3 ? co4_yield() : co4_sleep(10 * CO4_US);
    atomic_fetch_sub(&leaf->running, 1);
    return err != CO4_OK ? err : CO4_EBUSY;
}

static int start_leaf(co4_child *child, void *arg)
{
    struct leaf *leaf = arg;
    int life = leaf->lives++;
    if (life % 11 == 10)
        return CO4_EAGAIN; /* that is a failure, too */
    return co4_child_spawn(child, live(leaf, life));
}

struct branch {
    struct leaf *leaves;
    int strategy;
};

static pausable int grow(struct leaf *leaves, int strategy)
{
    co4_child_spec specs[LEAVES] = { { 0 } };
    for (int i = 0; i < LEAVES; i++) {
        specs[i].start = start_leaf;
        specs[i].arg = &leaves[i];
    }
    co4_supervision how = { .strategy = strategy, .restarts = 20, .within = CO4_SEC };
    int err = co4_supervise(&how, specs, LEAVES);
    for (int i = 0; i < LEAVES; i++)
        atomic_fetch_add(&left, atomic_load(&leaves[i].running));
    return err;
}

static int start_branch(co4_child *child, void *arg)
{
    struct branch *b = arg;
    return co4_child_spawn(child, grow(b->leaves, b->strategy));
}

static pausable void stand(struct tree *t)
{
    struct branch branches[BRANCHES];
    co4_child_spec specs[BRANCHES] = { { 0 } };
    for (int i = 0; i < BRANCHES; i++) {
        branches[i] = (struct branch){ t->leaves[i], t->strategy };
        specs[i].start = start_branch;
        specs[i].arg = &branches[i];
        specs[i].restart = CO4_TRANSIENT;
    }
    co4_supervision how = { .strategy = CO4_ONE_FOR_ALL, .restarts = 1000000, .within = CO4_SEC };
    if (co4_supervise(&how, specs, BRANCHES) == CO4_ECANCELED)
        atomic_fetch_add(&done, 1);
}

static struct tree trees[TREES];

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    for (int round = 0; round < ROUNDS; round++) {
        co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
        co4_task *t[TREES];
        for (int i = 0; i < TREES; i++) {
            trees[i].strategy = i % 3;
            co4_runtime_schedule(rt, t[i] = co4_task_create(stand(&trees[i])));
        }
        co4_runtime_start(rt);
        int64_t end = co4_now() + 30 * CO4_MS;
        while (co4_now() < end)
            co4_runtime_run_once(rt);
        for (int i = 0; i < TREES; i++)
            co4_task_cancel(t[i], 0);
        co4_runtime_join(rt);
        for (int i = 0; i < TREES; i++)
            co4_task_release(t[i]);
        co4_runtime_destroy(rt);
    }
    printf("%d trees, %s, %s, %s\n", atomic_load(&done),
           atomic_load(&left) ? "children were left" : "all children ended",
           atomic_load(&overlaps) ? "two lives at once" : "one life at a time",
           co4_test_pool_live() == pool && co4_test_alloc_live() == blocks ? "nothing is left"
                                                                           : "something is left");
    return 0;
}
