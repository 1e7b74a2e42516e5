/* builtin_operands.c - compilers' builtins that look at their operands and do not evaluate them;
 * that take an address; that name the function.
 * flags: -Wno-assume
 * expect: object_size 1 0
 * expect: of a builtin 1 0
 * expect: chosen 13 2
 * expect: looked 1 1
 * expect: address 7
 * expect: mixed mixed
 * expect: mixed mixed
 * expect: assumed 2 1
 * expect: typeof 17 8 1 */
#include <co4.h>

#include <stdio.h>

#if defined(__clang__)
#define ADDRESS_OF(x) __builtin_addressof(x)
#define ASSUME(x)     __builtin_assume(x)
#else
#define ADDRESS_OF(x) (&(x))
#define ASSUME(x)     (void)0
#endif

static int calls;

static pausable int f(int n)
{
    calls++;
    co4_yield();
    return n;
}

static pausable char *buffer(void)
{
    static char bytes[8];
    calls++;
    co4_yield();
    return bytes;
}

static pausable void object_size(void)
{
    size_t size = __builtin_object_size(buffer(), 0);
    int n = f(1);
    printf("object_size %d %d\n", n, size == (size_t)-1 ? calls - 1 : calls - (int)(size / 8) - 1);
}

/* A builtin may be without effects; those of its operands count. */
static pausable void of_a_builtin(void)
{
    char to[8] = "";
    calls = 0;
    size_t size = __builtin_object_size(__builtin_strcpy(to, buffer()), 0);
    int n = f(1);
    printf("of a builtin %d %d\n", n, size == (size_t)-1 ? calls - 1 : 0);
}

static pausable void chosen(int n)
{
    calls = 0;
    n += __builtin_choose_expr(sizeof(f(1)) == sizeof(int), f(n), buffer());
    n += __builtin_choose_expr(0, f(n), 3);
    n += f(2);
    printf("chosen %d %d\n", n, calls);
}

static pausable void looked(void)
{
    calls = 0;
    int n = __builtin_constant_p(f(1)) + __builtin_types_compatible_p(__typeof__(f(1)), int);
    f(n + 0 * __builtin_classify_type(f(1)));
    printf("looked %d %d\n", n, calls);
}

static pausable void set(int *p)
{
    co4_yield();
    *p = 7;
}

static pausable void address(void)
{
    int n = 1;
    set(ADDRESS_OF(n));
    printf("address %d\n", n);
}

static pausable_or_plain int mixed(int n)
{
    printf("%s %s\n", __builtin_FUNCTION(), __func__);
    return f(n);
}

static pausable void assumed(int n)
{
    calls = 0;
    ASSUME(f(n) > 0);
    n += f(1);
    printf("assumed %d %d\n", n, calls);
}

/* In the names of types: evaluated only where they are of variable length, and never instead of
 * what they are written for. */
static pausable void types(int n)
{
    int at = 0, rows[3][n];
    calls = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < n; k++)
            rows[i][k] = i * 10 + k;
    int sum = (__typeof__(f(2)))n + f(1);
    sum += *(*(__typeof__(rows[0]) *)rows + f(1));
    sum += (__typeof__ /* of f */ (f(3)))1 + f(2);
    sum += (*(__typeof__(rows[at++]) *)((char *)rows + f(0)))[0];
    sum += (*(__typeof__(n)(*)[n])rows)[f(1)];
    sum += ((__typeof__(f(1))[]){ f(4), n })[1] + (int)sizeof(__typeof__(f(2))) / 4 - 1;
    __typeof__(f(3)) two = f(2);
    __typeof__(f(3))(*grid)[n] = rows;
    sum += two + (*grid)[f(1)];
    printf("typeof %d %d %d\n", sum, calls, at);
}

static pausable void work(void)
{
    object_size();
    of_a_builtin();
    chosen(4);
    looked();
    address();
    mixed(1);
}

int main(void)
{
    co4_run(work());
    mixed(2);
    co4_run(assumed(1));
    co4_run(types(4));
    return 0;
}
