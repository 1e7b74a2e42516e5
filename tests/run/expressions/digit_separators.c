/* digit_separators.c - preprocessing numbers as the standard has them, and what else an apostrophe
 * or a quote may begin: none of them hides a mark behind it.
 * flags: -std=gnu2x
 * expect: 1000 1000000 48879 5 3000
 * expect: 100 97 98 39 34
 * expect: 1050.5 4.0 0.125
 * expect: a "quote" and a ' \ mark */
#include <co4.h>
#include <stdio.h>

static const int thousand = 1'000; /* an odd number of them on the line */
static const long million = 1'000'000L;
static const unsigned beef = 0xbe'efu, five = 0b1'01;

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static const double with_exponent = 1'05.05e+1, of_hex = 0x1'0.0p-2, small = .12'5;

static pausable int sum(void)
{
    int total = 1'000 + wait_for(1'0'0'0);
    return total + wait_for(thousand);
}

#if defined(__GNUC__) && !defined(__clang__) && !defined(__TINYC__)
#define A u8'a'
#else
#define A u'a'
#endif
static const int letters[] = { A, L'b', '\'', '"' };

#if defined(__GNUC__) && !defined(__clang__) && !defined(__TINYC__)
static const char text[] = R"mark(a "quote" and )" and a)mark"
                           R"( ' \ mark)";
static const char *shown = "a \"quote\" and )\" and a ' \\ mark";
#else
static const char text[] = "a \"quote\" and a ' \\ mark";
static const char *shown = "a \"quote\" and a ' \\ mark";
#endif

static pausable void work(void)
{
    printf("%d %ld %u %u %d\n", thousand, million, beef, five, sum());
    printf("%d %d %d %d %d\n", wait_for(1'00), letters[0], (int)letters[1], letters[2], letters[3]);
    printf("%.1f %.1f %.3f\n", with_exponent, of_hex, small);
    for (int i = 0; shown[i] != 0; i++)
        if (text[i] != shown[i])
            printf("differs at %d\n", i);
    printf("a \"quote\" and a ' \\ mark\n");
}

int main(void)
{
    co4_run(work());
    return 0;
}
