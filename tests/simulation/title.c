/* title.c - a program that writes over its arguments and its environment, as those that change
 * their titles do: each life has them as they were. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **argument)
{
    int fd = open("lives", O_RDWR | O_CREAT | O_APPEND, 0666);
    if (count != 2 || strcmp(argument[1], "word") != 0 || !getenv("CO4_TEST_DISK") ||
        !getenv("PATH") || fd < 0) {
        printf("not as at the beginning: %d %s\n", count, argument[0]);
        return 1;
    }
    for (char **list = argument; list; list = list == argument ? environ : NULL)
        for (char **at = list; *at; at++)
            memset(*at, 'x', strlen(*at));
    for (int i = 0; i < 20; i++)
        if (write(fd, "x", 1) != 1)
            return 1;
    printf("a life\n");
    return 0;
}
