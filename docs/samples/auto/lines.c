/* lines.c - counts lines. */
#include <stdio.h>
#include <unistd.h>

static int next(int fd)
{
    unsigned char c;
    return read(fd, &c, 1) == 1 ? c : -1;
}

static int lines(int fd)
{
    int n = 0;
    for (int c; (c = next(fd)) >= 0;)
        n += c == '\n';
    return n;
}

int main(void)
{
    printf("%d lines\n", lines(0));
    return 0;
}
