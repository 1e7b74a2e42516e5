/* gen.c - the lead example of co4/gen.h.
 * expect: 0 1 2, then 3 */
#include <co4.h>
#include <stdio.h>

pausable int count(int n)
{
    for (int i = 0; i < n; i++)
        co4_gen_yield(&i);
    return n;
}

int main(void)
{
    co4_gen *g = co4_generate(count(3));
    int i;
    while (co4_gen_next(g, &i) == CO4_OK)
        printf(i < 2 ? "%d " : "%d, ", i);
    i = 3; /* plain builds do not keep the result */
    co4_gen_result(g, &i);
    printf("then %d\n", i);
    co4_gen_destroy(g);
    return 0;
}
