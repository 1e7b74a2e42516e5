/* mutual_pointers - functions that call each other through pausable pointers: members, tables,
 * parameters.
 * expect: even odd 10 | 55 3 | 7 */
#include <co4.h>
#include <stdio.h>

struct machine;
typedef pausable int step(struct machine *m, int n);

struct machine {
    step *even, *odd;
    int calls;
};

static pausable int even(struct machine *m, int n)
{
    m->calls++;
    if (n == 0)
        return 1;
    co4_yield();
    return m->odd(m, n - 1);
}

static pausable int odd(struct machine *m, int n)
{
    int before = m->calls++;
    if (n == 0)
        return 0;
    int result = m->even(m, n - 1);
    co4_yield();
    return result && before >= 0;
}

/* Each sums its part and hands the rest to the other. */
static pausable int down(step *const table[], int which, int n);
static pausable int left(struct machine *m, int n);
static pausable int right(struct machine *m, int n);
static step *const sides[] = { left, right };

static pausable int left(struct machine *m, int n)
{
    m->calls += n > 7;
    return n <= 0 ? 0 : n + sides[1](m, n - 1);
}

static pausable int right(struct machine *m, int n)
{
    co4_yield();
    return n <= 0 ? 0 : down(sides, 0, n - 1) + n + 0 * m->calls;
}

static struct machine *shared;

static pausable int down(step *const table[], int which, int n)
{
    step *const next = table[which];
    return next(shared, n);
}

static pausable int apply(pausable int (*f)(pausable int (*)(int), int), pausable int (*g)(int),
                          int n)
{
    return f(g, n);
}

static pausable int identity(int n)
{
    co4_yield();
    return n;
}

static pausable int count_down(pausable int (*g)(int), int n)
{
    return n > 0 ? 1 + apply(count_down, g, g(n) - 1) : 0;
}

static pausable void work(void)
{
    struct machine m = { even, odd, 0 };
    shared = &m;
    printf("%s %s ", m.even(&m, 4) ? "even" : "odd", m.even(&m, 3) ? "even" : "odd");
    printf("%d | ", m.calls + 1);
    m.calls = 0;
    int sum = left(&m, 10);
    printf("%d %d | %d\n", sum, m.calls + 1, count_down(identity, 7));
}

int main(void)
{
    co4_run(work());
    return 0;
}
