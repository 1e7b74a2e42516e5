/* live_pointers - pointers into arrays and structs of the same function, live across pauses.
 * expect: 1 0 310 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int palindrome(const char *text)
{
    char copy[32];
    int n = 0;
    for (const char *from = text; *from != '\0'; from++)
        if (*from != ' ')
            copy[n++] = (char)wait_for(*from);
    copy[n] = '\0';
    for (char *left = copy, *right = copy + n - 1; left < right; left++, right--)
        if (wait_for(*left) != *right)
            return 0;
    return 1;
}

static pausable int linked(void)
{
    struct node {
        int n;
        struct node *next;
    } nodes[4], *head = NULL;
    for (int i = 0; i < 4; i++) {
        nodes[i] = (struct node){ wait_for(i), head };
        head = &nodes[i];
    }
    int number = 0;
    for (struct node **at = &head; *at != NULL; wait_for(0))
        if ((*at)->n == 2)
            *at = (*at)->next;
        else {
            number = number * 10 + (*at)->n;
            at = &(*at)->next;
        }
    return number;
}

static pausable void work(void)
{
    printf("%d %d ", palindrome("never odd or even"), palindrome("nearly"));
    printf("%d\n", linked());
}

int main(void)
{
    co4_run(work());
    return 0;
}
