/* typedef_prototype - functions that a marked typedef alone declares, before and after their
 * definition, and in blocks.
 * expect: large 10
 * expect: 5 9 7 10 | 2.5 3.5 */
#include <co4.h>
#include <stdio.h>

typedef pausable double measure(int);
typedef pausable const char *naming(double);

static measure half;
measure outer;
static naming name;

static pausable int use(int n)
{
    double d = half(n) + outer(n);
    printf("%s ", name(d));
    return (int)(d * 2);
}

static pausable double half(int n)
{
    co4_yield();
    return n / 2.0;
}

pausable double outer(int n)
{
    co4_yield();
    return n + 0.5;
}

static pausable const char *name(double d)
{
    co4_yield();
    return d > 4 ? "large" : "small";
}

measure outer, *chosen = outer; /* once more */
static measure(half);

static pausable int in_blocks(int n)
{
    extern measure outer;
    double sum = outer(n) + half(n);
    {
        typedef pausable double local_measure(int);
        local_measure outer, *pointer = outer, *const pointers[] = { outer, half };
        printf("%d ", (int)sum);
        sum += pointers[0](n);
        printf("%d ", (int)(sum + (*pointer)(0)));
        extern local_measure(outer);
        sum -= half(n) + (*outer)(n);
    }
    pausable double outer(int);
    printf("%d ", (int)(sum + outer(n)));
    return (int)(3 * outer(n));
}

static pausable void work(void)
{
    printf("%d\n", use(3));
    printf("%d | ", in_blocks(3));
    printf("%.1f ", chosen(2));
    printf("%.1f\n", outer(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
