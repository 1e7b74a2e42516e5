#include "stack.h"

#include <stdlib.h>

struct stack {
    filter *change;
    int used;
    struct item items[3];
};

struct stack *stack_create(filter *change)
{
    struct stack *s = malloc(sizeof *s);
    if (s == NULL)
        abort();
    s->change = change;
    s->used = 0;
    return s;
}

void stack_destroy(struct stack *s)
{
    free(s);
}

int stack_is_empty(const struct stack *s)
{
    return s->used == 0;
}

pausable int stack_push(struct stack *s, struct item i)
{
    if (s->used == 3)
        return -1;
    s->items[s->used] = s->change(i);
    s->used++;
    return 0;
}

pausable struct item stack_pop(struct stack *s)
{
    co4_yield();
    if (s->used == 0)
        return (struct item){ 0 };
    return s->items[--s->used];
}
