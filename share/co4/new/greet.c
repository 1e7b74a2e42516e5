/* greet.c - a task for each client: it pauses in the calls of co4, and no thread waits. */
#include "greet.h"

#include <co4/conn.h>

pausable void greet(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    while (c && co4_conn_read_line(c, &line, 512) > 0)
        co4_conn_printf(c, "hello, %s", line);
    co4_conn_close(c);
}
