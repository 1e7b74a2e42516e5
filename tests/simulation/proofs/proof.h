/* proof.h - what programs of proofs share: a check, numbers that the seed draws, the clock, a peer
 * that breaks, and what was acknowledged. */
#ifndef PROOF_H
#define PROOF_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void must(int holds, const char *what, const char *more)
{
    if (!holds) {
        printf("%s: %s\n", what, more ? more : "");
        fflush(stdout);
        abort();
    }
}

/* ---- what the seed draws, and the clock ---- */

static inline unsigned chance(unsigned below)
{
    unsigned n;
    must(getrandom(&n, sizeof n, 0) == sizeof n, "getrandom", NULL);
    return n % below;
}

static inline int64_t milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

static inline void start(pthread_t *thread, void *(*function)(void *), void *data)
{
    pthread_t unnamed;
    int failed = pthread_create(thread ? thread : &unnamed, NULL, function, data);
    must(failed == 0, "pthread_create", strerror(failed));
    if (!thread)
        pthread_detach(unnamed);
}

/* ---- a peer ---- */

static inline int listen_at(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    must(bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 9) == 0, "listen",
         strerror(errno));
    return fd;
}

/* In parts, at times slowly, but for no longer than 10 s. Returns 0: the other side has closed. */
static inline int send_slowly(int fd, const char *bytes, size_t count)
{
    int naps = 10;
    for (size_t at = 0; at < count;) {
        ssize_t sent = send(fd, bytes + at, 1 + chance((unsigned)(count - at)), MSG_NOSIGNAL);
        if (sent < 0)
            return 0;
        at += (size_t)sent;
        if (chance(4) == 0 && naps-- > 0)
            usleep(chance(1000000));
    }
    return 1;
}

/* The connection ends as the seed says: it is closed, or reset, or is silent and then closed. */
static inline void end_badly(int fd, unsigned silence)
{
    struct linger none = { .l_onoff = 1 };
    unsigned how = chance(4);
    if (how == 1)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    if (how > 1)
        sleep(silence);
}

/* ---- a client ---- */

/* Connects, with streams to read and to write, whose calls take so many seconds at most. Returns
 * whether it has. */
static inline int reach(const char *host, int port, int seconds, FILE **in, FILE **out)
{
    struct addrinfo *found, wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    struct timeval patience = { seconds, 0 };
    char text[20];
    snprintf(text, sizeof text, "%d", port);
    must(getaddrinfo(host, text, &wanted, &found) == 0, "getaddrinfo", host);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    int failed = connect(fd, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (failed) {
        close(fd);
        return 0;
    }
    *in = fdopen(fd, "r");
    *out = fdopen(dup(fd), "w");
    must(*in && *out, "fdopen", strerror(errno));
    return 1;
}

/* ---- what was acknowledged ---- */

/* The number that is kept below /acknowledged by this name; 0: there is none. No crash takes it. */
static inline int acknowledged(const char *name)
{
    char path[100];
    int n = 0;
    snprintf(path, sizeof path, "/acknowledged/%s", name);
    int fd = open(path, O_RDONLY);
    if (fd >= 0) {
        must(read(fd, &n, sizeof n) == sizeof n, "acknowledged", name);
        close(fd);
    }
    return n;
}

static inline void acknowledge(const char *name, int n)
{
    char path[100];
    snprintf(path, sizeof path, "/acknowledged/%s", name);
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    must(fd >= 0 && pwrite(fd, &n, sizeof n, 0) == sizeof n, "acknowledge", strerror(errno));
    close(fd);
}

/* For libraries that leave this to their users. */
static inline void sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    must(fd >= 0 && fsync(fd) == 0, "sync of the folder", path);
    close(fd);
}

#endif
