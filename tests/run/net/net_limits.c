/* net_limits.c - a server that has no descriptor left: its accept waits for one, by a notice of
 * co4_close() or by its timer, and uses no processor time in between. Listeners that are closed,
 * or shut down, end the wait.
 * needs: descriptors
 * modes: woven forced
 * expect: co4_accept says: EMFILE
 * expect: a descriptor is closed: accepted
 * expect: two servers, two descriptors: accepted, accepted
 * expect: a plain close: accepted by the timer
 * expect: nothing is closed: CO4_ETIMEDOUT, few tries
 * expect: cancelled: CO4_ECANCELED
 * expect: the listener is closed: CO4_ECLOSED, and its number is free
 * expect: closed while it waits for a connection: CO4_ECLOSED
 * expect: shut down: CO4_EINVAL, few tries
 * expect: no descriptor for a connect: EMFILE, for a listener: EMFILE EMFILE */
#define _GNU_SOURCE /* accept4, syscall */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int tries;

/* In place of the system's: counts the tries. */
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    tries++;
    return (int)syscall(SYS_accept4, fd, address, length, flags);
}

enum { MOST = 64 };
static int taken[MOST], ntaken;

/* No descriptor is left afterwards. */
static void take_all(void)
{
    int fd;
    while (ntaken < MOST && (fd = dup(0)) >= 0)
        taken[ntaken++] = fd;
}

static void free_all(void)
{
    while (ntaken > 0)
        co4_close(taken[--ntaken]);
}

struct server {
    int listener, fd;
    int64_t deadline;
    co4_task *task;
};

static pausable void serve(struct server *s)
{
    s->fd = co4_accept_next_until(s->listener, s->deadline);
}

static pausable void start(struct server *s, int listener)
{
    *s = (struct server){ .listener = listener, .deadline = CO4_NEVER };
    s->task = co4_spawn(serve(s));
    co4_sleep(3 * CO4_MS); /* it waits */
}

static pausable const char *result(struct server *s)
{
    co4_join(s->task, NULL);
    if (s->fd < 0)
        return co4_errname(s->fd);
    co4_close(s->fd);
    return "accepted";
}

/* A client whose connection waits to be accepted. */
static pausable int connected(int listener)
{
    char port[8];
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    return co4_tcp_connect("127.0.0.1", port);
}

static pausable void by_close(int listener)
{
    struct server a, b;
    int clients[3];
    for (int i = 0; i < 3; i++)
        clients[i] = connected(listener);
    take_all();
    int n = co4_accept(listener, NULL, NULL);
    printf("co4_accept says: %s\n", n < 0 && errno == EMFILE ? "EMFILE" : "?");
    start(&a, listener);
    co4_close(taken[--ntaken]);
    printf("a descriptor is closed: %s\n", result(&a));
    take_all();
    start(&a, listener);
    start(&b, listener);
    co4_close(taken[--ntaken]);
    co4_close(taken[--ntaken]);
    const char *first = result(&a);
    printf("two servers, two descriptors: %s, %s\n", first, result(&b));
    free_all();
    for (int i = 0; i < 3; i++)
        co4_close(clients[i]);
}

static pausable void by_timer(int listener)
{
    struct server a;
    int client = connected(listener);
    take_all();
    start(&a, listener);
    close(taken[--ntaken]);
    const char *name = result(&a);
    printf("a plain close: %s by the timer\n", name);
    free_all();
    co4_close(client);
    client = connected(listener);
    take_all();
    tries = 0;
    int n = co4_accept_next_until(listener, co4_now() + 50 * CO4_MS);
    /* two at once, then after 5, 15, 35 and 50 ms */
    printf("nothing is closed: %s, %s\n", co4_errname(n), tries <= 6 ? "few tries" : "many tries");
    start(&a, listener);
    co4_task_cancel(a.task, 1);
    printf("cancelled: %s\n", result(&a));
    free_all();
    co4_close(co4_accept_next(listener));
    co4_close(client);
}

static pausable void closed(int listener)
{
    struct server a;
    int client = connected(listener);
    take_all();
    start(&a, listener);
    int64_t before = co4_now();
    co4_close(listener);
    const char *name = result(&a);
    int again = dup(0);
    printf("the listener is closed: %s, and its number is %s\n", name,
           again == listener && co4_now() >= before ? "free" : "?");
    close(again);
    free_all();
    co4_close(client);

    listener = co4_tcp_listen("127.0.0.1", "0", 0);
    start(&a, listener);
    co4_close(listener);
    printf("closed while it waits for a connection: %s\n", result(&a));

    listener = co4_tcp_listen("127.0.0.1", "0", 0);
    client = connected(listener);
    take_all();
    start(&a, listener);
    tries = 0;
    co4_shutdown(listener, SHUT_RDWR);
    co4_sleep(20 * CO4_MS);
    int few = tries <= 5;
    free_all();
    printf("shut down: %s, %s tries\n", result(&a), few ? "few" : "many");
    co4_close(client);
    co4_close(listener);
}

static pausable void others(void)
{
    take_all();
    const char *a = co4_errname(co4_tcp_connect("127.0.0.1", "1"));
    const char *b = co4_errname(co4_tcp_listen(NULL, "0", 0));
    const char *c = co4_errname(co4_unix_listen("/tmp/co4-net-limits", 0));
    printf("no descriptor for a connect: %s, for a listener: %s %s\n", a, b, c);
    free_all();
}

static pausable void all(void)
{
    int listener = co4_tcp_listen("127.0.0.1", "0", 0);
    by_close(listener);
    by_timer(listener);
    closed(listener);
    others();
}

int main(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 40;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    co4_run(all());
    return 0;
}
