/* net_races.c - on several workers: lookups that are given up while their answers come, servers
 * that start at one path at once, acceptors that are short of descriptors while others close.
 * flags: -Wno-co4-blocking
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: 400 lookups: answered or given up, nothing else; 0 lists left
 * expect: 50 rounds: one server each
 * expect: 200 connections with few descriptors: all answered */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the counters */
static int lists, answered, given_up, wrong;

static void count(int *counter, int n)
{
    pthread_mutex_lock(&mutex);
    *counter += n;
    pthread_mutex_unlock(&mutex);
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    if (hints && hints->ai_flags & AI_NUMERICHOST && !strncmp(host, "name", 4))
        return EAI_NONAME;
    struct entry {
        struct addrinfo info;
        struct sockaddr_in address;
    } *e = calloc(1, sizeof *e);
    if (!e)
        return EAI_MEMORY;
    e->address.sin_family = AF_INET;
    e->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    e->address.sin_port = htons((in_port_t)atoi(service));
    e->info.ai_family = AF_INET;
    e->info.ai_socktype = SOCK_STREAM;
    e->info.ai_addr = (struct sockaddr *)&e->address;
    e->info.ai_addrlen = sizeof e->address;
    if (!strncmp(host, "name", 4))
        nanosleep(&(struct timespec){ 0, (host[4] % 8) * 50000L }, NULL);
    count(&lists, 1);
    *result = &e->info;
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    free(list);
    count(&lists, -1);
}

/* ---- lookups ---- */

static pausable void look_up(int number)
{
    char host[16];
    struct addrinfo *list;
    snprintf(host, sizeof host, "name%d", number);
    int code = co4_resolve_until(host, "80", NULL, &list, co4_now() + number % 7 * 100000);
    if (code == CO4_OK) {
        freeaddrinfo(list);
        count(&answered, 1);
    } else {
        count(code == CO4_ETIMEDOUT || code == CO4_ECANCELED ? &given_up : &wrong, 1);
    }
}

static pausable void lookups(void)
{
    co4_task *tasks[20];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 20; i++)
            tasks[i] = co4_spawn(look_up(round * 20 + i));
        for (int i = 0; i < 20; i++) {
            if (i % 3 == 0)
                co4_task_cancel(tasks[i], 1);
            co4_join(tasks[i], NULL);
        }
    }
}

/* ---- servers at one path ---- */

/* In place of the system's: another server may come before the file is gone. */
int unlink(const char *path)
{
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return unlinkat(AT_FDCWD, path, 0);
}

static pausable int serve_at(const char *path)
{
    return co4_unix_listen(path, 0);
}

static pausable void one_path(void)
{
    char folder[] = "/tmp/co4-net-races.XXXXXX", path[64];
    int good = 0;
    if (!mkdtemp(folder))
        return;
    snprintf(path, sizeof path, "%s/socket", folder);
    for (int round = 0; round < 50; round++) {
        co4_task *tasks[4];
        int won = 0, fds[4];
        for (int i = 0; i < 4; i++)
            tasks[i] = co4_spawn(serve_at(path)); /* the file of the last round is stale */
        for (int i = 0; i < 4; i++)
            co4_join(tasks[i], &fds[i]);
        int client = co4_unix_connect(path);
        for (int i = 0; i < 4; i++) {
            won += fds[i] >= 0;
            if (fds[i] >= 0)
                co4_close(fds[i]);
        }
        good += won == 1 && client >= 0;
        co4_close(client);
    }
    unlink(path);
    rmdir(folder);
    printf("%d rounds: one server each\n", good);
}

/* ---- few descriptors ---- */

enum { CLIENTS = 200, CLIENTS_AT_ONCE = 16, SERVERS = 3, WORKERS = 3 };

static pausable void answer(int fd)
{
    char c;
    if (co4_read(fd, &c, 1) == 1)
        co4_write(fd, &c, 1);
    co4_close(fd);
}

static pausable void serve(int listener)
{
    int fd;
    while ((fd = co4_accept_next(listener)) >= 0)
        co4_spawn(answer(fd));
}

static pausable void ask(const char *port, co4_sem *may, int *answers)
{
    char c = '?';
    int err = co4_sem_acquire(may), fd = err == CO4_OK ? co4_tcp_connect("::", port) : -1;
    while (err == CO4_OK && (fd == -EMFILE || fd == -ENFILE)) {
        co4_sleep(CO4_MS);
        fd = co4_tcp_connect("::", port);
    }
    if (fd < 0)
        return;
    co4_write(fd, "x", 1);
    if (co4_read(fd, &c, 1) == 1 && c == 'x')
        count(answers, 1);
    co4_close(fd);
    co4_sem_release(may);
}

static pausable void short_of(int listener)
{
    co4_task *servers[SERVERS], *clients[CLIENTS];
    static co4_sem may = CO4_SEM_INIT(CLIENTS_AT_ONCE);
    static int answers;
    char port[8];
    snprintf(port, sizeof port, "%d", co4_socket_port(listener));
    for (int i = 0; i < SERVERS; i++)
        servers[i] = co4_spawn(serve(listener));
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = co4_spawn(ask(port, &may, &answers));
    for (int i = 0; i < CLIENTS; i++)
        co4_join(clients[i], NULL);
    co4_close(listener);
    for (int i = 0; i < SERVERS; i++)
        co4_join(servers[i], NULL);
    printf("%d connections with few descriptors: all answered\n", answers);
}

/* The worker of this task needs descriptors of its own when the task first waits for one. */
static pausable void warm_up(void)
{
    int fds[2];
    char c;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    co4_read_until(fds[0], &c, 1, co4_now() + CO4_MS);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void listen_for(int *listener)
{
    *listener = co4_tcp_listen("::", "0", 0);
}

/* The limit with which so many descriptors more can be opened. */
static rlim_t limit_for(int more)
{
    int fds[64], highest = 0;
    for (int i = 0; i < more; i++) {
        fds[i] = dup(0);
        highest = fds[i] > highest ? fds[i] : highest;
    }
    for (int i = 0; i < more; i++)
        close(fds[i]);
    return (rlim_t)highest + 1;
}

static int on_workers(co4_runtime *rt, co4_task *t)
{
    return co4_runtime_schedule(rt, t) == CO4_OK ? co4_block(co4_join(t, NULL)) : -1;
}

int main(void)
{
    struct rlimit limit;
    int listener = -1;
    getrlimit(RLIMIT_NOFILE, &limit);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = WORKERS });
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        return 1;
    on_workers(rt, co4_task_create(lookups()));
    co4_resolver_stop();
    printf("%d lookups: answered or given up, nothing else; %d lists left\n",
           answered + given_up + (wrong ? -1 : 0), lists);
    on_workers(rt, co4_task_create(one_path()));
    on_workers(rt, co4_task_create(listen_for(&listener)));
    for (int i = 0; i < WORKERS; i++) {
        co4_task *t = co4_task_create(warm_up());
        if (co4_task_pin(t, i) != CO4_OK)
            return 1;
        on_workers(rt, t);
    }
    limit.rlim_cur = limit_for(CLIENTS_AT_ONCE + 3); /* with the servers' ends they need more */
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    on_workers(rt, co4_task_create(short_of(listener)));
    co4_runtime_destroy(rt);
    return 0;
}
