/* main.c - several files: functions, tables and state of one used by others, an inline function of
 * a header in all. */
#include "stack.h"

#include <stdio.h>

extern const struct operation operations[];
extern int operations_used;
int evaluate(const char *text, int *result);

static void show(const char *text)
{
    int result = 0, error = evaluate(text, &result);
    printf("%s = %d, %d\n", text, result, error);
}

static int refuse(struct stack *s, int value)
{
    return s->top - value;
}

/* Called by name, and by what is not quite a name. */
static int push_in_ways(int ways)
{
    struct stack s = { .top = 0 };
    int errors = (stack_push)(&s, 1) + (*stack_push)(&s, 2) + (&stack_push)(&s, 3);
    for (int i = 0; i < ways; i++)
        errors = errors * 10 + (i % 2 == 0 ? stack_push : refuse)(&s, i);
    return errors * 100 + s.top + (errors, stack_push)(&s, 9);
}

int main(int argc, char *argv[])
{
    printf("%d\n", push_in_ways(4));
    show("1 2 + 3 *");
    show("9 4 - 2 2 * /");
    show("1 +");
    show("1 ?");
    printf("%d used, first is %c, depth %d\n", operations_used, operations[0].sign,
           stack_depth(&(struct stack){ .top = 3 }));
    return argc == 3 && argv[3] == 0 ? stack_depth(&(struct stack){ .top = 5 }) : 1;
}
