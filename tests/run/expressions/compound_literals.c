/* compound_literals - compound literals with points in them, as values, arguments, and by
 * address.
 * expect: 1 2 7 30 10 9 8 20
 * expect: 12 4 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct point {
    int x, y;
};

static pausable int sum(const struct point *p)
{
    co4_yield();
    return p->x + p->y;
}

static pausable int total(const int *values, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        co4_yield();
        n += values[i];
    }
    return n;
}

static pausable int taken(struct point p)
{
    co4_yield();
    return p.x * p.y;
}

static pausable void work(void)
{
    struct point p;
    p = (struct point){ wait_for(1), 2 };
    printf("%d %d ", p.x, p.y);
    printf("%d ", sum(&(struct point){ 3, 4 }));
    printf("%d ", taken((struct point){ wait_for(5), wait_for(6) }));
    printf("%d ", total((int[]){ 1, 2, 3, 4 }, 4));
    printf("%d ", (struct point){ .y = wait_for(9) }.y);
    printf("%d ", (int){ wait_for(7) } + wait_for(1));
    printf("%d\n", (int[]){ 10, 20, 30 }[wait_for(1)]);
    int *kept = (int[]){ 5, 6 };
    const struct point *q = &(struct point){ p.x, p.y + 1 };
    wait_for(0);
    kept[0]++;
    printf("%d %d\n", total(kept, 2), sum(q));
}

int main(void)
{
    co4_run(work());
    return 0;
}
