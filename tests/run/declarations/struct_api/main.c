/* struct_api - a module behind an opaque type, with pausable members and results of struct type
 * across files.
 * expect: full at 3 item 5.0 item 3.0 item 1.0 0.0 */
#include "stack.h"

#include <stdio.h>

static pausable struct item doubled(struct item i)
{
    co4_yield();
    i.value *= 2;
    return i;
}

static pausable void work(void)
{
    struct stack *s = stack_create(doubled);
    for (int i = 0; i < 4; i++)
        if (stack_push(s, (struct item){ i + 0.5, "item" }) != 0)
            printf("full at %d ", i);
    while (!stack_is_empty(s)) {
        struct item i = stack_pop(s);
        printf("%s %.1f ", i.name, i.value);
    }
    printf("%.1f\n", stack_pop(s).value);
    stack_destroy(s);
}

int main(void)
{
    co4_run(work());
    return 0;
}
