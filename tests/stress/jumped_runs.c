/* jumped_runs.c - an error handler that jumps out of functions, more often than there are numbers
 * for runs: none is lost, none is zero without a word.
 * plain: attempt */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;
static long depth;

static int fail(int n)
{
    if (n % 3 == 0)
        longjmp(out, 1);
    return n + 1;
}

static int work(int n)
{
    return depth++ < 0 ? work(n) : fail(n) + 1;
}

/* Another definition might take the place of a weak one, so it stays plain. */
__attribute__((weak)) int attempt(int n)
{
    return setjmp(out) == 0 ? work(n) : -1;
}

int main(void)
{
    long failed = 0, sum = 0, wrong = 0;
    for (int i = 0; i < 220000; i++) {
        int r = attempt(i);
        failed += r == -1;
        wrong += i % 3 == 0 ? r != -1 : r != i + 2;
        sum += r;
    }
    printf("%ld jumps, %ld wrong, %ld\n", failed, wrong, sum);
    return 0;
}
