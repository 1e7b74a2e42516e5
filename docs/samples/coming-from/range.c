/* range.c - a generator, and the loop that takes its values.
 * modes: woven forced
 * expect: 0 1 4 9 */
#include <co4.h>
#include <stdio.h>

static pausable void squares(int n)
{
    for (int i = 0; i < n; i++)
        co4_gen_yield(&(int){ i * i });
}

int main(void)
{
    int value;
    co4_gen *g = co4_generate(squares(4));
    while (co4_gen_next(g, &value) == CO4_OK)
        printf("%d%s", value, co4_gen_has_more(g) == 1 ? " " : "\n");
    co4_gen_destroy(g);
}
