/* hosts.c - the older calls for names of hosts, and getnameinfo(), in threads at once. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void show(const char *what, const struct hostent *h)
{
    char text[INET6_ADDRSTRLEN] = "none";
    if (h)
        inet_ntop(h->h_addrtype, h->h_addr_list[0], text, sizeof text);
    printf("%s: %s %s\n", what, h ? h->h_name : "not found", text);
}

static void *ask(void *arg)
{
    struct hostent place, *found = NULL;
    char room[2000], host[100], service[40];
    struct in_addr one = { htonl(INADDR_LOOPBACK) };
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = one, .sin_port = htons(7) };
    int why = -1;
    pthread_mutex_lock(&m);
    show("by name", gethostbyname("127.0.0.1"));
    show("by name 2", gethostbyname2("::1", AF_INET6));
    show("by address", gethostbyaddr(&one, sizeof one, AF_INET));
    show("no name", gethostbyname("a..b"));
    printf("h_errno %d\n", h_errno);
    pthread_mutex_unlock(&m);
    int err = gethostbyname_r("127.0.0.2", &place, room, sizeof room, &found, &why);
    pthread_mutex_lock(&m);
    printf("%d ", err);
    show("by name r", found);
    pthread_mutex_unlock(&m);
    err = gethostbyname2_r("127.0.0.3", AF_INET, &place, room, sizeof room, &found, &why);
    pthread_mutex_lock(&m);
    printf("%d ", err);
    show("by name 2 r", found);
    pthread_mutex_unlock(&m);
    err = gethostbyname_r("127.0.0.2", &place, room, 1, &found, &why);
    int err2 = gethostbyaddr_r(&one, sizeof one, AF_INET, &place, room, sizeof room, &found, &why);
    pthread_mutex_lock(&m);
    printf("%d %d ", err, err2);
    show("by address r", found);
    for (int flags = 0; flags < 4; flags++) {
        int how = (flags & 1 ? NI_NUMERICHOST : 0) | (flags & 2 ? NI_NUMERICSERV : 0);
        err = getnameinfo((struct sockaddr *)&a, sizeof a, host, sizeof host, service,
                          sizeof service, how);
        printf("%d %s %s\n", err, host, service);
    }
    printf("%d\n", getnameinfo((struct sockaddr *)&a, sizeof a, host, 2, NULL, 0, 0));
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t id;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&id, NULL, ask, NULL) != 0 || pthread_join(id, NULL) != 0)
            return 1;
    return 0;
}
