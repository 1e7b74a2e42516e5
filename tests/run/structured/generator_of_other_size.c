/* generator_of_other_size - a next into a variable of another size than the value's: the value
 * stays, nothing is written, whether the generator is at its beginning, at a yield, or has
 * ended.
 * expect: -1 77 | 1 0 | -1 77 -1 7 | 2 3 | -1 77 | end 77 */
#include <co4.h>
#include <stdio.h>

static pausable void count(int n)
{
    for (int i = 1; i <= n; i++)
        if (co4_gen_yield(&i) != CO4_OK)
            return;
}

static int refused(int code)
{
    return code == CO4_EINVAL ? -1 : code;
}

int main(void)
{
    co4_gen *g = co4_generate(count(4));
    long long wide = 77;
    short narrow = 7;
    int n = 0;
    printf("%d %lld | ", refused(co4_gen_next(g, &wide)), wide);
    co4_gen_next(g, &n);
    printf("%d %d | ", n, (int)(wide - 77));
    int code = refused(co4_gen_next(g, &wide));
    printf("%d %lld %d %d | ", code, wide, refused(co4_gen_next(g, &narrow)), narrow);
    co4_gen_next(g, &n);
    printf("%d ", n);
    co4_gen_next(g, &n);
    printf("%d | ", n);
    printf("%d %lld | ", refused(co4_gen_next(g, &wide)), wide);
    co4_gen_next(g, &n);
    code = co4_gen_next(g, &wide);
    printf("%s %lld\n", code == CO4_ECLOSED && n == 4 ? "end" : "no end", wide);
    co4_gen_destroy(g);
    return 0;
}
