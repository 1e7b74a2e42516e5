/* net_names.c - names are looked up on the threads of the resolver: at most so many at once, with
 * deadlines and cancellation while getaddrinfo hangs. The program has a getaddrinfo of its own.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: numbers: 0 0 0, no thread
 * expect: neither host nor service: ENOENT
 * expect: no result: CO4_EINVAL
 * expect: fine.test: 127.0.0.1
 * expect: hints and service arrive: 0
 * expect: missing.test: ENOENT, later.test: CO4_EAGAIN, system.test: EIO
 * expect: connect: ENOENT CO4_EAGAIN EIO CO4_ENOMEM EIO
 * expect: deadline: CO4_ETIMEDOUT, connect CO4_ETIMEDOUT, listen CO4_ETIMEDOUT
 * expect: a deadline that has passed: CO4_ETIMEDOUT, and no call
 * expect: cancelled: CO4_ECANCELED
 * expect: cancelled before: CO4_ECANCELED
 * expect: with 4 lookups that hang, 6 queue; 2 leave
 * expect: others queue behind them: CO4_ETIMEDOUT
 * expect: then all end: 4 of 4 names are found, most at once 4
 * expect: the names that left were never looked up
 * expect: limit 0: an argument is not acceptable
 * expect: limit 1: 6 names, most at once 1
 * expect: limit 3: 6 names, most at once 3 or less
 * expect: stop inside a task: refused
 * expect: stopped: 0 threads, 0 lists left */
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a name server that hangs on demand ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int opened;                     /* names that hang are answered */
static int inside, most, calls, lists; /* calls of names, and results that are not freed */

static void set_open(int to)
{
    pthread_mutex_lock(&mutex);
    opened = to;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static int get(const int *counter)
{
    pthread_mutex_lock(&mutex);
    int n = *counter;
    pthread_mutex_unlock(&mutex);
    return n;
}

static void restart(void)
{
    pthread_mutex_lock(&mutex);
    most = inside;
    calls = 0;
    pthread_mutex_unlock(&mutex);
}

static int list_of(struct in_addr v4, const char *service, const struct addrinfo *hints,
                   struct addrinfo **result)
{
    struct entry {
        struct addrinfo info;
        struct sockaddr_in address;
    } *e = calloc(1, sizeof *e);
    if (!e)
        return EAI_MEMORY;
    e->address.sin_family = AF_INET;
    e->address.sin_addr = v4;
    e->address.sin_port = htons((unsigned short)(service ? atoi(service) : 0));
    e->info.ai_family = AF_INET;
    e->info.ai_socktype = hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM;
    e->info.ai_addr = (struct sockaddr *)&e->address;
    e->info.ai_addrlen = sizeof e->address;
    *result = &e->info;
    pthread_mutex_lock(&mutex);
    lists++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int look_up(const char *host, const char *service, const struct addrinfo *hints,
                   struct addrinfo **result)
{
    struct in_addr loopback = { htonl(INADDR_LOOPBACK) };
    if (!strcmp(host, "missing.test"))
        return EAI_NONAME;
    if (!strcmp(host, "later.test"))
        return EAI_AGAIN;
    if (!strcmp(host, "broken.test"))
        return EAI_FAIL;
    if (!strcmp(host, "memory.test"))
        return EAI_MEMORY;
    errno = EIO;
    if (!strcmp(host, "system.test"))
        return EAI_SYSTEM;
    if (!strcmp(host, "hints.test") &&
        (!hints || hints->ai_socktype != SOCK_DGRAM || strcmp(service, "domain") != 0))
        return EAI_FAIL;
    if (!strncmp(host, "hang", 4)) {
        pthread_mutex_lock(&mutex);
        while (!opened)
            pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    return list_of(loopback, service, hints, result);
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    struct in_addr v4 = { htonl(INADDR_LOOPBACK) };
    if (!host || inet_pton(AF_INET, host, &v4) == 1)
        return list_of(v4, service, hints, result);
    if (hints && hints->ai_flags & AI_NUMERICHOST)
        return EAI_NONAME;
    pthread_mutex_lock(&mutex);
    calls++;
    if (++inside > most)
        most = inside;
    pthread_mutex_unlock(&mutex);
    int code = look_up(host, service, hints, result);
    pthread_mutex_lock(&mutex);
    inside--;
    pthread_mutex_unlock(&mutex);
    return code;
}

void freeaddrinfo(struct addrinfo *list)
{
    free(list);
    pthread_mutex_lock(&mutex);
    lists--;
    pthread_mutex_unlock(&mutex);
}

/* ---- what comes out ---- */

static pausable int resolve_to(const char *host, const char *service, int64_t deadline,
                               const char **name)
{
    struct addrinfo *list;
    int code = co4_resolve_until(host, service, NULL, &list, deadline);
    if (name)
        *name = co4_errname(code);
    if (code == 0)
        freeaddrinfo(list);
    else if (list)
        puts("a list beside an error");
    return code;
}

static pausable void numbers(void)
{
    int a = resolve_to("127.0.0.1", "80", CO4_NEVER, NULL);
    int b = resolve_to(NULL, "80", CO4_NEVER, NULL);
    int c = resolve_to("10.1.2.3", NULL, CO4_NEVER, NULL);
    printf("numbers: %d %d %d, %s\n", a, b, c, co4_resolver_threads() == 0 ? "no thread" : "?");
    const char *name;
    resolve_to(NULL, NULL, CO4_NEVER, &name);
    printf("neither host nor service: %s\n", name);
    printf("no result: %s\n", co4_errname(co4_resolve("fine.test", NULL, NULL, NULL)));
}

static pausable void names(void)
{
    struct addrinfo *list, hints = { .ai_family = AF_INET, .ai_socktype = SOCK_DGRAM };
    char text[INET_ADDRSTRLEN] = "?", host[16] = "fine.test";
    if (co4_resolve(host, "80", NULL, &list) == 0) {
        inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)list->ai_addr)->sin_addr, text,
                  sizeof text);
        freeaddrinfo(list);
    }
    printf("fine.test: %s\n", text);
    int code = co4_resolve("hints.test", "domain", &hints, &list);
    if (code == 0)
        freeaddrinfo(list);
    printf("hints and service arrive: %d\n", code);
    const char *missing, *later, *system;
    resolve_to("missing.test", "80", CO4_NEVER, &missing);
    resolve_to("later.test", "80", CO4_NEVER, &later);
    resolve_to("system.test", "80", CO4_NEVER, &system);
    printf("missing.test: %s, later.test: %s, system.test: %s\n", missing, later, system);
    static const char *const hosts[] = { "missing.test", "later.test", "broken.test", "memory.test",
                                         "system.test" };
    printf("connect:");
    for (int i = 0; i < 5; i++) {
        int told = co4_resolve_until(hosts[i], "80", NULL, &list, CO4_NEVER);
        int fd = co4_tcp_connect(hosts[i], "80");
        printf(" %s", told == fd ? co4_errname(fd) : "?");
    }
    puts("");
}

static pausable void deadlines(void)
{
    const char *name;
    resolve_to("hang.1", "80", co4_now() + 10 * CO4_MS, &name);
    int a = co4_tcp_connect_until("hang.2", "80", co4_now() + CO4_MS);
    int b = co4_tcp_listen_until("hang.3", "80", 0, co4_now() + CO4_MS);
    printf("deadline: %s, connect %s, listen %s\n", name, co4_errname(a), co4_errname(b));
    while (get(&inside) < 3) /* a lookup may leave before its thread begins */
        resolve_to("hang.4", "80", co4_now() + CO4_MS, NULL);
    int before = get(&calls);
    resolve_to("hang.4", "80", co4_now(), &name);
    printf("a deadline that has passed: %s, and %s\n", name,
           get(&calls) == before ? "no call" : "a call");
}

struct outcome {
    const char *name;
    int code;
};

static pausable void look_for(const char *host, struct outcome *o)
{
    o->code = resolve_to(host, "80", CO4_NEVER, &o->name);
}

static pausable void look_twice(struct outcome *first, struct outcome *second)
{
    look_for("hang.5", first);
    look_for("127.0.0.1", second); /* a cancelled task gets no answer any more */
}

static pausable void cancelled(void)
{
    struct outcome first = { "?", 0 }, second = { "?", 0 };
    co4_task *t = co4_spawn(look_twice(&first, &second));
    while (get(&inside) < 4)
        co4_sleep(CO4_MS);
    co4_task_cancel(t, 1);
    co4_join(t, NULL);
    printf("cancelled: %s\ncancelled before: %s\n", first.name, second.name);
}

/* Four lookups hang: of the deadlines, and of the cancelled task. */
static pausable void many(void)
{
    static const char *const hosts[] = {
        "hang.6", "gone.1", "a.test", "gone.2", "b.test", "c.test"
    };
    struct outcome outcomes[6];
    co4_task *tasks[6];
    int before = get(&calls), found = 0;
    for (int i = 0; i < 6; i++)
        tasks[i] = co4_spawn(look_for(hosts[i], &outcomes[i]));
    co4_sleep(5 * CO4_MS);
    for (int i = 1; i <= 3; i += 2) {
        co4_task_cancel(tasks[i], 1);
        co4_join(tasks[i], NULL);
        found += outcomes[i].code != 0;
    }
    printf("with %d lookups that hang, 6 queue; %d leave\n", get(&inside), found);
    const char *name;
    resolve_to("late.test", "80", co4_now() + 5 * CO4_MS, &name);
    printf("others queue behind them: %s\n", name);
    set_open(1);
    found = 0;
    for (int i = 0; i < 6; i++) {
        if (i == 1 || i == 3)
            continue;
        co4_join(tasks[i], NULL);
        found += outcomes[i].code == 0;
    }
    printf("then all end: %d of 4 names are found, most at once %d\n", found, get(&most));
    printf("the names that left were %s\n",
           get(&calls) == before + 4 ? "never looked up" : "looked up");
}

static pausable int with_limit(int threads)
{
    struct outcome outcomes[6];
    co4_task *tasks[6];
    int found = 0;
    while (get(&inside) > 0)
        co4_sleep(CO4_MS);
    set_open(0);
    restart();
    co4_resolver_limit(threads);
    for (int i = 0; i < 6; i++)
        tasks[i] = co4_spawn(look_for("hang.7", &outcomes[i]));
    co4_sleep(5 * CO4_MS);
    set_open(1);
    for (int i = 0; i < 6; i++) {
        co4_join(tasks[i], NULL);
        found += outcomes[i].code == 0;
    }
    return found;
}

static pausable void limits(void)
{
    printf("limit 0: %s\n", co4_strerror(co4_resolver_limit(0)));
    int found = with_limit(1);
    printf("limit 1: %d names, most at once %d\n", found, get(&most));
    found = with_limit(3);
    printf("limit 3: %d names, most at once %s\n", found, get(&most) <= 3 ? "3 or less" : "?");
    printf("stop inside a task: %s\n", co4_resolver_stop() == CO4_EDEADLK ? "refused" : "?");
}

static pausable void all(void)
{
    numbers();
    names();
    deadlines();
    cancelled();
    many();
    limits();
}

int main(void)
{
    co4_run(all());
    co4_resolver_stop();
    printf("stopped: %d threads, %d lists left\n", co4_resolver_threads(), get(&lists));
    return 0;
}
