/* designated_indices - the index of a designator says which member a value goes to, so which
 * functions may: enumerators, constant expressions, sizes, characters, ranges, and what follows
 * without a designator.
 * flags: -std=gnu11 -Wno-missing-braces -Wno-missing-field-initializers
 * expect: 11 5 3 2 2
 * expect: 2 2 2 2
 * expect: 2 3 2 2 3
 * expect: 7 2 3 4 4 0
 * expect: 51 */
#include <co4.h>
#include <stddef.h>
#include <stdio.h>

enum { first, second, third, count, past = count + 1, negative = -2, huge = 2147483647 };
#define ONE_MORE(x) ((x) + 1)

struct mix {
    int (*plain)(int);
    pausable int (*later)(int);
};

struct bytes {
    char a, b, c;
};

struct all {
    int (*before)(int);
    struct mix mix[count];
    pausable int (*behind)(int);
};

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

static int same(int n)
{
    return n;
}

static const struct mix table[past] = {
    [second] = { same, next }, [third].later = next, [negative + 2] = { same, next }
};
static struct all whole = { .mix[third] = { same, next }, next };
static struct all ranged = {
    .mix[first... second].later = next, .mix[third] = { same }, next, .before = same
};

static pausable int of_tables(int n)
{
    return table[second].later(n) + table[third].later(n) + table[0].plain(n) + whole.behind(n) +
           ranged.mix[0].later(n) + ranged.behind(n);
}

static pausable int bare(int n)
{
    struct all x = { same, { [second] = { same, next }, same, next }, next };
    struct all y[2] = { [second].mix[sizeof(char)].later = next, same, next, next };
    pausable int (*w[count])(int) = { [(second)] = next, next, [first] = next };
    return x.behind(n) + y[1].mix[2].later(n) + y[1].behind(n) + w[first](n) + w[2](n) - 5;
}

static pausable int targets(int n)
{
    struct all x = { .mix['\2'] = { same, next }, next };
    struct all y = { .mix[(unsigned char)258] = { same, next }, next };
    struct all z = { .mix[_Alignof(short)] = { same, next }, next };
    struct all w = { .mix[offsetof(struct bytes, c)] = { same, next }, next };
    printf("%d %d %d %d\n", x.behind(n), y.behind(n), z.behind(n), w.behind(n));
    struct all a = { .mix[sizeof(int) > 1 ? third : first] = { same, next }, next };
    struct all b = { .mix[third | 0x0] = { same, next }, next };
    struct all c = { .mix[1 << 1] = { same, next }, next };
    return a.behind(n) + b.behind(n) + c.behind(n);
}

static pausable void values(int n)
{
    int a[past] = { [second] = next(n), next(2), [first] = next(6), [count... past - 1] = next(3) };
    const struct {
        int x, y[count];
    } b[2] = { [second].y[second] = next(3), [first].y[third] = next(-1) };
    printf("%d %d %d %d %d %d\n", a[0], a[1], a[2], a[3], b[1].y[1], b[0].y[2]);
}

/* All of them are 11. */
static pausable int spelled(void)
{
    struct long_all {
        struct mix mix[12];
        pausable int (*behind)(int);
    } all[] = {
        { .mix[013 + 0] = { same, next }, next },
        { .mix[0b1011] = { same, next }, next },
        { .mix[huge - 2147483636] = { same, next }, next },
        { .mix[ONE_MORE(10)] = { same, next }, next },
        { .mix[offsetof(struct bytes, c) + 10 - sizeof(char)] = { same, next }, next },
        { .mix[(int)11.5] = { same, next }, next },
        { .mix[_Generic(1L, long : 11, default : 3)] = { same, next }, next },
        { .mix[__builtin_choose_expr(1, 11, 2)] = { same, next }, next },
        { .mix[!0 * 11] = { same, next }, next },
        { .mix[-1 ? 11 : 0] = { same, next }, next },
        { .mix[~(-12)] = { same, next }, next },
        { .mix[(char)267] = { same, next }, next },
        { .mix[11u] = { same, next }, next },
        { .mix[11ULL] = { same, next }, next },
        { .mix[L'\v'] = { same, next }, next },
        { .mix[first... 10].later = next, .mix[sizeof "0123456789"] = { same, next }, next },
        { .mix[(_Bool)5 + 10] = { same, next }, next },
    };
    int sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += all[i].behind(0) + all[i].mix[11].later(1);
    return sum;
}

static pausable void work(void)
{
    printf("%d %d %d %d %d\n", of_tables(1), bare(1), ranged.mix[1].later(2), whole.mix[2].later(1),
           table[2].later(1));
    struct mix literal = ((struct mix[]){
        [second] = { .later = next }, [first] = { same, next } })[next(0)];
    printf("%d %d %d %d %d\n", literal.later(1), targets(1) / 2, table[1].later(1), whole.behind(1),
           ranged.behind(2));
    values(1);
    printf("%d\n", spelled());
}

int main(void)
{
    co4_run(work());
    return 0;
}
