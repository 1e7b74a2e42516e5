/* crowd.c - ten thousand connections, each with a task at either end, on one thread.
 *
 *     crowd [CONNECTIONS [SECONDS]]      10000, until Ctrl-C
 *
 * Each client says a word, waits for the server to say it again, and rests for a while. A line a
 * second shows how it goes. With CO4_CONSOLE=PATH in its environment, co4top shows the tasks. */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct crowd {
    int clients, seconds;
    int connected;
    long answers, before;
    uint64_t random;
    char port[8];
};

/* ---- the server: a task for each connection ---- */

static pausable void echo(int fd)
{
    char word[64];
    ssize_t n;
    while ((n = co4_read(fd, word, sizeof word)) > 0 && co4_write(fd, word, (size_t)n) == n)
        ;
    co4_close(fd);
}

static pausable int serve(int listener)
{
    int fd, code = CO4_OK;
    while (code == CO4_OK && (fd = co4_accept_next(listener)) >= 0)
        code = co4_scope_spawn(co4_scope_here(), echo(fd));
    return code;
}

/* ---- the clients ---- */

static int64_t some_time(struct crowd *c)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(c->random >> 33) % 1000 * CO4_MS;
}

static pausable int visit(struct crowd *c)
{
    char word[8] = "hello", back[8];
    int fd = co4_tcp_connect("127.0.0.1", c->port);
    if (fd < 0)
        return fd == CO4_ECANCELED ? CO4_OK : fd;
    c->connected++;
    while (co4_sleep(some_time(c)) == CO4_OK && co4_write(fd, word, sizeof word) > 0 &&
           co4_read(fd, back, sizeof back) > 0)
        c->answers++;
    c->connected--;
    return co4_close(fd) == 0 ? CO4_OK : CO4_ECLOSED;
}

static pausable int visit_all(struct crowd *c)
{
    int code = CO4_OK;
    for (int i = 0; i < c->clients && code == CO4_OK; i++)
        if ((code = co4_scope_spawn(co4_scope_here(), visit(c))) == CO4_OK && i % 100 == 99)
            code = co4_yield(); /* the server accepts them meanwhile */
    return code;
}

/* ---- the line a second, and the end ---- */

static void show(struct crowd *c)
{
    co4_memory m;
    co4_memory_of_process(&m);
    unsigned long long bytes = m.task_bytes + m.block_bytes;
    int most = c->connected > 0 ? c->connected : 1;
    printf("%s%d connections on one thread, %ld answers a second, %llu bytes a connection%s",
           isatty(STDOUT_FILENO) ? "\r" : "", c->connected, c->answers - c->before,
           bytes / (unsigned long long)most, isatty(STDOUT_FILENO) ? "  " : "\n");
    fflush(stdout);
    c->before = c->answers;
}

static pausable int watch(struct crowd *c)
{
    co4_mailbox *signals;
    co4_signal signal;
    int code = co4_signals(&signals, SIGINT, SIGTERM);
    if (code != CO4_OK)
        return code;
    int64_t next = co4_now();
    for (int s = 0; c->seconds == 0 || s < c->seconds; s++) {
        next += CO4_SEC;
        code = co4_mailbox_receive_until(signals, &signal, next);
        if (code != CO4_ETIMEDOUT)
            break; /* Ctrl-C */
        show(c);
    }
    if (isatty(STDOUT_FILENO))
        puts("");
    co4_signals_destroy(signals);
    return code == CO4_ETIMEDOUT ? CO4_OK : code;
}

/* The first of the three that ends, ends the others: Ctrl-C, or a failure. */
static pausable int all(struct crowd *c, int listener)
{
    co4_scope *scope = co4_scope_here();
    int code = co4_scope_spawn(scope, co4_scope_run(CO4_SCOPE_KEEP_GOING, serve(listener)));
    if (code == CO4_OK)
        code = co4_scope_spawn(scope, co4_scope_run(0, visit_all(c)));
    return code ? code : co4_scope_spawn(scope, watch(c));
}

/* The number of clients for which there are descriptors: each connection has two. */
static int allowed(int clients)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return clients;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    rlim_t most = files.rlim_cur == RLIM_INFINITY ? 1000000 : (files.rlim_cur - 100) / 2;
    if (clients < 0 || (rlim_t)clients <= most)
        return clients;
    fprintf(stderr, "crowd: %d connections: this system allows %llu descriptors (ulimit -Hn)\n",
            (int)most, (unsigned long long)files.rlim_cur);
    return (int)most;
}

static pausable int crowd(struct crowd *c)
{
    int listener = co4_tcp_listen("127.0.0.1", "0", CO4_LISTEN_BACKLOG(4096));
    if (listener < 0)
        return listener;
    snprintf(c->port, sizeof c->port, "%d", co4_socket_port(listener));
    int code = co4_scope_run(CO4_SCOPE_FIRST, all(c, listener));
    co4_close(listener);
    return code;
}

int main(int argc, char **argv)
{
    struct crowd c = { .clients = allowed(argc > 1 ? atoi(argv[1]) : 10000),
                       .seconds = argc > 2 ? atoi(argv[2]) : 0,
                       .random = 1 };
    if (c.clients < 1 || c.seconds < 0)
        return fprintf(stderr, "usage: crowd [CONNECTIONS [SECONDS]]\n"), 2;
    int code = co4_run(crowd(&c));
    if (code < 0 && code != CO4_ECANCELED)
        fprintf(stderr, "crowd: %s\n", co4_strerror(code));
    return code < 0 && code != CO4_ECANCELED;
}
