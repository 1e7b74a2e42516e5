/* error_path - a local that only the error path behind a suspension point needs.
 * expect: first -1
 * expect: second first -1
 * expect: second first 0 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int open_both(int fail_at)
{
    int status = -1;
    char *first = malloc(10), *second = NULL;
    if (first == NULL)
        goto none;
    snprintf(first, 10, "first");
    if (wait_for(fail_at) == 1)
        goto free_first;
    second = malloc(10);
    if (second == NULL)
        goto free_first;
    snprintf(second, 10, "second");
    if (wait_for(fail_at) == 2)
        goto free_second;
    status = wait_for(0);
free_second:
    printf("%s ", second);
    free(second);
free_first:
    printf("%s ", first);
    free(first);
none:
    return status;
}

static pausable void work(void)
{
    for (int i = 1; i < 4; i++)
        printf("%d\n", open_both(i));
}

int main(void)
{
    co4_run(work());
    return 0;
}
