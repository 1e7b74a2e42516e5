/* main.c - a server that greets: NAME PORT */
#include "greet.h"

#include <co4/net.h>
#include <stdio.h>

static pausable int serve(const char *port)
{
    int fd, listener = co4_tcp_listen("localhost", port, 0);
    if (listener < 0) {
        fprintf(stderr, "%s: %s\n", port, co4_strerror(listener));
        return 1;
    }
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(greet(fd));
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s PORT\n", argv[0]);
        return 2;
    }
    return co4_run(serve(argv[1]));
}
