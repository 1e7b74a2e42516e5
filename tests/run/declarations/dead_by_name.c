/* dead_by_name - a local that its name no longer mentions, but that a pointer still reaches.
 * expect: 6
 * expect: abcd
 * expect: 2 1 end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void bump(int *counter)
{
    co4_yield();
    ++*counter;
}

static pausable void work(void)
{
    int counter = 5;
    int *where = &counter;
    wait_for(0);
    bump(where);
    wait_for(0);
    printf("%d\n", *where);

    char text[8] = "abc";
    char *end = text + 3;
    wait_for(0);
    *end++ = 'd';
    wait_for(0);
    *end = '\0';
    printf("%s\n", end - 4);

    struct node {
        int value;
        struct node *next;
    } one = { 1, NULL }, two = { 2, &one }, *list = &two;
    wait_for(0);
    for (; list != NULL; list = list->next) {
        wait_for(0);
        printf("%d ", list->value);
    }
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
