/* numbers.c - names that are numbers already: what getaddrinfo() answers. */
#define _GNU_SOURCE
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

static void ask(const char *host, const char *service, const struct addrinfo *hints)
{
    struct addrinfo *found;
    int code = getaddrinfo(host, service, hints, &found);
    printf("%s %s: %s", host ? host : "-", service ? service : "-",
           code ? gai_strerror(code) : "found");
    for (struct addrinfo *a = code ? NULL : found; a; a = a->ai_next)
        printf(", flags %x, family %d, type %d, name %s", a->ai_flags, a->ai_family, a->ai_socktype,
               a->ai_canonname ? a->ai_canonname : "-");
    printf("\n");
    if (code == 0)
        freeaddrinfo(found);
}

int main(void)
{
    static const int flags[] = {
        0, AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_NUMERICSERV, AI_NUMERICHOST | AI_NUMERICSERV
    };
    ask("127.0.0.1", "80", NULL);
    for (int i = 0; i < 6; i++) {
        struct addrinfo hints = { .ai_flags = flags[i], .ai_socktype = SOCK_STREAM };
        ask("127.0.0.1", "80", &hints);
        ask("::1", NULL, &hints);
        hints.ai_family = AF_INET;
        if (!(flags[i] & AI_CANONNAME))
            ask(NULL, "80", &hints);
    }
    return 0;
}
