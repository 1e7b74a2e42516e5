/* blocking.c - the lead example of co4/blocking.h.
 * needs: pipes
 * expect: 5 bytes: hello */
#include <co4.h>
#include <stdio.h>
#include <unistd.h>

static pausable void work(int fd)
{
    char buffer[16];
    ssize_t n = co4_blocking(read(fd, buffer, sizeof buffer));
    printf("%d bytes: %.*s\n", (int)n, (int)n, buffer);
}

int main(void)
{
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "hello", 5) != 5)
        return 1;
    co4_run(work(ends[0]));
    return 0;
}
