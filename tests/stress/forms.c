/* forms.c - parameters without names, operators of a vector and a number, first values of atomic
 * structs, and a main that returns nothing.
 * flags: -std=gnu2x */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));

static int one(int x, int)
{
    return x;
}

static int brackets(int[static 2], const int[const 3], int n, int (*)(int), int[n], _Atomic int,
                    void(int), int x __attribute__((unused)))
{
    return one(n, 2) + one(n, 1);
}

static int opened(int, char *, const char *const[2], int y, double, ...)
{
    return one(y, 1) + one(2, y);
}

int only(int);
int only(int)
{
    return one(3, 1);
}

static v4 get(int x, int)
{
    return (v4){ x, x + 1, x + 2, x + 3 };
}

static f4 get_float(float x)
{
    return (f4){ x, x + 1, x + 2, x + 3 };
}

static void vectors(int n)
{
    const int c = 7;
    enum { E = 3 };
    v4 all[] = { 2 * get(1, 0),           get(1, 0) * 2,       one(3, 0) + get(1, 0) * one(2, 0),
                 get(1, 0) << one(1, 0),  n * get(n, 0),       n++ + get(n, 0),
                 -get(1, 0) + ~get(2, 0), (char)2 * get(2, 0), (n, 3) + get(one(1, 0), 0),
                 c * get(1, 0),           E * get(1, 0),       one(1, 0) * (n * get(2, 0)) };
    all[0] += one(2, 0);
    all[1] *= get(1, 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        printf("%d %d %d %d\n", all[i][0], all[i][1], all[i][2], all[i][3]);
    f4 a = 2.0f * get_float(1), b = 2 * get_float(1);
    printf("%g %g\n", a[1], b[2]);
}

struct pair {
    int a, b;
};

struct big {
    long a[4];
};

static int see(const volatile void *p)
{
    return p != 0;
}

static struct big make(int n)
{
    return (struct big){ { n, n + 1 } };
}

static int scalars(_Atomic int p, atomic_bool b, _Atomic(char *) c)
{
    see(0);
    p++;
    return one(p, 0) + b + (c != 0);
}

static void flags(_Atomic struct pair p, atomic_flag f)
{
    see(&p);
    see(&f);
    struct pair q = p;
    printf("%d %d\n", q.b, atomic_flag_test_and_set(&f));
}

static void atomics(void)
{
    _Atomic struct pair c = (struct pair){ 7, 8 }, z = c, late;
    const _Atomic struct pair k = *(struct pair[]){ { one(1, 0), 2 } };
    atomic_flag f = ATOMIC_FLAG_INIT, g = ATOMIC_FLAG_INIT;
    volatile atomic_flag v = ATOMIC_FLAG_INIT;
    see(&c), see(&z), see(&k), see(&f), see(&v);
    struct pair a = c, b = z, d = k;
    printf("%d %d %d %d %d %d\n", a.a, b.b, d.b, atomic_flag_test_and_set(&f),
           atomic_flag_test_and_set(&f), atomic_flag_test_and_set(&v));
    for (int i = 0; i < 2; i++) {
        atomic_flag in = ATOMIC_FLAG_INIT;
        see(&in);
        printf("%d", atomic_flag_test_and_set(&in));
        if (i == 0)
            late = a;
        else
            b = late;
    }
    flags(c, g);
    printf("%d %d %ld\n", b.a, scalars(1, 1, 0), make(4).a[1]);
}

void main(int, char **)
{
    int a[3] = { 0 };
    vectors(5);
    atomics();
    printf("%d %d %d\n", brackets(a, a, 3, 0, a, 2, 0, 1), only(1), opened(1, 0, 0, 4, 1.5, 2));
    exit(one(0, 0));
}
