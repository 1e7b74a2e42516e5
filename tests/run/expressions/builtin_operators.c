/* builtin_operators.c - suspension points in operands of atomic operations and other builtins;
 * operands that are not evaluated.
 * flags: -std=gnu11
 * expect: fetch 1 4, now 9
 * expect: stored 6, exchanged 6, now 2
 * expect: compare 1 0, now 8
 * expect: plain atomics 8 13, sync 13 now 15
 * expect: expect 1, overflow 0 7
 * expect: choose 3, constant 0, types 1, sizes 4 1
 * expect: sizeof array 12, calls 1
 * expect: extension 5, real 3
 * expect: assert passed 2 */
#include <assert.h>
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static int calls;

static pausable int wait_for(int n)
{
    co4_yield();
    calls++;
    return n;
}

static pausable char letter(void)
{
    co4_yield();
    return 'x';
}

static _Atomic int counter = 1;

static pausable void atomics(void)
{
    int before = atomic_fetch_add(&counter, wait_for(3));
    printf("fetch %d", before);
    printf(" %d, now ", atomic_fetch_add_explicit(&counter, wait_for(5), memory_order_relaxed));
    printf("%d\n", atomic_load(&counter));
    atomic_store(&counter, wait_for(6));
    printf("stored %d, ", atomic_load(&counter));
    printf("exchanged %d, now ", atomic_exchange(&counter, wait_for(2)));
    printf("%d\n", counter);
    int expected = 2;
    int first = atomic_compare_exchange_strong(&counter, &expected, wait_for(8));
    int second = atomic_compare_exchange_strong(&counter, &expected, wait_for(9));
    printf("compare %d %d, now %d\n", first, second, counter);
    int own = 8;
    int got = __atomic_fetch_add(&own, wait_for(5), __ATOMIC_SEQ_CST);
    printf("plain atomics %d %d, ", got, __atomic_load_n(&own, __ATOMIC_ACQUIRE));
    printf("sync %d now ", __sync_fetch_and_add(&own, wait_for(2)));
    printf("%d\n", own);
}

static pausable void others(int n)
{
    int r = 0;
    int likely = __builtin_expect(wait_for(1), 1) ? 1 : 2;
    int overflow = __builtin_add_overflow(wait_for(3), wait_for(4), &r);
    printf("expect %d, overflow %d %d\n", likely, overflow, r);
    calls = 0;
    int chosen = __builtin_choose_expr(sizeof(int) == 4, wait_for(3), letter());
    int other = __builtin_choose_expr(0, wait_for(3), 7);
    int constant = __builtin_constant_p(wait_for(n));
    int same = __builtin_types_compatible_p(__typeof__(wait_for(1)), int);
    __typeof__(letter()) c = letter();
    int size = (int)(sizeof(wait_for(1)) + 0 * sizeof c);
    printf("choose %d, constant %d, types %d, sizes %d %d\n", chosen + other - 7, constant, same,
           size, (int)sizeof(letter()));
    calls = 0;
    int bytes = (int)sizeof(int[wait_for(3)]);
    printf("sizeof array %d, calls %d\n", bytes, calls);
    int real = (int)__real__(_Complex double) wait_for(3);
    printf("extension %d, real %d\n", __extension__ wait_for(5), real);
    assert(wait_for(n) == n);
    assert(n == 2 && wait_for(1));
    printf("assert passed %d\n", n);
}

static pausable int all(void)
{
    atomics();
    others(2);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
