#include <unistd.h>

int line_length(int fd);

int line_length(int fd)
{
    char c;
    int n = 0;
    while (read(fd, &c, 1) == 1 && c != '\n')
        n++;
    return n;
}
