/* const_and_volatile - const, volatile, _Atomic, register and restrict locals and parameters.
 * expect: 3 1 2 3 4.0 7 31 3 one 3
 * expect: 10 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int add(const int a, volatile int b, register int c)
{
    co4_yield();
    b++;
    return a + b + c;
}

static pausable void work(void)
{
    const int fixed = wait_for(3);
    const struct {
        int x;
        const int y;
    } pair = { 1, wait_for(2) };
    volatile int seen = 0;
    volatile double d = 0.5;
    _Atomic int counter = 4;
    atomic_long big = 1;
    register int quick = wait_for(6);
    const char *const text = wait_for(1) ? "one" : "none";
    const int table[3] = { 1, fixed, 3 };
    const int *restrict only = table;
    for (int i = 0; i < 3; i++) {
        seen += wait_for(i);
        counter += wait_for(1);
        int ten = wait_for(10);
        atomic_fetch_add(&big, ten);
        d *= 2;
        quick--;
    }
    printf("%d %d %d %d %.1f %d %ld %d %s %d\n", fixed, pair.x, pair.y, seen, d, counter, (long)big,
           quick, text, only[1]);
    printf("%d\n", add(fixed, seen, quick));
}

int main(void)
{
    co4_run(work());
    return 0;
}
