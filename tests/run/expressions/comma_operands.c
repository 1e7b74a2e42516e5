/* comma_operands - a comma expression as an operand that is taken apart: the arm of a `?:`, an
 * index, the end of a statement expression, a `return` with a cleanup behind it.
 * expect: arms 1 5 1 6
 * expect: converted 255 1
 * expect: narrow 3.5 2.0
 * expect: elided 4 9
 * expect: index 11 1 12 2
 * expect: statements 6 1 8 8
 * expect: struct 3 3 4 4
 * expect: ended 4, gives 12
 * expect: call 23 1 */
#include <co4.h>
#include <stdio.h>

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

static pausable int arm(int small, int *kept)
{
    return small ? *kept = 5, 1 : next(1);
}

static pausable int other_arm(int small, int *kept)
{
    return small ? next(1) : (*kept)++, *kept = *kept + 1, *kept;
}

static pausable unsigned char narrow(int small, signed char *kept)
{
    return small ? *kept = 5, (signed char)-1 : (unsigned char)next(0);
}

static pausable double wide(int small, int *kept)
{
    return small ? *kept = 3, *kept + 0.5 : next(1);
}

struct pair {
    const int a;
    const int b;
};

static pausable struct pair pair_of(int n)
{
    co4_yield();
    return (struct pair){ n, n + 1 };
}

static void end(const int *of)
{
    printf("ended %d", *of);
}

static pausable int ended(int n)
{
    int guard __attribute__((cleanup(end))) = next(n);
    n = n ? guard++, n : next(1);
    return n += 2, n * 3;
}

static int twice(int n)
{
    return 2 * n;
}

static int thrice(int n)
{
    return 3 * n;
}

static pausable void work(void)
{
    int kept = 0, taken, a[4] = { 10, 11, 12, 13 };
    taken = arm(1, &kept);
    printf("arms %d %d ", taken, kept);
    taken = other_arm(1, &kept);
    printf("%d %d\n", taken - 5, kept);

    signed char byte = 0;
    taken = narrow(1, &byte);
    printf("converted %d %d\n", taken, narrow(0, &byte));
    double result = wide(1, &kept);
    printf("narrow %.1f %.1f\n", result, wide(0, &kept));

    int none = 0, i = 0;
    printf("elided %d ", none ?: (kept = 3, kept + 1) ?: next(1));
    printf("%d\n", none ?: (none++, 0) ?: next(8));

    i = 0;
    a[i++, i] += next(-1);
    printf("index %d %d ", a[1], i);
    taken = a[i++, i] + next(-1);
    printf("%d %d\n", taken, i);

    printf("statements %d ", ({
               next(1);
               kept = 5, kept + 1;
           }));
    printf("%d ", ({
               next(1);
               (void)kept, kept - 4;
           }));
    printf("%d ", (i ? ({
               next(1);
               kept = 7, kept + 1;
           })
                     : 3));
    taken = ({ kept = 7, kept + 1; }) + next(-1);
    printf("%d\n", taken);

    int b;
    b = (i ? kept = 3, (struct pair){ 3, 4 } : pair_of(1)).a;
    printf("struct %d %d ", b, kept);
    b = (i ? kept = 4, (struct pair){ 3, 4 } : pair_of(1)).b;
    printf("%d %d\n", b, kept);

    taken = ended(2);
    printf(", gives %d\n", taken);
    kept = 0;
    taken = (kept++, kept ? twice : thrice)(next(10)) + next(0);
    printf("call %d %d\n", taken, kept);
}

int main(void)
{
    co4_run(work());
    return 0;
}
