#include "stack.h"

#include <ctype.h>
#include <stdlib.h>

int operations_used;

static int plus(int a, int b)
{
    return a + b;
}
static int minus(int a, int b)
{
    return a - b;
}
static int times(int a, int b)
{
    return a * b;
}
static int over(int a, int b)
{
    return b != 0 ? a / b : 0;
}

const struct operation operations[] = {
    { '+', plus }, { '-', minus }, { '*', times }, { '/', over }, { 0, 0 }
};

static int operate(struct stack *s, char sign)
{
    int a, b, error;
    for (const struct operation *o = operations; o->sign != 0; o++)
        if (o->sign == sign) {
            operations_used++;
            if ((error = stack_pop(s, &b)) != 0 || (error = stack_pop(s, &a)) != 0)
                return error;
            return stack_push(s, o->apply(a, b));
        }
    return -3;
}

int evaluate(const char *text, int *result)
{
    struct stack s = { .top = 0 };
    int error = 0;
    while (*text != '\0' && error == 0) {
        if (isdigit((unsigned char)*text)) {
            char *end;
            error = stack_push(&s, (int)strtol(text, &end, 10));
            text = end;
        } else if (*text == ' ') {
            text++;
        } else {
            error = operate(&s, *text++);
        }
    }
    return error != 0 ? error : stack_pop(&s, result);
}
