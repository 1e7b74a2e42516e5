/* generator.c - a walk of a tree by a recursive generator, which gives a value at each node. */
#include <co4.h>
#include <stdio.h>

struct node {
    int value;
    struct node *left, *right;
};

pausable void walk(const struct node *n)
{
    if (!n)
        return;
    walk(n->left);
    co4_gen_yield(&n->value);
    walk(n->right);
}

int main(void)
{
    struct node one = { 1, NULL, NULL }, three = { 3, NULL, NULL }, two = { 2, &one, &three };
    struct node five = { 5, NULL, NULL }, four = { 4, &two, &five };
    co4_gen *values = co4_generate(walk(&four));
    int value;
    while (co4_gen_next(values, &value) == CO4_OK)
        printf("%d\n", value);
    co4_gen_destroy(values);
    return 0;
}
