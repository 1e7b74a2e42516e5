/* spawn_arguments - co4_spawn captures its arguments by value, of all types, until the task
 * runs.
 * needs: long-double
 * expect: a -2 70000 1048576 1099511627776
 * expect: 0.25 3.00 70000.00
 * expect: 1 2 big 2.5 9
 * expect: unused
 * expect: none
 * expect: spawned 5 */
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
struct big {
    char text[40];
    double d[4];
};

static int *done;

static pausable void ints(char a, short b, int c, long d, unsigned long long e)
{
    co4_yield();
    printf("%c %d %d %ld %llu\n", a, b, c, d, e);
    ++*done;
}

static pausable void reals(float f, double d, long double l)
{
    co4_yield();
    printf("%.2f %.2f %.2Lf\n", f, d, l);
    ++*done;
}

static pausable int structs(struct point p, struct big b, const struct point *q)
{
    co4_yield();
    printf("%d %d %s %.1f %d\n", p.x, p.y, b.text, b.d[3], q->x);
    ++*done;
    return p.x;
}

static pausable struct big result(int n)
{
    struct big b = { "unused", { n } };
    co4_yield();
    printf("%s\n", b.text);
    ++*done;
    return b;
}

static pausable void none(void)
{
    puts("none");
    ++*done;
}

static pausable void work(void)
{
    int count = 0, c = 70000;
    struct point p = { 1, 2 }, fixed = { 9, 9 };
    struct big b = { "big", { [3] = 2.5 } };
    done = &count;
    co4_spawn(ints('a', -2, c, 1L << 20, 1ULL << 40));
    while (count < 1)
        co4_yield();
    co4_spawn(reals(0.25F, 3, c));
    while (count < 2)
        co4_yield();
    co4_task *t = co4_spawn(structs(p, b, &fixed));
    p.x = 100;
    b.text[0] = 'p';
    while (count < 3)
        co4_yield();
    co4_spawn(result(wait_for(5)));
    while (count < 4)
        co4_yield();
    co4_spawn(none());
    while (count < 5)
        co4_yield();
    printf("%s %d\n", t != NULL ? "spawned" : "not spawned", count);
    co4_task_release(t);
}

int main(void)
{
    co4_run(work());
    return 0;
}
