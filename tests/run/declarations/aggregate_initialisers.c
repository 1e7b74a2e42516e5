/* aggregate_initialisers - points in initialisers of arrays and structs: nested, designated,
 * incomplete.
 * needs: formats
 * expect: 4 1 2 3 4
 * expect: 0 10 0 30 40
 * expect: 1 2 0 3
 * expect: 0 5 6 7 8 6
 * expect: s 2 3 4 5.0
 * expect: t 0 9 0
 * expect: 3 1 7 2 wo */
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
struct shape {
    const char *name;
    struct point at[2];
    union {
        int n;
        double d;
    } u;
};

static pausable struct point point_of(int x, int y)
{
    co4_yield();
    return (struct point){ x, y };
}

static pausable void work(void)
{
    int a[] = { 1, wait_for(2), 3, wait_for(4) };
    int b[5] = { [3] = wait_for(30), 40, [1] = wait_for(10) };
    int grid[2][3] = { { wait_for(1), 2 }, { [2] = wait_for(3) } };
    struct point p = { .y = wait_for(5) }, q = point_of(6, 7), r = { wait_for(8), q.x };
    struct shape s = { "s", { { 1, wait_for(2) }, point_of(3, 4) }, { .d = wait_for(5) } };
    struct shape t = { .at[1].y = wait_for(9), .name = "t" };
    const struct point path[] = { { wait_for(1), 0 }, q, { .y = wait_for(2) } };
    char word[] = { 'w', (char)wait_for('o'), 0 };
    printf("%zu %d %d %d %d\n", sizeof a / sizeof *a, a[0], a[1], a[2], a[3]);
    printf("%d %d %d %d %d\n", b[0], b[1], b[2], b[3], b[4]);
    printf("%d %d %d %d\n", grid[0][0], grid[0][1], grid[0][2], grid[1][2]);
    printf("%d %d %d %d %d %d\n", p.x, p.y, q.x, q.y, r.x, r.y);
    printf("%s %d %d %d %.1f\n", s.name, s.at[0].y, s.at[1].x, s.at[1].y, s.u.d);
    printf("%s %d %d %d\n", t.name, t.at[0].x, t.at[1].y, t.u.n);
    printf("%zu %d %d %d %s\n", sizeof path / sizeof *path, path[0].x, path[1].y, path[2].y, word);
}

int main(void)
{
    co4_run(work());
    return 0;
}
