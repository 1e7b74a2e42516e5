/* initialised_in_condition - values that conditions compute and bodies use, on both sides of &&,
 * || and ?:.
 * expect: 90 -1 -2 7 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int read_number(const char **text, int *value)
{
    co4_yield();
    while (**text == ' ')
        ++*text;
    if (**text < '0' || **text > '9')
        return -1;
    for (*value = 0; **text >= '0' && **text <= '9'; ++*text)
        *value = *value * 10 + (**text - '0');
    return wait_for(0);
}

static pausable int evaluate(const char *text)
{
    int left, right, error;
    if ((error = read_number(&text, &left)) != 0)
        return error;
    while (*text != '\0') {
        char operator= * text++;
        if (operator== ' ')
            continue;
        if ((operator!= '+' && operator!= '*') || read_number(&text, &right) != 0)
            return wait_for(-2);
        left = operator== '+' ? left + wait_for(right) : wait_for(left) * right;
    }
    return left;
}

static pausable void work(void)
{
    printf("%d %d %d %d\n", evaluate("1 + 2 * 30"), evaluate("x"), evaluate("4 - 5"),
           evaluate("7"));
}

int main(void)
{
    co4_run(work());
    return 0;
}
