/* tree_walk - a tree built and walked by recursive functions, in order, with a callback of a
 * context.
 * expect: 10 20 25 30 35 50 60 70 80 count 9 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct tree {
    int key;
    struct tree *left, *right;
};

struct context {
    int last, count;
    pausable void (*visit)(struct context *, int key);
};

static pausable struct tree *insert(struct tree *t, int key)
{
    if (t == NULL) {
        t = malloc(sizeof *t);
        if (t != NULL)
            *t = (struct tree){ wait_for(key), NULL, NULL };
    } else if (key < t->key)
        t->left = insert(t->left, key);
    else
        t->right = insert(t->right, key);
    return t;
}

static pausable void walk(const struct tree *t, struct context *context)
{
    if (t == NULL)
        return;
    walk(t->left, context);
    context->visit(context, t->key);
    walk(t->right, context);
}

static pausable void visit(struct context *context, int key)
{
    co4_yield();
    printf("%d%c", key, context->last < key ? ' ' : '!');
    context->last = key;
    context->count++;
}

static void release(struct tree *t)
{
    if (t != NULL) {
        release(t->left);
        release(t->right);
        free(t);
    }
}

static pausable void work(void)
{
    static const int keys[] = { 50, 20, 70, 10, 30, 60, 80, 25, 35 };
    struct tree *root = NULL;
    struct context context = { 0, 0, visit };
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
        root = insert(root, keys[i]);
    walk(root, &context);
    printf("count %d\n", context.count);
    release(root);
}

int main(void)
{
    co4_run(work());
    return 0;
}
