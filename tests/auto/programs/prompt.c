/* prompt.c - asks, at a terminal. */
#include <stdio.h>

int main(void)
{
    char name[32], word[32];
    int n;
    printf("name? ");
    if (!fgets(name, sizeof name, stdin))
        return 1;
    printf("hello %snumber? ", name);
    if (scanf("%d %31s", &n, word) != 2)
        return 2;
    printf("%d %s\nkey? ", n + 1, word);
    while (getchar() != '\n')
        ;
    printf("%c!\n", getchar());
    return getchar() != EOF && getchar() == EOF ? 0 : 3;
}
