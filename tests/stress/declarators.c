/* declarators.c - all shapes of declarators, declared in other words than they are defined with;
 * also [*], a result and parameters behind typedefs, a parameter with the name of the result's
 * type.
 * flags: -std=gnu11 */
#include <stddef.h>
#include <stdio.h>

typedef struct list list;
struct list {
    int value;
    list *next;
};
typedef long row4[4];
typedef int op(int);
typedef void none;
typedef const struct list *const seen;

static long grid[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
static long solid[2][3][4] = { { { 1 }, { 2 }, { 3 } }, { { 4, 5, 6, 7 }, { 8 }, { 9 } } };

static list *insert(list *list, int after);
static long (*row(int i))[4];
static long (*rows(int i))[3][4];
static int (*chosen(int i))(int);
static int (*(*chooser(int i))(int))(int);
static row4 *typed_row(int i);
static op *typed_op(int i);
static none nothing(none);
static long sum(size_t n, long (*a)[n]);
static long sum_of(int n, long a[n]);
static long sum_2(int m, int n, long a[m][n]);
static long stars(int m, int n, long a[*][*]);
static seen seen_list(seen one);
static int apply(int f(int), int (*g)(int), int (*const h)(int), int n);
static int many(int (*fs[])(int), int n);
static int many_p(int (*(*fs)[2])(int), int n);
static char *const *names(char *const argv[const 2], char *restrict *restrict more);
static const char *(*namer(void))(void);
static volatile int *const vp(volatile int *const volatile p);
static unsigned long long int lot(register unsigned x);
static struct list by_value(struct list list);
static struct point {
    int x, y;
} point(int x, int y)
{
    return (struct point){ y, x };
}
static int(plain_brackets)(int n);
static int (*(bracketed)(int n))(int);
static void (*handler(int sig, void (*func)(int)))(int);
extern int (*const table[2])(int);

static list pool[4];
static list *insert(list *list, int after)
{
    list[1].value = after;
    list[1].next = list->next;
    list->next = &list[1];
    return list->next;
}
static long (*row(int i))[4]
{
    return &grid[i];
}
static long (*rows(int i))[3][4]
{
    return &solid[i];
}
static int twice(int n)
{
    return 2 * n;
}
static int thrice(int n)
{
    return 3 * n;
}
static int (*chosen(int i))(int)
{
    return i ? twice : thrice;
}
static int (*(*chooser(int i))(int))(int)
{
    return i ? chosen : chosen;
}
static row4 *typed_row(int i)
{
    return &grid[i];
}
static op *typed_op(int i)
{
    return i ? twice : thrice;
}
static none nothing(none)
{
    printf("nothing\n");
}
static long sum(size_t n, long (*a)[n])
{
    long s = 0;
    for (size_t i = 0; i < n; i++)
        s += (*a)[i];
    return s;
}
static long sum_of(int n, long a[n])
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
static long sum_2(int m, int n, long a[m][n])
{
    long s = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            s += a[i][j];
    return s;
}
static long stars(int m, int n, long a[m][n])
{
    return sum_2(m, n, a);
}
static seen seen_list(seen one)
{
    return one->next;
}
static int apply(int f(int), int (*g)(int), int (*const h)(int), int n)
{
    return f(g(h(n)));
}
static int many(int (*fs[])(int), int n)
{
    return fs[0](fs[1](n));
}
static int many_p(int (*(*fs)[2])(int), int n)
{
    return (*fs)[0]((*fs)[1](n));
}
static char *const *names(char *const argv[const 2], char *restrict *restrict more)
{
    return more[0] ? argv : argv + 1;
}
static const char *one_name(void)
{
    return "one";
}
static const char *(*namer(void))(void)
{
    return one_name;
}
static volatile int *const vp(volatile int *const volatile p)
{
    return p;
}
static unsigned long long int lot(register unsigned x)
{
    return 1ull << x;
}
static struct list by_value(struct list list)
{
    list.value++;
    return list;
}
static enum { RED_, GREEN_ } colour_(int n)
{
    return n ? GREEN_ : RED_;
}
static int(plain_brackets)(int n)
{
    return n;
}
static int (*(bracketed)(int n))(int)
{
    return n ? twice : thrice;
}
static void on(int n)
{
    printf("on %d\n", n);
}
static void (*handler(int sig, void (*func)(int)))(int)
{
    func(sig);
    return func;
}
int (*const table[2])(int) = { twice, thrice };

int main(void)
{
    printf("%d\n", insert(pool, 3)->value);
    printf("%ld %ld\n", (*row(1))[2], (*rows(1))[0][2]);
    printf("%d %d %d\n", chosen(1)(4), chooser(1)(0)(4), (*(*chooser)(1))(1)(4));
    printf("%ld %d\n", (*typed_row(2))[1], typed_op(0)(5));
    nothing();
    printf("%ld %ld %ld %ld\n", sum(4, &grid[1]), sum_of(4, grid[0]), sum_2(3, 4, grid),
           stars(2, 4, grid));
    printf("%d\n", seen_list(pool)->value);
    printf("%d %d %d\n", apply(twice, thrice, twice, 1), many((int (*[])(int)){ twice, thrice }, 1),
           many_p(&(int (*[2])(int)){ twice, thrice }, 2));
    char *argv[] = { "a", "b" }, *more[] = { 0 };
    printf("%s %s\n", names(argv, more)[0], namer()());
    volatile int v = 4;
    printf("%d %llu %d %d\n", *vp(&v), lot(40), by_value(pool[0]).value, colour_(1));
    printf("%d %d %d\n", plain_brackets(3), bracketed(1)(3), table[1](3));
    printf("%d\n", point(1, 2).x);
    handler(1, on)(2);
    return 0;
}
