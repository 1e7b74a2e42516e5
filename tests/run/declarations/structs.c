/* structs - small and large structs, with padding, arrays, nested and anonymous members.
 * expect: c 8 d
 * expect: large 9.5 3 4 0.5
 * expect: 1 2 11 2 ab */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct large {
    char name[100];
    double values[10];
    struct {
        int a, b;
    };
    union {
        int i;
        float f;
    } u;
};

static pausable void work(void)
{
    struct {
        char c;
        int n;
        char d;
    } padded = { 'c', 7, 'd' };
    struct large big = { .name = "large", .a = 3 };
    struct pair {
        short x, y;
    } p = { 1, 2 }, q;
    struct empty_tail {
        int n;
        char rest[3];
    } tail = { 4, { 'a', 'b', 0 } };
    big.values[9] = 9.5;
    q = p;
    wait_for(0);
    q.x += wait_for(10);
    padded.n++;
    big.b = wait_for(big.a + 1);
    big.u.f = 0.5F;
    wait_for(0);
    printf("%c %d %c\n", padded.c, padded.n, padded.d);
    printf("%s %.1f %d %d %.1f\n", big.name, big.values[9], big.a, big.b, big.u.f);
    printf("%d %d %d %d %s\n", p.x, p.y, q.x, q.y, tail.rest);
}

int main(void)
{
    co4_run(work());
    return 0;
}
