/* main.c - several files: functions, tables and state of one used by others, an inline function of a header in all. */
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

int main(int argc, char *argv[])
{
    show("1 2 + 3 *");
    show("9 4 - 2 2 * /");
    show("1 +");
    show("1 ?");
    printf("%d used, first is %c, depth %d\n", operations_used, operations[0].sign,
           stack_depth(&(struct stack){ .top = 3 }));
    return argc == 3 && argv[3] == 0 ? stack_depth(&(struct stack){ .top = 5 }) : 1;
}
