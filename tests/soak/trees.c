/* trees.c - scopes in scopes, futures of futures, groups; children fail, are cancelled, come too
 * late: each task that was started ends, once, before its scope does, and every value is the
 * computed one. */
#include "soak.h"
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

enum { ROOTS = 6, DEPTH = 4, VICTIMS = 100 };

static struct {
    unsigned long long seed;
    atomic_long started, ended, deferred, leaves;
    atomic_int below[ROOTS]; /* tasks that run in scopes of this root */
    co4_group *group;
    co4_mailbox *nothing;
    co4_sem none;
    atomic_uint waits; /* the victim that is about to */
} now;

struct node {
    unsigned root, depth;
    unsigned long long seed;
};

static pausable int grow(struct node n);

static void at_end(void *arg)
{
    (void)arg;
    now.deferred++;
}

/* The result of a random one of the futures: that of leaf(), or an error. */
static pausable int leaf(unsigned long long seed)
{
    struct lots l = lots_of(seed, 5);
    now.leaves++;
    int err = lot(&l, 3) ? co4_sleep(lot(&l, 500) * CO4_US) : co4_yield();
    if (err != CO4_OK)
        return err;
    return lot(&l, 12) == 0 ? CO4_EBUSY : (int)lot(&l, 1000);
}

static int expected(unsigned long long seed)
{
    struct lots l = lots_of(seed, 5);
    if (lot(&l, 3))
        lot(&l, 500);
    return lot(&l, 12) == 0 ? CO4_EBUSY : (int)lot(&l, 1000);
}

struct pair {
    int left, right;
};

static pausable int with_futures(unsigned long long seed, struct lots *l)
{
    enum { MOST = 4 };
    int n = 2 + (int)lot(l, MOST - 1), values[MOST] = { 0 }, flags = (int)lot(l, 2);
    co4_future *f[MOST + 1] = { NULL }, *made = NULL;
    for (int i = 0; i < n; i++)
        MUST((f[i] = co4_async(leaf(seed + (unsigned)i))) != NULL);
    unsigned kind = lot(l, 4);
    /* one more, that is never done: released once the outcome is certain */
    co4_future *never = NULL;
    if (kind == 3) {
        MUST((never = co4_future_create(sizeof(int))) != NULL);
        f[n] = never;
    }
    struct pair pair = { -1, -1 };
    void *out = kind == 0 ? (void *)&pair : values;
    made = kind == 0   ? CO4_FUTURE_ZIP(struct pair, f[0], left, f[1], right, flags)
           : kind == 1 ? co4_future_all(f, n, flags)
           : kind == 2 ? co4_future_alt(f, n, flags)
                       : co4_future_first(f, n + 1, flags);
    MUST(made != NULL);
    co4_future_release(never);
    size_t size = co4_source_size(co4_future_source(made));
    int64_t soon = co4_now() + lot(l, 600) * CO4_US;
    int err = lot(l, 2) ? (co4_future_await)(made, out, size)
                        : (co4_future_await_until)(made, out, size, soon);
    if (err == CO4_OK && kind == 0)
        MUST(pair.left == expected(seed) && pair.right == expected(seed + 1));
    if (err == CO4_OK && kind == 1)
        for (int i = 0; i < n; i++)
            MUST(values[i] == expected(seed + (unsigned)i));
    if (err == CO4_OK && kind >= 2)
        MUST(values[0] == expected(seed + (unsigned)co4_future_winner(made)));
    if (err == CO4_EBUSY && kind != 2)
        MUST(co4_future_winner(made) >= 0);
    if (err != CO4_OK)
        co4_future_cancel(made, 0);
    /* They may run on after this: they have nothing of ours. */
    co4_future_release(made);
    for (int i = 0; i < n; i++)
        co4_future_release(f[i]);
    return err == CO4_ECANCELED ? err : CO4_OK;
}

static pausable int branch(const struct node *n)
{
    co4_scope *scope = co4_scope_here();
    struct lots l = lots_of(n->seed, 1);
    unsigned children = lot(&l, 4);
    for (unsigned i = 0; i < children; i++) {
        int err = co4_scope_spawn(scope,
                                  grow((struct node){ n->root, n->depth - 1, n->seed * 7 + i }));
        MUST(err == CO4_OK || err == CO4_ECANCELED);
        if (lot(&l, 5) == 0)
            co4_yield();
    }
    if (lot(&l, 8) == 0)
        return CO4_ECLOSED;
    if (lot(&l, 8) == 0)
        co4_scope_cancel(scope, -3);
    return CO4_OK;
}

static void left(int **root)
{
    (*root)[0]++;
}

static pausable int grow(struct node n)
{
    struct lots l = lots_of(n.seed, 2);
    int was_left = 0;
    now.started++;
    now.below[n.root]++;
    MUST(co4_defer(at_end, NULL) == CO4_OK);
    int err = CO4_OK;
    {
        __attribute__((cleanup(left))) int *root = &was_left;
        err = with_futures(n.seed, &l);
        if (n.depth > 0 && err == CO4_OK) {
            err = co4_scope_run(lot(&l, 2) ? CO4_SCOPE_KEEP_GOING : 0, branch(&n));
        } else if (err == CO4_OK && lot(&l, 6) == 0) {
            err = CO4_EFULL;
        }
        (void)root;
    }
    MUST(was_left == 1);
    now.below[n.root]--;
    now.ended++;
    return err;
}

static pausable void root(unsigned me)
{
    struct lots l = lots_of(now.seed, 10 + me);
    must(co4_group_link(now.group, co4_self()));
    for (unsigned i = 0; i < 3; i++) {
        int err = grow((struct node){ me, lot(&l, DEPTH + 1), now.seed * 31 + me * 3 + i });
        MUST(now.below[me] == 0); /* no child has outlived its scope */
        if (err == CO4_ECANCELED && co4_task_cancelled(co4_self()))
            return;
    }
}

static pausable void group_canceller(void)
{
    struct lots l = lots_of(now.seed, 20);
    co4_sleep((500 + lot(&l, 4000)) * CO4_US);
    if (lot(&l, 2))
        MUST(co4_group_cancel(now.group, -9) == CO4_OK);
}

/* ---- cancelled at the moment when they begin to wait ---- */

static pausable void victim(unsigned me, unsigned how)
{
    int n, err;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(now.nothing), &n) };
    now.waits = me;
    switch (how) {
    case 0:
        err = co4_mailbox_receive(now.nothing, &n);
        break;
    case 1:
        err = co4_sleep(600 * CO4_SEC);
        break;
    case 2:
        err = co4_select(cases, 1);
        break;
    case 3:
        err = co4_mailbox_receive_until(now.nothing, &n, co4_now() + 600 * CO4_SEC);
        break;
    default:
        err = co4_sem_acquire(&now.none);
    }
    MUST(err == CO4_ECANCELED);
}

static pausable void hunter(void)
{
    struct lots l = lots_of(now.seed, 21);
    for (unsigned i = 1; i <= VICTIMS; i++) {
        co4_task *t = co4_task_create(victim(i, lot(&l, 5)));
        MUST(t != NULL && co4_runtime_schedule(NULL, t) == CO4_OK);
        for (unsigned spins = 0; now.waits != i; spins++)
            if (spins % 256 == 255)
                co4_yield();
        for (volatile unsigned k = lot(&l, 60); k > 0; k--)
            ;
        MUST(co4_task_cancel(t, -1) == CO4_OK);
        MUST(co4_task_join(t) == CO4_OK);
        co4_task_release(t);
    }
}

static void begin(co4_runtime *rt, unsigned long long seed)
{
    now = (__typeof__(now)){ .seed = seed };
    MUST((now.group = co4_group_create(NULL)) != NULL);
    MUST((now.nothing = co4_mailbox_create(sizeof(int), 1)) != NULL);
    soak_start(rt, co4_task_create(hunter()), SOAK_TO_THE_END);
    for (unsigned i = 0; i < ROOTS; i++)
        soak_start(rt, co4_task_create(root(i)), SOAK_MAY_CANCEL);
    MUST(co4_runtime_spawn(rt, group_canceller()) != NULL);
}

static unsigned long long check(void)
{
    MUST(now.started == now.ended && now.deferred == now.started);
    MUST(co4_group_destroy(now.group) == CO4_OK);
    MUST(co4_mailbox_destroy(now.nothing) == CO4_OK && co4_sem_destroy(&now.none) == CO4_OK);
    return (unsigned long long)now.ended + (unsigned long long)now.leaves;
}

const struct work soak_trees = { "trees", "tasks in trees", begin, check };
