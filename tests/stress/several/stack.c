#include "stack.h"

int stack_push(struct stack *s, int value)
{
    if (stack_depth(s) == 16)
        return -1;
    s->values[s->top++] = value;
    return 0;
}

int stack_pop(struct stack *s, int *value)
{
    if (stack_depth(s) == 0)
        return -2;
    *value = s->values[--s->top];
    return 0;
}
