/* local_updates - locals of which only parts change between points, and through odd forms of
 * targets.
 * expect: 10 2 33 6, 10 40 6, 0 2 5 9 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    struct {
        int a, b[2];
        struct {
            short c, d;
        } in;
    } s = { 1, { 2, 3 }, { 4, 5 } }, t = s;
    int n = 1, array[3] = { 0 };
    wait_for(0);
    s.a = wait_for(10);
    wait_for(0);
    s.b[1] += 30;
    s.in.d++;
    wait_for(0);
    (t) = s;
    t.in.c = wait_for(40);
    wait_for(0);
    array[1] = n;
    wait_for(0);
    array[n]++;
    wait_for(0);
    *(array + 2) = 5;
    wait_for(0);
    __extension__ n = 8;
    wait_for(0);
    n++;
    wait_for(0);
    printf("%d %d %d %d, %d %d %d, %d %d %d %d\n", s.a, s.b[0], s.b[1], s.in.d, t.a, t.in.c, t.in.d,
           array[0], array[1], array[2], n);
}

int main(void)
{
    co4_run(work());
    return 0;
}
