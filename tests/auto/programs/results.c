/* results.c - texts that the C library keeps for each thread, used after a wait. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 9 };

static char lines[N][256];

static void *asks(void *arg)
{
    int i = (int)(intptr_t)arg;
    struct in_addr address = { htonl(0x0a000000u + 250u + (unsigned)i) };
    const char *where = inet_ntoa(address), *signal = strsignal(SIGRTMIN + 1 + i);
    const char *known = strerror(1), *other = strerror(2), *error = strerror(5000 + i);
    usleep(1000);
    snprintf(lines[i], sizeof lines[i], "%s, %s, %s, %s, %s", where, signal, known, other, error);
    error = strerror_l(-7 - i, newlocale(LC_ALL_MASK, "C", (locale_t)0));
    usleep(1000);
    strncat(lines[i], ", ", 3);
    strncat(lines[i], error, 40);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        if (pthread_create(&t[i], NULL, asks, (void *)(intptr_t)i) != 0)
            return 1;
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        puts(lines[i]);
    return 0;
}
