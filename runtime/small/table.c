/* table.c - the table of base/table.h as one list: on a board few tasks hold a buffer of setjmp. */
#include "base/table.h"

static struct co4__table_node *find_from(struct co4__table_node *n, uintptr_t key)
{
    while (n && n->key != key)
        n = n->next;
    return n;
}

struct co4__table_node *co4__table_find(const struct co4__table *t, uintptr_t key)
{
    return find_from(t->first[0], key);
}

struct co4__table_node *co4__table_find_next(const struct co4__table_node *n)
{
    return find_from(n->next, n->key);
}

void co4__table_add(struct co4__table *t, struct co4__table_node *n, uintptr_t key)
{
    n->key = key;
    n->next = t->first[0];
    n->link = &t->first[0];
    if (n->next)
        n->next->link = &n->next;
    t->first[0] = n;
}

void co4__table_remove(struct co4__table *t, struct co4__table_node *n)
{
    (void)t;
    *n->link = n->next;
    if (n->next)
        n->next->link = n->link;
}
