/* conn_puts - texts and formatted output in one order; wrong use.
 * needs: descriptors
 * modes: plain woven forced
 * expect: one two 3
 * expect: NULL: CO4_EINVAL, no connection: CO4_EINVAL, empty: 0 */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static pausable int all(void)
{
    int fds[2];
    char *line;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 1;
    co4_conn *from = co4_conn_create(fds[0]), *to = co4_conn_create(fds[1]);
    co4_conn_puts(from, "one ");
    co4_conn_puts(from, "two ");
    co4_conn_printf(from, "%d", 3);
    ssize_t empty = co4_conn_puts(from, "");
    co4_conn_puts(from, "\n");
    co4_conn_flush(from);
    if (co4_conn_read_line(to, &line, 100) > 0)
        printf("%s", line);
    ssize_t null = co4_conn_puts(from, NULL);
    printf("NULL: %s, ", co4_errname((int)null));
    null = co4_conn_puts(NULL, "text");
    printf("no connection: %s, empty: %d\n", co4_errname((int)null), (int)empty);
    co4_conn_close(from);
    co4_conn_close(to);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
