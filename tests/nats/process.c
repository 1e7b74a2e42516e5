/* process.c - what a process does to its connections: forks, programs it starts, descriptors that
 * it has no more of; and names with several addresses, and IPv6. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"

static pausable int until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return e.code;
    printf("event %d does not come\n", (int)kind);
    return CO4_OK;
}

/* ---- forks ---- */

/* A program that was started: counts the sockets that it has. */
static int count_sockets(void)
{
    int sockets = 0;
    for (int fd = 3; fd < 1024; fd++) {
        int type;
        socklen_t size = sizeof type;
        sockets += getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
    }
    return sockets;
}

static int run_child(const char *program)
{
    int status = -1, pid = fork();
    if (pid == 0) {
        if (program)
            execl(program, program, "sockets", (char *)NULL);
        _exit(program ? 127 : 0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum { COUNT = 2000 };

static pausable int publish(co4_nats *c)
{
    char data[LARGEST];
    for (int i = 0; i < COUNT; i++) {
        int err = co4_nats_publish(c, "work", data, fill(data, i), SOON);
        if (err != CO4_OK)
            return err;
        if (i % 20 == 0)
            co4_sleep(CO4_MS);
    }
    return co4_nats_flush(c, SOON);
}

static pausable void forks(const struct server *server, const char *program)
{
    struct tally *t = calloc(1, sizeof *t);
    co4_nats *c = connect_to(server->url), *d = connect_to(server->url);
    co4_nats_subscription *s;
    co4_nats_message *m;
    int code, sockets = 0, failed = 0;
    show("subscribe", co4_nats_subscribe(&s, d, "work", NULL, COUNT, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *writer = co4_spawn(publish(c));
    for (int i = 0; i < 10; i++) {
        co4_sleep(5 * CO4_MS);
        failed += run_child(NULL) != 0;
        sockets += run_child(program);
    }
    co4_join(writer, &code);
    show("all is published", code);
    show("drain", co4_nats_drain(s, SOON));
    while (co4_nats_next(s, &m, SOON) == CO4_OK) {
        count_in(t, m->data, m->size);
        co4_nats_message_destroy(m);
    }
    printf("%d children failed, %d sockets in programs; %d missing, %d twice, %d damaged\n", failed,
           sockets, missing(t, COUNT), t->twice, t->damaged);
    co4_nats_unsubscribe(s);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    free(t);
}

/* ---- no descriptor ---- */

static int taken[64], count;

/* All that are left. */
static void take_all(void)
{
    while (count < 64 && (taken[count] = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0)
        count++;
}

static void give_back(void)
{
    while (count > 0)
        close(taken[--count]);
}

static pausable void descriptors(struct server *server)
{
    struct rlimit old, low;
    co4_nats *c = connect_to(server->url), *none = NULL;
    const char *urls[] = { server->url, NULL };
    co4_nats_options o = { .servers = urls };
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = 48;
    setrlimit(RLIMIT_NOFILE, &low);
    take_all();
    show("connect", co4_nats_connect(&none, &o, SOON));
    printf("nothing: %d\n", none == NULL);
    show("flush", co4_nats_flush(c, SOON));
    server_kill(server, SIGKILL);
    until(c, CO4_NATS_DISCONNECTED);
    take_all(); /* that of the connection, too */
    for (int i = 0; i < 3; i++)
        show("an attempt", until(c, CO4_NATS_ATTEMPT_FAILED));
    show("publish", co4_nats_publish(c, "later", "x", 1, SOON));
    give_back();
    setrlimit(RLIMIT_NOFILE, &old);
    server_start(server);
    until(c, CO4_NATS_RECONNECTED);
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

/* ---- names ---- */

/* "many.test" has three addresses, and a server at the last one alone. */
static struct addrinfo *one_address(const char *text, int port, struct addrinfo *next)
{
    struct addrinfo *a = calloc(1, sizeof *a + sizeof(struct sockaddr_in6));
    bool v6 = strchr(text, ':') != NULL;
    struct sockaddr_in *in = (void *)(a + 1);
    struct sockaddr_in6 *in6 = (void *)(a + 1);
    a->ai_family = v6 ? AF_INET6 : AF_INET;
    a->ai_socktype = SOCK_STREAM;
    a->ai_addrlen = v6 ? sizeof *in6 : sizeof *in;
    a->ai_addr = (void *)(a + 1);
    a->ai_addr->sa_family = (sa_family_t)a->ai_family;
    in->sin_port = htons((unsigned short)port);
    inet_pton(a->ai_family, text, v6 ? (void *)&in6->sin6_addr : (void *)&in->sin_addr);
    a->ai_next = next;
    return a;
}

int getaddrinfo(const char *restrict host, const char *restrict port,
                const struct addrinfo *restrict hints, struct addrinfo **restrict to)
{
    int number = port ? atoi(port) : 0;
    struct in6_addr any;
    (void)hints;
    if (!host || strcmp(host, "none.test") == 0)
        return EAI_NONAME;
    if (strcmp(host, "many.test") == 0) {
        *to = one_address("127.0.0.1", number, NULL);
        *to = one_address("::1", number, *to);
        *to = one_address("127.0.0.9", number, *to);
        return 0;
    }
    bool is_name = inet_pton(AF_INET, host, &any) != 1 && inet_pton(AF_INET6, host, &any) != 1;
    *to = one_address(is_name ? "127.0.0.1" : host, number, NULL); /* localhost */
    return 0;
}

void freeaddrinfo(struct addrinfo *a)
{
    while (a) {
        struct addrinfo *next = a->ai_next;
        free(a);
        a = next;
    }
}

static bool has_v6(void)
{
    struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool there = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return there;
}

static pausable void shows_that(const char *what, const char *url)
{
    co4_nats *c = NULL;
    const char *urls[] = { url, NULL };
    co4_nats_options o = { .servers = urls, .attempt = PATIENT };
    int err = co4_nats_connect(&c, &o, SOON);
    show(what, err);
    if (err != CO4_OK)
        return;
    show("flush", co4_nats_flush(c, SOON));
    show("close", co4_nats_close(c, SOON));
}

static pausable void names(const struct server *server)
{
    char url[64];
    snprintf(url, sizeof url, "nats://many.test:%d", server->port);
    shows_that("the last of three addresses", url);
    snprintf(url, sizeof url, "localhost:%d", server->port);
    shows_that("a name without a scheme", url);
    shows_that("a name that nobody has", "none.test");
    shows_that("a scheme of others", "redis://localhost");
    shows_that("a port that is none", "nats://localhost:70000");
    struct server v6 = { .v6 = has_v6() };
    if (!v6.v6)
        fprintf(stderr, "no IPv6 here\n");
    server_start(&v6);
    shows_that("IPv6", v6.url);
    server_end(&v6);
}

static pausable int all(struct server *server, const char *program)
{
    forks(server, program);
    descriptors(server);
    names(server);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return count_sockets();
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server, argv[0]));
    server_end(&server);
    return err;
}
