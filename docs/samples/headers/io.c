/* io.c - the lead example of co4/io.h.
 * needs: descriptors
 * modes: woven forced
 * expect: hello */
#include <co4.h>
#include <co4/io.h>
#include <stdio.h>

static pausable void echo(int fd)
{
    char line[512];
    ssize_t n;
    while ((n = co4_read(fd, line, sizeof line)) > 0)
        if (co4_write(fd, line, (size_t)n) != n)
            break;
    co4_close(fd);
}

static pausable void ask(void)
{
    int fds[2];
    char answer[16] = "";
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    co4_spawn(echo(fds[0]));
    co4_write(fds[1], "hello", 5);
    co4_read(fds[1], answer, sizeof answer - 1);
    puts(answer);
    co4_close(fds[1]);
}

int main(void)
{
    co4_run(ask());
    return 0;
}
