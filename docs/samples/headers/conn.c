/* conn.c - the lead example of co4/conn.h.
 * needs: descriptors
 * modes: woven forced
 * expect: hello, world */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>

static pausable void greet(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    while (c && co4_conn_read_line(c, &line, 512) > 0)
        co4_conn_printf(c, "hello, %s", line);
    co4_conn_close(c);
}

static pausable void ask(void)
{
    int fds[2];
    char answer[32] = "";
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    co4_spawn(greet(fds[0]));
    co4_write(fds[1], "world\n", 6);
    co4_read(fds[1], answer, sizeof answer - 1);
    fputs(answer, stdout);
    co4_close(fds[1]);
}

int main(void)
{
    co4_run(ask());
    return 0;
}
