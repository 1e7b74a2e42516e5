/* tree.c - a generator that yields from the depths of a recursion, and receives orders.
 * modes: woven forced
 * expect: 1 2 3 4 5 6 7
 * expect: 1 2 stop
 * expect: it returned 2 */
#include <co4.h>
#include <stdio.h>

struct tree {
    struct tree *left, *right;
    int value;
};

/* In order. Returns false when the consumer has sent a negative value: enough. */
pausable bool walk(const struct tree *t, int *seen)
{
    if (t == NULL)
        return true;
    if (!walk(t->left, seen))
        return false;
    int value = t->value;
    co4_gen_yield(&value); /* afterwards value holds the sent value, or is unchanged */
    ++*seen;
    return value >= 0 && walk(t->right, seen);
}

pausable int walk_all(const struct tree *t)
{
    int seen = 0;
    walk(t, &seen);
    return seen;
}

int main(void)
{
    struct tree n1 = { 0, 0, 1 }, n3 = { 0, 0, 3 }, n5 = { 0, 0, 5 }, n7 = { 0, 0, 7 };
    struct tree n2 = { &n1, &n3, 2 }, n6 = { &n5, &n7, 6 }, root = { &n2, &n6, 4 };
    int value, result, stop = -1;

    co4_gen *g = co4_generate(walk_all(&root));
    while (co4_gen_next(g, &value) == CO4_OK)
        printf("%d%s", value, co4_gen_has_more(g) == 1 ? " " : "\n");
    co4_gen_destroy(g);

    g = co4_generate(walk_all(&root));
    while (co4_gen_next(g, &value) == CO4_OK) {
        printf("%d ", value);
        if (value == 2)
            co4_gen_send(g, &stop);
    }
    puts("stop");
    if (co4_gen_result(g, &result) == CO4_OK)
        printf("it returned %d\n", result);
    co4_gen_destroy(g);
}
