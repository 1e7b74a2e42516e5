/* shapes.h - one function of each shape, declared and defined in different words. */
#include <co4.h>
#include <stdarg.h>
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

static MARK list *insert(list *, int);
static MARK long (*row(int))[4];
static MARK long (*rows(int))[3][4];
static MARK int (*chosen(int))(int);
static MARK int (*(*chooser(int))(int))(int);
static MARK row4 *typed_row(int);
static MARK op *typed_op(int);
static MARK none nothing(none);
static MARK long sum(size_t n, long (*)[n]);
static MARK long sum_of(int n, long[n]);
static MARK long sum_2(int m, int n, long[m][n]);
static MARK long stars(int m, int, long (*)[m]);
static MARK long least(long a[const static 4], int n);
static MARK const list *seen_list(seen);
static MARK int apply(int(int), op *, op, int);
static MARK int many(int (*[])(int), int);
static MARK int many_at(int (*(*)[2])(int), int);
static MARK char *const *names(char *const[2], char *restrict *restrict);
static MARK const char *(*namer(void))(void);
static MARK volatile int *vp(volatile int *const volatile);
static MARK unsigned long long int lot(register unsigned);
static MARK struct list by_value(struct list);
static MARK int(brackets)(int);
static MARK int (*(bracketed)(int))(int);
static MARK void (*handler(int, void (*)(int)))(int);
static MARK int from_list(int n, va_list list);
static MARK row4 *(*(*tower(row4 *(*)(int)))(void))(int);

static MARK list *insert(list *list, int after)
{
    co4_yield();
    list[1].value = after;
    list[1].next = list->next;
    list->next = &list[1];
    co4_yield();
    return list->next;
}

static MARK long (*row(int i))[4]
{
    co4_yield();
    return &grid[i];
}

static MARK long (*rows(int rows))[3][4]
{
    co4_yield();
    return &solid[rows];
}

static int twice(int n)
{
    return 2 * n;
}

static int thrice(int n)
{
    return 3 * n;
}

static op *plainly(int i)
{
    return i ? twice : thrice;
}

static MARK int (*chosen(int i))(int)
{
    co4_yield();
    return i ? twice : thrice;
}

static MARK int (*(*chooser(int i))(int))(int)
{
    co4_yield();
    return i ? plainly : plainly;
}

static MARK row4 *typed_row(int row4)
{
    co4_yield();
    return &grid[row4];
}

static MARK op *typed_op(int op)
{
    co4_yield();
    return op ? twice : thrice;
}

static MARK none nothing(none)
{
    co4_yield();
    puts("nothing");
}

static MARK long sum(size_t n, long (*a)[n])
{
    long s = 0;
    for (size_t i = 0; i < n; i++, co4_yield())
        s += (*a)[i];
    return s;
}

static MARK long sum_of(int n, long a[n])
{
    long s = 0;
    for (int i = 0; i < n; i++, co4_yield())
        s += a[i];
    return s;
}

static MARK long sum_2(int m, int n, long a[m][n])
{
    long s = 0;
    for (int i = 0; i < m; i++, co4_yield())
        for (int j = 0; j < n; j++)
            s += a[i][j];
    return s;
}

static MARK long stars(int n, int m, long (*a)[n])
{
    return sum_2(m, n, a);
}

static MARK long least(long a[const static 4], int n)
{
    long s = 0;
    for (int i = 0; i < n; i++, co4_yield())
        s += a[i];
    return s;
}

static MARK const list *seen_list(seen one)
{
    co4_yield();
    return one->next;
}

static MARK int apply(int f(int), op *g, op h, int n)
{
    co4_yield();
    return f(g(h(n)));
}

static MARK int many(int (*fs[])(int), int n)
{
    co4_yield();
    return fs[0](fs[1](n));
}

static MARK int many_at(int (*(*fs)[2])(int), int n)
{
    co4_yield();
    return (*fs)[0]((*fs)[1](n));
}

static MARK char *const *names(char *const argv[2], char *restrict *restrict more)
{
    co4_yield();
    return more[0] ? argv : argv + 1;
}

static const char *one_name(void)
{
    return "one";
}

static MARK const char *(*namer(void))(void)
{
    co4_yield();
    return one_name;
}

static MARK volatile int *vp(volatile int *const volatile p)
{
    co4_yield();
    return p;
}

static MARK unsigned long long int lot(register unsigned x)
{
    co4_yield();
    return 1ull << x;
}

static MARK struct list by_value(struct list list)
{
    co4_yield();
    list.value++;
    return list;
}

static MARK enum { BLACK, WHITE } shade(int n)
{
    co4_yield();
    return n ? WHITE : BLACK;
}

static MARK int(brackets)(int n)
{
    co4_yield();
    return n;
}

static MARK int (*(bracketed)(int n))(int)
{
    co4_yield();
    return n ? twice : thrice;
}

static void on(int n)
{
    printf("on %d ", n);
}

static MARK void (*handler(int sig, void (*func)(int)))(int)
{
    func(sig);
    co4_yield();
    return func;
}

static MARK int from_list(int n, va_list list)
{
    return n + va_arg(list, int);
}

static int with_list(int n, ...)
{
    va_list list;
    va_start(list, n);
    int sum = ENTER(from_list(n, list));
    va_end(list);
    return sum;
}

static row4 *a_row(int i)
{
    return &grid[i];
}

static row4 *(*ground(void))(int)
{
    return a_row;
}

static MARK row4 *(*(*tower(row4 *(*f)(int)))(void))(int)
{
    co4_yield();
    return (*f)(0) == grid ? ground : NULL;
}

static int first_time(void)
{
    static list pool[4];
    printf(KIND " %d ", ENTER(insert(pool, 3))->value);
    printf("%ld %ld | ", (*ENTER(row(1)))[2], (*ENTER(rows(1)))[0][2]);
    printf("%d %d ", ENTER(chosen(1))(4), ENTER(chooser(1))(1)(4));
    printf("%d %d | ", ENTER(chooser(1))(0)(4), (*(*ENTER(chooser(1)))(1))(4));
    printf("%ld %d ", (*ENTER(typed_row(2)))[1], ENTER(typed_op(0))(5));
    printf("%ld | ", (*ENTER(typed_row(2)))[1] + ENTER(row(2))[0][1]);
    ENTER(nothing());
    return pool->next == pool + 1 ? pool->next->value : -1;
}

static int second_time(int three)
{
    struct list one = { three, NULL }, pool = { 0, &one };
    printf(KIND " %ld %ld ", ENTER(sum(4, &grid[1])), ENTER(sum_of(4, grid[0])));
    printf("%ld %ld ", ENTER(sum_2(3, 4, grid)), ENTER(stars(4, 2, grid)));
    printf("%ld | ", ENTER(least(grid[1], 4)));
    printf("%d ", ENTER(seen_list(&pool))->value);
    printf("%d ", ENTER(apply(twice, thrice, twice, 1)));
    printf("%d ", ENTER(many((int (*[])(int)){ twice, thrice }, 1)));
    printf("%d | ", ENTER(many_at(&(int (*[2])(int)){ twice, thrice }, 2)));
    char *argv[] = { "a", "b" }, *more[] = { 0 };
    printf("%s %s ", ENTER(names(argv, more))[0], ENTER(namer())());
    volatile int v = 4;
    printf("%d %llu ", *ENTER(vp(&v)), ENTER(lot(40)) >> 40 << 3 | 32);
    printf("%d %d\n", ENTER(by_value(pool)).value, ENTER(shade(1)) == WHITE);
    return 0;
}

MARK void ALL(void)
{
    second_time(first_time());
    printf(KIND " %d %d | ", brackets(3), bracketed(1)(3));
    handler(1, on)(2);
    printf("| %d %d ", by_value((struct list){ 7, NULL }).value,
           insert((list[2]){ { 0, NULL } }, 10)->value);
    printf("%d | ", with_list(4, 7));
    printf("%ld %ld\n", (*tower(a_row)()(1))[2], rows(1)[0][0][2]);
}
