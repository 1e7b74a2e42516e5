/* hosts.c - names of hosts by all calls. Of a table, `hosts NAME ADDRESS`. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *text_of(const struct hostent *h)
{
    static char text[INET6_ADDRSTRLEN];
    assert(h && h->h_addr_list[0] && !h->h_addr_list[1] && h->h_aliases);
    assert(h->h_length == (h->h_addrtype == AF_INET ? 4 : 16));
    return inet_ntop(h->h_addrtype, h->h_addr_list[0], text, sizeof text);
}

static void again(const char *name, const char *address)
{
    struct hostent host, *found;
    char room[1024];
    int why, family = strchr(address, ':') ? AF_INET6 : AF_INET;
    unsigned char bytes[16];
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(80) };
    const void *any = family == AF_INET ? (const void *)&in : (const void *)&in6;
    socklen_t length = family == AF_INET ? sizeof in : sizeof in6;
    char by_info[NI_MAXHOST], service[NI_MAXSERV];
    assert(inet_pton(family, address, bytes) == 1);
    memcpy(family == AF_INET ? (void *)&in.sin_addr : (void *)&in6.sin6_addr, bytes,
           family == AF_INET ? 4 : 16);
    assert(gethostbyname2_r(name, family, &host, room, sizeof room, &found, &why) == 0);
    assert(found == &host && strcmp(text_of(found), address) == 0);
    assert(strcmp(host.h_name, name) == 0);
    assert(gethostbyname2_r(name, family, &host, room, 20, &found, &why) == ERANGE && !found);
    assert(strcmp(text_of(gethostbyname2(name, family)), address) == 0);
    assert(gethostbyaddr_r(bytes, family == AF_INET ? 4 : 16, family, &host, room, sizeof room,
                           &found, &why) == 0);
    assert(found && strcmp(host.h_name, name) == 0);
    found = gethostbyaddr(bytes, family == AF_INET ? 4 : 16, family);
    assert(found && strcmp(found->h_name, name) == 0 && strcmp(text_of(found), address) == 0);
    assert(getnameinfo(any, length, by_info, sizeof by_info, service, sizeof service,
                       NI_NUMERICSERV) == 0);
    assert(strcmp(by_info, name) == 0 && strcmp(service, "80") == 0);
    assert(getnameinfo(any, length, by_info, 2, NULL, 0, 0) == EAI_OVERFLOW);
    assert(getnameinfo(any, length, by_info, sizeof by_info, NULL, 0, NI_NUMERICHOST) == 0);
    assert(strcmp(by_info, address) == 0);
}

static void *none(void *arg)
{
    unsigned char bytes[4] = { 192, 0, 2, 1 };
    char text[NI_MAXHOST];
    struct sockaddr_in in = { .sin_family = AF_INET };
    memcpy(&in.sin_addr, bytes, 4);
    assert(!gethostbyname("nowhere.invalid") && h_errno == HOST_NOT_FOUND);
    assert(!gethostbyaddr(bytes, 4, AF_INET) && h_errno == HOST_NOT_FOUND);
    assert(getnameinfo((struct sockaddr *)&in, sizeof in, text, sizeof text, NULL, 0, 0) == 0);
    assert(strcmp(text, "192.0.2.1") == 0);
    assert(getnameinfo((struct sockaddr *)&in, sizeof in, text, sizeof text, NULL, 0,
                       NI_NAMEREQD) == EAI_NONAME);
    assert(strcmp(text_of(gethostbyname("192.0.2.1")), "192.0.2.1") == 0);
    return arg;
}

int main(int count, char **argument)
{
    pthread_t id;
    char own[256];
    struct addrinfo *found;
    again("localhost", "127.0.0.1");
    if (count == 3)
        again(argument[1], argument[2]);
    assert(gethostname(own, sizeof own) == 0 && getaddrinfo(own, "80", NULL, &found) == 0);
    freeaddrinfo(found);
    assert(gethostbyname(own));
    pthread_create(&id, NULL, none, NULL);
    pthread_join(id, NULL);
    puts("all names");
    return 0;
}
