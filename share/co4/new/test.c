/* test.c - a client at the other end of a pair of sockets says what greet() has to answer. */
#include "greet.h"

#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static pausable int expect(co4_conn *client, const char *line, const char *wanted)
{
    char *answer = "";
    int n = co4_conn_puts(client, line);
    if (n >= 0)
        n = co4_conn_read_line(client, &answer, 512);
    if (n > 0 && strcmp(answer, wanted) == 0)
        return 0;
    fprintf(stderr, "greet() answers %s, not %s", n > 0 ? answer : co4_strerror(n), wanted);
    return 1;
}

static pausable int test(void)
{
    int fds[2], failed;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0) {
        perror("socketpair");
        return 1;
    }
    co4_spawn(greet(fds[0]));
    co4_conn *client = co4_conn_create(fds[1]);
    failed = expect(client, "world\n", "hello, world\n");
    failed |= expect(client, "\n", "hello, \n");
    co4_conn_close(client);
    return failed;
}

int main(void)
{
    return co4_run(test());
}
