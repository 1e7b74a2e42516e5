/* hosts.c - names of hosts. With an argument that name is one. */
#include <arpa/inet.h>
#include <assert.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static int look_up(const char *host, char text[64])
{
    struct addrinfo hints, *found;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    int err = getaddrinfo(host, "80", &hints, &found);
    if (err != 0)
        return err;
    inet_ntop(AF_INET, &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, text, 64);
    freeaddrinfo(found);
    return 0;
}

int main(int argc, char **argv)
{
    char text[64];
    assert(look_up("localhost", text) == 0 && strcmp(text, "127.0.0.1") == 0);
    assert(look_up("10.1.2.3", text) == 0 && strcmp(text, "10.1.2.3") == 0);
    assert(look_up("absent.example", text) == EAI_NONAME);
    if (argc > 1 && look_up(argv[1], text) == 0)
        puts(text);
    return 0;
}
