/* fails.c - a trap while the program waits for its input; or a file that cannot be opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[16];
    (void)argc;
    if (strcmp(argv[1], "trap") != 0) {
        int fd = open(argv[1], O_RDONLY);
        puts(fd >= 0 ? "opened" : errno == ENOENT ? "ENOENT" : "another error");
        return 9;
    }
    if (fgets(line, sizeof line, stdin) != NULL) {
        puts("about to trap");
        fflush(stdout);
        __builtin_trap();
    }
    return 0;
}
