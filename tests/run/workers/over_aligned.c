/* over_aligned.c - parameters, locals and results with alignments of their own, vectors, complex
 * numbers: where they lie, saved or pinned.
 * flags: -Wno-psabi -Wno-pedantic
 * needs: long-double
 * expect: 5
 * expect: 2047103
 * expect: 1 5 5 9
 * expect: 36 144 10 80
 * expect: -1 8 5 15 3.33333 */
#include <co4.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
static pausable int w(int n)
{
    co4_yield();
    return n;
}
#define PAGE 4096
#define MOST _Alignof(max_align_t)
#ifdef __SIZEOF_INT128__
#define WIDE 70
typedef __int128 wide;
#else
#define WIDE 40
typedef long long wide;
#endif
struct __attribute__((aligned(128))) s128 {
    int a;
};
typedef int i64a __attribute__((aligned(64)));
static int ok(const volatile void *p, unsigned a)
{
    return (uintptr_t)p % a == 0;
}
static pausable int g(int n)
{
    _Alignas(64) char a[3];
    __attribute__((aligned(32))) int b = n;
    char c __attribute__((aligned)) = 1;
    _Alignas(double) char d[9];
    _Alignas(PAGE) int e;
    _Alignas(2 * 16) _Alignas(8) int f;
    _Alignas(max_align_t) char h;
    struct s128 s = { n };
    i64a t = n;
    _Alignas(struct s128) char u;
    struct {
        char x;
        _Alignas(256) int y;
    } v = { 1, n };
    int r = ok(a, 64) + ok(&b, 32) * 2 + ok(&c, __BIGGEST_ALIGNMENT__) * 4 +
            ok(d, _Alignof(double)) * 8 + ok(&e, 4096) * 16 + ok(&f, 32) * 32 + ok(&h, MOST) * 64 +
            ok(&s, 128) * 128 + ok(&t, 64) * 256 + ok(&u, 128) * 512 + ok(&v, 256) * 1024;
    a[0] = (char)w(1);
    e = f = 5;
    h = u = 7;
    d[0] = 1;
    r = r * (r == (ok(a, 64) + ok(&b, 32) * 2 + ok(&c, __BIGGEST_ALIGNMENT__) * 4 +
                   ok(d, _Alignof(double)) * 8 + ok(&e, 4096) * 16 + ok(&f, 32) * 32 +
                   ok(&h, MOST) * 64 + ok(&s, 128) * 128 + ok(&t, 64) * 256 + ok(&u, 128) * 512 +
                   ok(&v, 256) * 1024));
    return r * 1000 + a[0] + b + c + d[0] + e + f + h + s.a + t + u + v.y + (int)__alignof__(a);
}
static pausable struct s128 take(struct s128 in)
{
    in.a += w(1);
    return in;
}
static pausable struct s128 *hold(struct s128 in, struct s128 *out)
{
    *out = in;
    w(in.a);
    printf("%d", ok(&in, 128));
    return out;
}
static pausable int large(struct s128 in)
{
    char big[2000];
    big[0] = 1;
    w(1);
    big[1999] = 2;
    return ok(&in, 128) + in.a + big[0] + big[1999];
}
typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
static pausable v4 vec(v4 a, v4 b)
{
    v4 s = a + b;
    w(1);
    return s * a;
}
static pausable v8 vec8(v8 a)
{
    v8 x = a + a;
    w(1);
    __attribute__((vector_size(32))) float y = x + a;
    w(2);
    return y + x;
}
static pausable _Complex double cx(_Complex double z)
{
    _Complex double q = z * z;
    w(1);
    return q + z * w(2);
}
static pausable wide integer(wide a)
{
    wide b = a << WIDE;
    w(2);
    return b + a * w(3);
}
static pausable long double ld(long double a)
{
    long double b = a / 3;
    w(2);
    return b + a * w(3);
}
static pausable int all(void)
{
    printf("%d\n", g(3));
    struct s128 x = { 4 }, y;
    x = take(x);
    hold(x, &y);
    printf(" %d %d %d\n", x.a, y.a, large(x));
    v4 a = { 1, 2, 3, 4 }, b = { 5, 6, 7, 8 };
    v4 c = vec(a, b) + vec(b, a);
    v8 d = { 1, 2, 3, 4, 5, 6, 7, 8 };
    d = vec8(d) + vec8(d);
    printf("%g %g %g %g\n", c[0], c[3], d[0], d[7]);
    _Complex double z = cx(1 + 2i);
    wide i = integer(5);
    printf("%g %g %d %d %Lg\n", __real__ z, __imag__ z, (int)(i >> WIDE), (int)i, ld(1));
    return 0;
}
int main(void)
{
    printf("%d\n", co4_run(take((struct s128){ 4 })).a);
    return co4_run(all());
}
