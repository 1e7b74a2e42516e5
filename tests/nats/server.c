/* server.c - nats-server for the tests. */
#define _GNU_SOURCE
#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
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
    const char *words[32] = {
        "nats-server", "-a", "127.0.0.1",        "-p",     port, "-js", "-sd", store,
        "-l",          log,  "--ports_file_dir", s->folder
    };
    int n = 12;
    snprintf(port, sizeof port, "%d", s->port);
    snprintf(log, sizeof log, "%s/log", s->folder);
    snprintf(store, sizeof store, "%s/store", s->folder);
    for (int i = 0; i < 8 && s->options[i]; i++)
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
static void choose_port(struct server *s)
{
    unsigned short random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        abort();
    s->port = 12000 + random % 20000;
    snprintf(s->url, sizeof s->url, "nats://127.0.0.1:%d", s->port);
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
