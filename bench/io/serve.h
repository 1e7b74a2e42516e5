/* serve.h - what the servers in C have in common. */
#ifndef BENCH_IO_SERVE_H
#define BENCH_IO_SERVE_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile unsigned bench_sink;

static inline void *bench_compute(void *arg)
{
    for (;;)
        bench_sink++;
    return arg;
}

/* A listener on a free port, which it prints. */
static inline int bench_listen(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 4096) != 0 ||
        getsockname(fd, (struct sockaddr *)&a, &length) != 0) {
        perror("listen");
        exit(1);
    }
    printf("%d\n", ntohs(a.sin_port));
    fflush(stdout);
    return fd;
}

static inline int bench_computes(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "--compute") == 0;
}

#endif
