/* asks.c - a program at a terminal, or at pipes. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char line[64];
    struct winsize size = { 0 };
    struct termios was, raw;
    (void)argv;
    printf("terminal %d, arguments %d\n", isatty(0), argc - 1);
    if (ioctl(1, TIOCGWINSZ, &size) == 0)
        printf("%d columns, %d rows\n", size.ws_col, size.ws_row);
    printf("name? ");
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0')
            break;
        printf("hello, %s\nname? ", line);
    }
    if (tcgetattr(0, &was) == 0) {
        raw = was;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(0, TCSANOW, &raw);
        char c = 0;
        fflush(stdout);
        if (read(0, &c, 1) == 1)
            printf("key %c\n", c);
        tcsetattr(0, TCSANOW, &was);
    }
    FILE *f = fopen("/visitors", "a");
    fprintf(f, "%s\n", line);
    fclose(f);
    return 7;
}
