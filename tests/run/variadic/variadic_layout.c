/* variadic_layout.c - variable arguments after a pause are those that an ordinary call passes: of
 * all types and sizes, few and many.
 * expect: texts 14 equal
 * expect: values 13 equal */
#include <co4.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 512 };

static pausable int step(int n)
{
    co4_yield();
    return n;
}

/* ---- what vsnprintf makes of a list ---- */

static void write_plain(char *out, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(out, ROOM, format, ap);
    va_end(ap);
}

static pausable void write_late(char *out, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    step(1);
    vsnprintf(out, ROOM, format, ap);
    va_end(ap);
}

static pausable void write_fixed(int a, double b, long c, char *out, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    step((int)(a + b + c));
    vsnprintf(out, ROOM, format, ap);
    va_end(ap);
}

static int equal, differ;

static void compare(const char *one, const char *two, size_t size)
{
    if (memcmp(one, two, size) == 0)
        equal++;
    else
        printf("%d: '%s' '%s'\n", ++differ, one, two);
}

#define TEXT(...)                                                                                  \
    do {                                                                                           \
        char one_[ROOM] = "", two_[ROOM] = "", three_[ROOM] = "";                                  \
        write_plain(one_, __VA_ARGS__);                                                            \
        write_late(two_, __VA_ARGS__);                                                             \
        write_fixed(1, 2, 3, three_, __VA_ARGS__);                                                 \
        compare(one_, two_, ROOM);                                                                 \
        compare(one_, three_, ROOM);                                                               \
    } while (0)

static pausable void texts(void)
{
    static const char word[] = "word";
    TEXT("nothing");
    TEXT("%d %s %c", 1, word, 'c');
    TEXT("%d %f %ld %s %Lf %d %c", -1, 1.5, -2L, word, (long double)3.25, 4, 'x');
    TEXT("%d %d %d %d %d %d %d %d %d %d %f %f %f %f %f %f %f %f %f %f", 1, 2, 3, 4, 5, 6, 7, 8, 9,
         10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.);
    TEXT("%d %lld %d %lld %Lf %d %Lf %lld", 1, 2LL, 3, 4LL, (long double)5, 6, (long double)7, 8LL);
    TEXT("%Lf %f %Lf %d %Lf", (long double)1, 2., (long double)3, 4, (long double)5);
    TEXT("%hhd %hd %u %lu %zu %p %c", (signed char)-1, (short)-2, 3u, 4ul, sizeof(int),
         (void *)word, word[0]);
}

/* ---- types of other kinds ---- */

struct small {
    char c;
};
struct three {
    char c[3];
};
struct pair {
    int a;
    float b;
};
struct doubles {
    double a, b;
};
struct mixed {
    long a;
    double b;
};
struct large {
    long a[5], b;
};
struct floats {
    float f[3];
};
struct quad {
    double d[4];
};
struct single {
    int i;
};
union either {
    double d;
    int i[2];
};

/* clang's own calls and va_arg disagree about it for WebAssembly, and before release 18. */
#if defined(__SIZEOF_INT128__) && !defined(__wasm__) &&                                            \
    !(defined(__clang__) && __clang_major__ < 18)
#define WIDE __int128
#else
#define WIDE long long
#endif

/* Reads what the letters say, each into 64 bytes. Before and after each is an int. */
static void collect(char *out, const char *letters, va_list *ap)
{
#define TAKE(type)                                                                                 \
    do {                                                                                           \
        type value_ = va_arg(*ap, type);                                                           \
        memcpy(out, &value_, sizeof value_);                                                       \
    } while (0)
    for (; *letters != '\0'; letters++, out += 64)
        switch (*letters) {
        case 'i':
            TAKE(int);
            break;
        case 'd':
            TAKE(double);
            break;
        case 'w':
            TAKE(WIDE);
            break;
        case 's':
            TAKE(struct small);
            break;
        case 't':
            TAKE(struct three);
            break;
        case 'p':
            TAKE(struct pair);
            break;
        case 'D':
            TAKE(struct doubles);
            break;
        case 'm':
            TAKE(struct mixed);
            break;
        case 'L':
            TAKE(struct large);
            break;
        case 'f':
            TAKE(struct floats);
            break;
        case 'q':
            TAKE(struct quad);
            break;
        case '1':
            TAKE(struct single);
            break;
        case 'u':
            TAKE(union either);
            break;
        }
}

static void collect_plain(char *out, const char *letters, ...)
{
    va_list ap;
    va_start(ap, letters);
    collect(out, letters, &ap);
    va_end(ap);
}

static pausable void collect_late(char *out, const char *letters, ...)
{
    va_list ap;
    va_start(ap, letters);
    step(2);
    collect(out, letters, &ap);
    va_end(ap);
}

#define VALUES(...)                                                                                \
    do {                                                                                           \
        char one_[1024] = "", two_[1024] = "";                                                     \
        collect_plain(one_, __VA_ARGS__);                                                          \
        collect_late(two_, __VA_ARGS__);                                                           \
        compare(one_, two_, sizeof one_);                                                          \
    } while (0)

static pausable void values(void)
{
    const WIDE w = ((WIDE)1 << (8 * sizeof(WIDE) - 9)) + 3;
    VALUES("iwi", 1, w, 2);
    VALUES("wdwiw", w, 1.5, w + 1, 7, w + 2);
    VALUES("iiiiiiiiwiw", 1, 2, 3, 4, 5, 6, 7, 8, w, 9, w);
    struct small s = { 'a' };
    struct three t = { "xyz" };
    struct pair p = { 3, 4.5f };
    union either u = { .d = 8.25 };
    VALUES("isitipi", 1, s, 2, t, 3, p, 4);
    VALUES("uiui", u, 1, u, 2);
    VALUES("iiiiiiiisituip", 1, 2, 3, 4, 5, 6, 7, 8, s, 9, t, u, 10, p);
    struct doubles d = { 1.25, -2.5 };
    struct mixed m = { -7, 6.5 };
    VALUES("iDimi", 1, d, 2, m, 3);
    VALUES("DDDDDmmmmi", d, d, d, d, d, m, m, m, m, 1);
    struct large l = { { 1, 2, 3, 4, 5 }, 6 };
    VALUES("iLi", 1, l, 2);
    VALUES("wLidLw", w, l, 1, 2.5, l, w);
    VALUES("sLtLpLDL", s, l, t, l, p, l, d, l);
    struct floats f = { { 1, 2, 3 } };
    struct quad q = { { 4, 5, 6, 7 } };
    struct single o = { 8 };
    VALUES("ifq1i", 1, f, q, o, 2);
    VALUES("ffffqqqi1", f, f, f, f, q, q, q, 1, o);
}

static pausable int all(void)
{
    texts();
    printf("texts %d equal\n", equal);
    equal = 0;
    values();
    printf("values %d equal\n", equal);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
