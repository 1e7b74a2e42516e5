/* names_itself.c - initializers with a pausable call that name what they initialize, and not what it hides.
 * expect: 8,24,3,32,24,
 * expect: 5 6 7 8 2 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    double value[2];
};

static pausable void *get(size_t size)
{
    co4_yield();
    printf("%d,", (int)size);
    return calloc(1, size);
}

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void sizes(void)
{
    char *p = get(8);
    {
        struct node *p = get(sizeof *p), *const q = get((size_t)wait_for(3) * sizeof q->next->next /
                                                        8);
        free(p);
        free(q);
        for (struct node(*p)[2] = get(sizeof *p - sizeof(__typeof__(**p)) / 3 * 2); p != NULL;
             p = NULL)
            free(p);
    }
    struct node *list = get(sizeof *list);
    free(list);
    free(p);
    printf("\n");
}

static pausable void values(void)
{
    int late = wait_for(late = 5), twice = ((twice = wait_for(3)), twice * 2);
    void *self = wait_for(1) ? (void *)&self : NULL;
    struct {
        int a, b;
    } both = { .a = wait_for(7), .b = wait_for((int)sizeof both) };
    const int constant = wait_for((int)sizeof constant) / 2;
    printf("%d %d %d %d %d\n", late, twice, both.a, both.b, self == &self ? constant : 0);
}

int main(void)
{
    co4_run(sizes());
    co4_run(values());
    return 0;
}
