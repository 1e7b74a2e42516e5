/* server.c - nats-server for the tests. */
#define _GNU_SOURCE
#include "server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in address_of(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((unsigned short)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int free_port(void)
{
    struct sockaddr_in at = address_of(0);
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &length) != 0)
        abort();
    close(fd);
    return ntohs(at.sin_port);
}

static bool answers(int port)
{
    struct sockaddr_in at = address_of(port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool there = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return there;
}

static void be_server(const struct server *s)
{
    char port[16];
    const char *words[32] = { "nats-server", "-a",  "127.0.0.1", "-p", port,
                              "-js",         "-sd", s->folder,   "-l", NULL };
    char log[80];
    int n = 9;
    snprintf(log, sizeof log, "%s/log", s->folder);
    words[n++] = log;
    for (int i = 0; i < 8 && s->options[i]; i++)
        words[n++] = s->options[i];
    snprintf(port, sizeof port, "%d", s->port);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(words[0], (char **)(unsigned long)words);
    _exit(127);
}

void server_start(struct server *s)
{
    if (s->port == 0) {
        s->port = free_port();
        snprintf(s->url, sizeof s->url, "nats://127.0.0.1:%d", s->port);
        snprintf(s->folder, sizeof s->folder, "/tmp/co4-nats.XXXXXX");
        if (!mkdtemp(s->folder))
            abort();
    }
    s->pid = fork();
    if (s->pid == 0)
        be_server(s);
    for (int i = 0; i < 1000 && !answers(s->port); i++) {
        usleep(10000);
        if (waitpid(s->pid, NULL, WNOHANG) == s->pid) {
            fprintf(stderr, "nats-server has ended\n");
            exit(1);
        }
    }
}

void server_kill(struct server *s, int signo)
{
    if (s->pid <= 0)
        return;
    kill(s->pid, signo);
    waitpid(s->pid, NULL, 0);
    s->pid = 0;
}

void server_end(struct server *s)
{
    char command[100];
    server_kill(s, SIGKILL);
    snprintf(command, sizeof command, "rm -rf %s", s->folder);
    if (system(command) != 0)
        abort();
}
