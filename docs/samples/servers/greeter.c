/* greeter.c - the README's first example: a server to try with nc. */
#include <co4.h>
#include <co4/conn.h>
#include <co4/net.h>
#include <stdio.h>

pausable void serve(int fd)
{
    char *line;
    co4_conn *c = co4_conn_create(fd);
    while (c && co4_conn_read_line(c, &line, 512) > 0) /* pauses: no thread waits here */
        co4_conn_printf(c, "hello, %s", line);
    co4_conn_close(c);
}

pausable int server(const char *port)
{
    int fd, listener = co4_tcp_listen("localhost", port, 0);
    if (listener < 0) {
        fprintf(stderr, "%s: %s\n", port, co4_strerror(listener));
        return 1;
    }
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(serve(fd)); /* a task for each connection */
    return 0;
}

int main(int argc, char **argv)
{
    return argc == 2 ? co4_run(server(argv[1])) : 2;
}
