/* atomic_arguments - atomic operations as arguments of started calls: gcc's operators are calls to
 * some compilers only, and entry points look at the type of the whole call.
 * expect: 0 1 2 1 7 3 11 1
 * expect: scope 49
 * expect: spawned 6
 * expect: called 1 2 7 1 20
 * expect: everywhere 143 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int k;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int sum, other = 18;

static pausable int take(int n)
{
    co4_yield();
    return n;
}

static pausable int add(int n)
{
    co4_yield();
    sum += n;
    return CO4_OK;
}

static pausable int get(co4_future *future)
{
    int value = -1;
    co4_future_await(future, &value);
    co4_future_release(future);
    return value;
}

static pausable void results(void)
{
    int expected = 7;
    printf("%d ", get(co4_async(take(atomic_fetch_add(&k, 1)))));
    printf("%d ", get(co4_async(take(atomic_fetch_or(&k, 2)))));
    printf("%d ", get(co4_async(take(atomic_fetch_xor(&k, 1) - 1))));
    printf("%d ", get(co4_async(take(atomic_fetch_sub(&k, 1) / 2))));
    atomic_store(&k, 7);
    printf("%d ", get(co4_async(take(atomic_exchange(&k, 3)))));
    printf("%d ", get(co4_async(take(atomic_load(&k)))));
    printf("%d ", get(co4_async(take(__atomic_add_fetch(&sum, 11, __ATOMIC_SEQ_CST)))));
    sum = 0;
    atomic_store(&k, expected);
    printf("%d\n", get(co4_async(take(atomic_compare_exchange_strong(&k, &expected, 8)))));
}

static pausable int children(void)
{
    co4_scope *scope = co4_scope_here();
    int expected = 8;
    co4_scope_spawn(scope, add(atomic_fetch_add(&k, 1)));
    co4_scope_spawn(scope, add(atomic_fetch_and(&k, 15)));
    co4_scope_spawn(scope, add(atomic_compare_exchange_weak(&k, &expected, 1)));
    co4_scope_spawn(scope, add(atomic_exchange_explicit(&k, 3, memory_order_relaxed)));
    co4_scope_spawn(scope, add(atomic_flag_test_and_set(&flag) + __sync_fetch_and_add(&other, 2)));
    co4_scope_spawn(scope, add(atomic_load_explicit(&k, memory_order_acquire) + 2));
    return CO4_OK;
}

static pausable void calls(void)
{
    atomic_int *at = &k;
    atomic_store(&k, 1);
    printf("called %d ", take(atomic_fetch_add(at, 1)));
    printf("%d ", take(atomic_fetch_add(at, take(5))));
    printf("%d ", atomic_fetch_add(at, 1) + take(0));
    printf("%d ", take(atomic_fetch_sub(at, 7) == 8));
    printf("%d\n", take(take(atomic_fetch_add(at, 1)) + 19) + take(atomic_load(at) - 2));
}

struct held {
    int n, more[2];
};

static pausable int everywhere(int limit)
{
    int sum = 0;
    atomic_store(&k, 0);
    while (atomic_fetch_add(&k, 1) < limit)
        sum += take(1);
    for (int i = take(0); i < atomic_load(&k) - take(1); i += atomic_load(&k) - take(2))
        sum += 10;
    switch (atomic_exchange(&k, take(1))) {
    case 4:
        sum += take(100);
        break;
    default:
        sum += atomic_load(&k) ? take(1000) : 2000;
    }
    struct held held = { atomic_fetch_add(&k, take(4)), { take(1), atomic_load(&k) } };
    struct held *at = &held;
    at->more[atomic_load(&k) - 5] += take(1);
    at->more[0] += atomic_fetch_sub(&k, 5) + take(1);
    if (atomic_load(&k) == 0 && take(1) && atomic_flag_test_and_set(&flag))
        sum += at->n + held.more[0] + held.more[1];
    do
        sum += ({
            int had = atomic_fetch_add(&k, 1);
            take(had);
        });
    while (take(atomic_load(&k)) < 3);
    return sum > 0 ? atomic_fetch_add(&k, 1) + take(sum) : take(0);
}

int main(void)
{
    co4_run(results());
    co4_run(co4_scope_run(0, children()));
    printf("scope %d\n", sum);
    atomic_store(&k, 4);
    sum = 0;
    co4_task *tasks[] = { co4_spawn(add(atomic_fetch_add(&k, 1))),
                          co4_task_create(add(atomic_fetch_sub(&k, 5) - 3)) };
    for (int i = 0; i < 2; i++)
        co4_task_release(tasks[i]);
    sum = 6;
    printf("spawned %d\n", sum);
    co4_run(calls());
    printf("everywhere %d\n", co4_run(everywhere(3)));
    return 0;
}
