/* comments_and_directives.c - comments before, in and behind directives, in arguments of macros
 * that look at them as text, between the operands of ##, in _Pragma: the preprocessor sees none of
 * them.
 * expect: fast
 * expect: a b|"x"|9
 * expect: 12 3 */
/* clang-format off */ /* the test is about the places of comments */
/* the first line of code is a directive behind a comment */ #include <co4.h>
/* a */ /* b */ #include <stdio.h>

/* on by default */ #define FAST
#define TEXT(x)          #x
#define JOINED(a, b)     a /* between */ ## /* the */ b
#define ONE_OF(x, y) /* which
    has two lines */ x /* and a choice */ + y

_Pragma(/* of the compiler */ "GCC diagnostic push")
/* none */ #pragma GCC diagnostic ignored /* but this */ "-Wunused-variable"

static pausable int which(void)
{
    /* in a body */ #ifdef FAST
    int JOINED(an, swer) = 1;
    /* as well */ #else
    int JOINED(an, swer) = 2;
    #endif /* FAST */
    co4_yield();
    return answer;
}

static pausable int chosen(int n)
{
    int sum = 0;
    switch (n) {
    case 1: sum += ONE_OF(4 /* four */, /* five */ 5); /* fall through */
    case 2: sum += which(); /* and then */ /* FALLTHRU */ case 3: sum += 2;
        // fallthrough
    default:
        break;
        /* a comment of more
           lines; and its end */ case 7: sum = 7;
    }
    return sum;
}

_Pragma("GCC diagnostic pop")

static pausable void work(void)
{
    printf("%s\n", which() == 1 ? "fast" : "slow");
    printf("%s|%s|%d\n", TEXT(a /* no */ b), TEXT(/* no */ "x" /* nor this */), ONE_OF(4, 5));
    printf("%d %d\n", chosen(1), chosen(2));
}

int main(void)
{
    co4_run(work());
    return 0;
}
