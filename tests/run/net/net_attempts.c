/* net_attempts.c - a host with several addresses: attempts overlap, families alternate, the first
 * that connects wins, and nothing stays open. The program has a getaddrinfo of its own; an address
 * that does not answer is a listener whose queue is full.
 * needs: descriptors
 * modes: woven forced
 * expect: refused, then one that listens: connected
 * expect: no answer, then one that listens: connected, after the delay
 * expect: no answer, many refused, one that listens: connected
 * expect: no answer, and the families alternate: connected to the second
 * expect: all refused: ECONNREFUSED
 * expect: refused, then a family that does not exist: ECONNREFUSED
 * expect: a family that does not exist, twice: EAFNOSUPPORT
 * expect: no answers: CO4_ETIMEDOUT
 * expect: a deadline that has passed: CO4_ETIMEDOUT
 * expect: cancelled with two attempts: CO4_ECANCELED
 * expect: one address without an answer: CO4_ETIMEDOUT
 * expect: UDP, a family that does not exist, then one that does: connected
 * expect: nothing stays open, 0 lists left */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the name is a list of addresses, by letters ---- */

enum { DEAD, HOLE, LIVE, OTHER, KINDS };
static int listeners[KINDS]; /* DEAD: bound, and does not listen */
static char ports[KINDS][8];
static bool has_v6;
static int lists;

struct entry {
    struct addrinfo info;
    struct sockaddr_storage address;
};

/* A letter for an address: d, h, l: DEAD, HOLE, LIVE; o: OTHER, by IPv6 if there is any; x: of no
 * family. */
static void fill(struct entry *e, char c, int type)
{
    int kind = c == 'd' ? DEAD : c == 'h' ? HOLE : c == 'o' ? OTHER : LIVE;
    in_port_t port = htons((in_port_t)atoi(ports[kind]));
    e->info.ai_socktype = type;
    e->info.ai_addr = (struct sockaddr *)&e->address;
    if (kind == OTHER && has_v6) {
        *(struct sockaddr_in6 *)&e->address = (struct sockaddr_in6){
            .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT, .sin6_port = port
        };
        e->info.ai_addrlen = sizeof(struct sockaddr_in6);
    } else {
        *(struct sockaddr_in *)&e->address = (struct sockaddr_in){
            .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = port
        };
        e->info.ai_addrlen = sizeof(struct sockaddr_in);
    }
    e->info.ai_family = c == 'x' ? 99 : e->address.ss_family;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    size_t n = strlen(host);
    struct entry *all = calloc(n, sizeof *all);
    (void)service;
    if (!all)
        return EAI_MEMORY;
    for (size_t i = 0; i < n; i++) {
        fill(&all[i], host[i], hints->ai_socktype);
        all[i].info.ai_next = i + 1 < n ? &all[i + 1].info : NULL;
    }
    lists++;
    *result = &all->info;
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    lists--;
    free(list);
}

/* ---- the listeners ---- */

static int bound(int kind, int domain)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    int fd = co4_socket(domain, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    if (domain == AF_INET6 ? co4_bind(fd, (struct sockaddr *)&v6, sizeof v6)
                           : co4_bind(fd, (struct sockaddr *)&v4, sizeof v4)) {
        co4_close(fd);
        return -1;
    }
    snprintf(ports[kind], sizeof ports[kind], "%d", co4_socket_port(fd));
    listeners[kind] = fd;
    return fd;
}

/* Connections that fill the queue of the listener, until one gets no answer. */
static int full[8], nfull;

static pausable void fill_hole(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                              .sin_port = htons((in_port_t)atoi(ports[HOLE])) };
    int n = 0;
    while (n == 0 && nfull < 8) {
        full[nfull] = co4_socket(AF_INET, SOCK_STREAM, 0);
        n = co4_connect_until(full[nfull++], (struct sockaddr *)&to, sizeof to,
                              co4_now() + 100 * CO4_MS);
    }
}

static pausable void begin(void)
{
    bound(DEAD, AF_INET);
    co4_listen(bound(HOLE, AF_INET), 0);
    co4_listen(bound(LIVE, AF_INET), 100);
    has_v6 = bound(OTHER, AF_INET6) >= 0;
    co4_listen(has_v6 ? listeners[OTHER] : bound(OTHER, AF_INET), 100);
    fill_hole();
}

/* ---- what comes out ---- */

static int peer_port(int fd)
{
    struct sockaddr_in6 peer = { .sin6_port = 0 };
    socklen_t length = sizeof peer;
    co4_getpeername(fd, (struct sockaddr *)&peer, &length);
    return ntohs(peer.sin6_port); /* where IPv4 has it, too */
}

static const char *end(int fd)
{
    if (fd < 0)
        return co4_errname(fd);
    co4_close(fd);
    return "connected";
}

static pausable int connect_within(const char *host, int64_t time)
{
    return co4_tcp_connect_until(host, "1", time == CO4_NEVER ? CO4_NEVER : co4_now() + time);
}

static pausable void winners(void)
{
    const char *result = end(connect_within("ddl", CO4_NEVER));
    printf("refused, then one that listens: %s\n", result);
    int64_t before = co4_now();
    result = end(connect_within("hl", CO4_NEVER));
    printf("no answer, then one that listens: %s%s\n", result,
           co4_now() - before >= 250 * CO4_MS ? ", after the delay" : "");
    /* after 250 ms; with a delay after each, after 2 s */
    result = end(connect_within("hdddddddl", 1900 * CO4_MS));
    printf("no answer, many refused, one that listens: %s\n", result);
    int fd = connect_within(has_v6 ? "hlo" : "hol", CO4_NEVER);
    printf("no answer, and the families alternate: %s\n",
           fd >= 0 && peer_port(fd) == atoi(ports[OTHER]) ? "connected to the second" : "?");
    end(fd);
}

static pausable void losers(void)
{
    const char *result = end(connect_within("dd", CO4_NEVER));
    printf("all refused: %s\n", result);
    result = end(connect_within("dx", CO4_NEVER));
    printf("refused, then a family that does not exist: %s\n", result);
    result = end(connect_within("xx", CO4_NEVER));
    printf("a family that does not exist, twice: %s\n", result);
    result = end(connect_within("hh", 300 * CO4_MS));
    printf("no answers: %s\n", result);
    result = end(connect_within("hh", 0));
    printf("a deadline that has passed: %s\n", result);
}

static pausable void connect_in_vain(int *err)
{
    *err = connect_within("hh", CO4_NEVER);
}

static pausable void others(void)
{
    int err = 0;
    co4_task *t = co4_spawn(connect_in_vain(&err));
    co4_sleep(300 * CO4_MS);
    co4_task_cancel(t, 1);
    co4_join(t, NULL);
    printf("cancelled with two attempts: %s\n", co4_errname(err));
    const char *result = end(connect_within("h", 20 * CO4_MS));
    printf("one address without an answer: %s\n", result);
    result = end(co4_udp_connect("xl", "1"));
    printf("UDP, a family that does not exist, then one that does: %s\n", result);
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1000; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static pausable void all(void)
{
    begin();
    int before = descriptors();
    winners();
    losers();
    others();
    printf("%s, %d lists left\n",
           descriptors() == before ? "nothing stays open" : "something is open", lists);
    for (int i = 0; i < nfull; i++)
        co4_close(full[i]);
    for (int i = 0; i < KINDS; i++)
        co4_close(listeners[i]);
}

int main(void)
{
    co4_run(all());
    return 0;
}
