/* pointer_of_kinds - pausable pointers to functions of different kinds: void, struct results,
 * many parameters.
 * expect: 2 111 110 3.00 class 114 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct wide {
    int n[9];
};

static int told;

static pausable void tell_it(void)
{
    co4_yield();
    told++;
}

static pausable struct wide widen(struct wide w, int by)
{
    for (int i = 0; i < 9; i++)
        w.n[i] += wait_for(by);
    return w;
}

static pausable double mean(const double *values, unsigned count)
{
    double sum = 0;
    for (unsigned i = 0; i < count; i++, co4_yield())
        sum += values[i];
    return sum / count;
}

struct class
{
    pausable void (*note)(void);
    pausable struct wide (*widen)(struct wide, int);
    pausable double (*mean)(const double *, unsigned);
    const char *(*name)(void);
};

static const char *name(void)
{
    return "class";
}

static pausable void work(void)
{
    const struct class c = { tell_it, widen, .mean = mean, .name = name };
    struct wide w = { { 1, 2, 3 } };
    c.note();
    c.note();
    w = c.widen(c.widen(w, 10), 100);
    printf("%d %d %d %.2f %s ", told, w.n[0], w.n[8], c.mean((double[]){ 1, 2, 6 }, 3), c.name());
    printf("%d\n", c.widen(w, 1).n[wait_for(2)]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
