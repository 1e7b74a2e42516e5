/* questions.c - an ordinary program that asks, without marks: co4weave --auto finds what waits. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ask(const char *question, char *answer, int room)
{
    printf("%s ", question);
    fflush(stdout);
    if (!fgets(answer, room, stdin))
        return 0;
    answer[strcspn(answer, "\n")] = '\0';
    return answer[0] != '\0';
}

static void think(int steps)
{
    for (int i = 0; i < steps; i++) {
        usleep(150000);
        putchar('.');
        fflush(stdout);
    }
    putchar('\n');
}

int main(void)
{
    char name[40];
    int asked = 0;
    while (ask("Your name?", name, sizeof name)) {
        asked++;
        think(5);
        printf("Hello, %s: %d letters.\n", name, (int)strlen(name));
    }
    printf("%d names\n", asked);
    return 0;
}
