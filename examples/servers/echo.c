/* echo.c - sends back what it receives.
 *
 *     echo --port 7000 &
 *     nc localhost 7000 */
#include "server.h"

#include <stdio.h>

static pausable void echo(co4_conn *c)
{
    const char *bytes;
    ssize_t n;
    while ((n = co4_conn_peek(c, &bytes, 1)) > 0 && co4_conn_write(c, bytes, (size_t)n) == n)
        co4_conn_skip(c, (size_t)n);
}

int main(int argc, char **argv)
{
    struct server s = { .serve = echo };
    for (int i = 1, words; i < argc; i += words)
        if (!(words = server_option(&s, argc - i, argv + i)))
            return fprintf(stderr, "usage: echo [--port N] [--host A] [--workers N]\n"), 2;
    return server_run(&s);
}
