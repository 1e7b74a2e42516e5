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
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The server writes this file when it listens. */
static bool listens(const struct server *s)
{
    char path[sizeof s->folder + 64];
    snprintf(path, sizeof path, "%s/nats-server_%d.ports", s->folder, s->pid);
    return access(path, F_OK) == 0;
}

static void be_server(const struct server *s)
{
    char port[16], log[sizeof s->folder + 8], store[sizeof s->folder + 8];
    const char *words[32] = { "nats-server", "-a", s->v6 ? "::1" : "127.0.0.1", "-p",     port,
                              "-l",          log,  "--ports_file_dir",          s->folder };
    int n = 9;
    snprintf(port, sizeof port, "%d", s->port);
    snprintf(log, sizeof log, "%s/log", s->folder);
    snprintf(store, sizeof store, "%s/store", s->folder);
    if (!s->without_streams) {
        words[n++] = "-js";
        words[n++] = "-sd";
        words[n++] = store;
    }
    for (int i = 0; i < 12 && s->options[i]; i++)
        words[n++] = s->options[i];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(words[0], (char **)(unsigned long)words);
    _exit(127);
}

/* Returns false if it has ended: most likely the port is in use. */
static bool try_start(struct server *s)
{
    s->pid = fork();
    if (s->pid == 0)
        be_server(s);
    while (!listens(s)) {
        if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
            return false;
        usleep(5000);
    }
    return true;
}

/* Below the ports that systems give to clients, so that it can be used again after a restart. */
int server_free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    unsigned short random = 0;
    for (;;) {
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            abort();
        at.sin_port = htons((unsigned short)(12000 + random % 20000));
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool is_free = bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
        close(fd);
        if (is_free)
            return ntohs(at.sin_port);
    }
}

static void choose_port(struct server *s)
{
    s->port = server_free_port();
    snprintf(s->url, sizeof s->url, "nats://%s:%d", s->v6 ? "[::1]" : "127.0.0.1", s->port);
}

void server_start(struct server *s)
{
    bool first = s->port == 0;
    if (first) {
        const char *folder = getenv("TMPDIR");
        snprintf(s->folder, sizeof s->folder, "%s/co4-nats.XXXXXX", folder ? folder : "/tmp");
        if (!mkdtemp(s->folder))
            abort();
    }
    for (int i = 0; i < 20; i++) {
        if (first)
            choose_port(s);
        if (try_start(s))
            return;
    }
    fprintf(stderr, "nats-server has ended; see %s/log\n", s->folder);
    exit(1);
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
    char command[sizeof s->folder + 16];
    server_kill(s, SIGKILL);
    snprintf(command, sizeof command, "rm -rf %s", s->folder);
    if (system(command) != 0)
        abort();
}
