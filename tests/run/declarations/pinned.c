/* pinned - addresses of locals, members, elements and parameters that callees use across their
 * pauses.
 * expect: 3 0 4 5 8 6 7
 * expect: 3519 6
 * expect: 1/1 3/5 5/9 end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct pair {
    int a, b;
};

static pausable void add_to(int *target, int n)
{
    for (int i = 0; i < n; i++) {
        co4_yield();
        ++*target;
    }
}

static pausable int drain(int *from)
{
    int sum = 0;
    while (*from > 0) {
        co4_yield();
        sum += (*from)--;
    }
    return sum;
}

static pausable int own(int n, struct pair p)
{
    int before = n;
    add_to(&n, 3);
    add_to(&p.b, n);
    return drain(&before) * 1000 + n * 100 + p.a + p.b;
}

static pausable void work(void)
{
    int alone = 1, many[3] = { 0 };
    struct pair p = { 5, 6 };
    struct {
        struct pair in[2];
    } nested = { 0 };
    add_to(&alone, 2);
    add_to(&many[1], 4);
    add_to(many + 2, wait_for(5));
    add_to(&p.a, alone);
    add_to(&nested.in[1].b, 7);
    printf("%d %d %d %d %d %d %d\n", alone, many[0], many[1], many[2], p.a, p.b, nested.in[1].b);
    printf("%d %d\n", own(2, p), p.b);
    for (int i = 0; i < 6; i++) {
        int turn = i;
        add_to(&i, 1);
        add_to(&turn, i);
        printf("%d/%d ", i, turn);
    }
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
