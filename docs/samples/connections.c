/* connections.c - a server of lines, by buffered connections.
 * needs: descriptors
 * modes: woven forced
 * expect: 42
 * expect: 3
 * expect: error: three numbers, please */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>

/* Adds three numbers a line. Answers of many lines leave in one packet. */
static pausable void adder(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    while (c && co4_conn_read_line(c, &line, 128) > 0) {
        int x, y, z;
        if (sscanf(line, "%d %d %d", &x, &y, &z) == 3)
            co4_conn_printf(c, "%d\n", x + y + z); /* never waits */
        else
            co4_conn_printf(c, "error: three numbers, please\n");
    }
    co4_conn_close(c); /* sends what is left */
}

static pausable void client(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    if (!c)
        return;
    co4_conn_printf(c, "40 1 1\n1 1 1\nhello\n");
    co4_conn_end(c); /* sends the lines, and says that no more come */
    while (co4_conn_read_line(c, &line, 128) > 0)
        fputs(line, stdout);
    co4_conn_close(c);
}

static pausable void both(void)
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    co4_task *t = co4_spawn(adder(fds[0]));
    client(fds[1]);
    co4_join(t, NULL);
}

int main(void)
{
    co4_run(both());
    return 0;
}
