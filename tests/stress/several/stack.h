#ifndef STACK_H
#define STACK_H

struct stack {
    int values[16], top;
};

struct operation {
    char sign;
    int (*apply)(int, int);
};

static inline int stack_depth(const struct stack *s)
{
    int depth = 0;
    while (depth < s->top)
        depth++;
    return depth;
}

int stack_push(struct stack *s, int value);
int stack_pop(struct stack *s, int *value);

#endif
