/* edges - paths and names that few programs have: values live only behind a `continue` of do-while,
 * cleanups that a continue inside a switch runs, three locals of one name with the middle one dead,
 * a local that lives on above its declaration.
 * expect: 2 5 5 | 1 3 3
 * expect: 1 ended 1;2 ended 2;3 other 3 ended 3;
 * expect: 2 6 4 1
 * expect: 10 20 | 62 0 */
#include <co4.h>
#include <stdio.h>

static pausable int next(int n)
{
    co4_yield();
    return n + 1;
}

/* `more` is live in the point by way of `continue` alone, `kept` by way of the end alone. */
static pausable void continued(void)
{
    int i = 0, more, kept;
    do {
        more = i < 4;
        kept = i * 2;
        if (next(i++) < 2)
            continue;
        more = more && i < 3;
        printf("%d ", kept + (i == 3));
    } while (more);
    printf("%d | ", i + more + 2);
    i = 0;
    do {
        more = ++i < 4;
        switch (next(i)) {
        case 3:
            if (next(i) == 3)
                continue;
            more = 0;
            break;
        default:
            more = i < 3;
        }
        printf("%d ", i);
    } while (more);
    printf("%d\n", i);
}

static void ended(const int *of)
{
    printf("ended %d;", *of);
}

static pausable void cleaned(void)
{
    for (int i = 1; i <= 3; i++) {
        int guard __attribute__((cleanup(ended))) = i;
        printf("%d ", guard);
        switch (next(i)) {
        case 2:
        case 3:
            if (next(i) > 1)
                continue;
            /* fall through */
        default:
            break;
        }
        printf("other %d ", guard);
    }
    puts("");
}

static pausable void three(void)
{
    int x = next(0);
    {
        int x = 2;
        printf("%d ", x);
        {
            int x = 3;
            x += next(2);
            printf("%d ", x);
        }
        for (int x = 3; x < 4; x = next(x))
            printf("%d ", next(x));
    }
    printf("%d\n", x);
}

static pausable void above(void)
{
    int rounds = 0, sum = 0, moved = 0, *at = NULL;
again:
    if (at != NULL) {
        sum += next(*at);
        printf("%d ", *at);
        sum += *at;
    }
    int local = 10 * ++rounds;
    moved += at != NULL && at != &local;
    at = &local;
    if (rounds < 3)
        goto again;
    printf("| %d %d\n", sum, moved);
}

int main(void)
{
    co4_run(continued());
    co4_run(cleaned());
    co4_run(three());
    co4_run(above());
    return 0;
}
