/* generator_sends - values sent to a generator, its result, and its early end.
 * modes: woven forced
 * flags: -Wno-return-type
 * expect: 1 2 3 | sum 60
 * expect: result 60, then closed
 * expect: 0 1 closed early */
#include <co4.h>
#include <stdio.h>

static pausable int summing(int n)
{
    int sum = 0;
    for (int i = 1; i <= n; i++) {
        int v = i;
        co4_gen_yield(&v);
        sum += v;
    }
    return sum;
}

static pausable long forever(void)
{
    for (long i = 0;; i++)
        co4_gen_yield(&i);
}

int main(void)
{
    co4_gen *g = co4_generate(summing(3));
    int v, in = 10, sum = 0;
    while (co4_gen_next(g, &v) == CO4_OK) {
        printf("%d ", v);
        co4_gen_send(g, &in);
        sum += in;
        in += 10;
    }
    printf("| sum %d\n", sum);
    int result = co4_gen_result(g, &v);
    printf("result %d, %s\n", v, result == CO4_OK ? "then closed" : "none");
    co4_gen_destroy(g);

    long n;
    g = co4_generate(forever());
    for (int i = 0; i < 2 && co4_gen_next(g, &n) == CO4_OK; i++)
        printf("%ld ", n);
    co4_gen_close(g);
    puts(co4_gen_next(g, &n) == CO4_ECLOSED ? "closed early" : "still open");
    co4_gen_destroy(g);
    return 0;
}
