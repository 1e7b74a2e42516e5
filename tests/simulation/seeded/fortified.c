/* fortified.c - calls that -D_FORTIFY_SOURCE gives another name, and calls that are several others,
 * at simulated descriptors. With -DPLAIN: these alone, which are not woven. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

int read_all(int from, int stream, int messages, size_t six);
int write_all(int to, int stream, int messages, size_t six);
int overflow(int from, size_t bytes);

#ifndef WOVEN

static void show(const unsigned char *bytes)
{
    printf("%02x%02x%02x%02x\n", bytes[0], bytes[1], bytes[2], bytes[3]);
}

static void read_random(size_t six)
{
    unsigned char bytes[8];
    int fd = open("/dev/urandom", O_RDONLY);
    FILE *file = fopen("/dev/urandom", "r");
    assert(fd >= 0 && read(fd, bytes, six + 2) == 8);
    show(bytes);
    assert(pread(fd, bytes, six + 2, 0) == 8);
    show(bytes);
    assert(file && fread(bytes, 1, six, file) == 6);
    show(bytes);
    assert(getentropy(bytes, six) == 0);
    show(bytes);
}

static void read_texts(size_t six)
{
    char name[64], path[PATH_MAX], other[PATH_MAX];
    assert(gethostname(name, six * 10) == 0);
    assert(getcwd(path, six * 600) && realpath(".", other) && strcmp(path, other) == 0);
    assert(readlink("/proc/self/exe", path, six * 600) > 0);
    assert(readlinkat(AT_FDCWD, "/proc/self/exe", other, six * 600) > 0);
}

int read_all(int from, int stream, int messages, size_t six)
{
    char text[16] = "", more[16] = "";
    struct pollfd p[1] = { { stream, POLLIN, 0 } };
    struct iovec parts[2] = { { text, 6 }, { more, 6 } };
    struct mmsghdr both[2] = { { .msg_hdr = { .msg_iov = &parts[0], .msg_iovlen = 1 } },
                               { .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
    struct timespec limit = { 100, 0 };
    size_t n = 0;
    ssize_t k;
    for (; n < 6 && (k = read(from, text + n, six - n)) > 0; n += (size_t)k)
        ;
    assert(n == 6 && memcmp(text, "hello\n", 6) == 0);
    assert(poll(p, six - 5, -1) == 1 && ppoll(p, six - 5, &limit, NULL) == 1);
    for (n = 0; n < 6 && (k = recv(stream, text + n, six - n, 0)) > 0; n += (size_t)k)
        ;
    assert(n == 6);
    for (n = 0; n < 6 && (k = recvfrom(stream, text + n, six - n, 0, NULL, NULL)) > 0;
         n += (size_t)k)
        ;
    assert(n == 6 && recvmmsg(messages, both, 2, 0, NULL) == 2 && both[1].msg_len == 6);
    assert((memcmp(text, "one..\n", 6) == 0) != (memcmp(more, "one..\n", 6) == 0));
    read_random(six);
    read_texts(six);
    return 0;
}

int write_all(int to, int stream, int messages, size_t six)
{
    char text[16] = "one..\n", more[16] = "two..\n";
    struct iovec parts[2] = { { text, 6 }, { more, six } };
    struct mmsghdr both[2] = { { .msg_hdr = { .msg_iov = &parts[0], .msg_iovlen = 1 } },
                               { .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } } };
    assert(dprintf(to, "%s\n", "hello") == 6 && dprintf(stream, "%d", 12345) == 5);
    assert(send(stream, text, six + 1, 0) == 7);
    assert(sendmmsg(messages, both, 2, 0) == 2 && both[0].msg_len == 6);
    return 0;
}

/* It ends by SIGABRT. */
int overflow(int from, size_t bytes)
{
    char text[4];
    return (int)read(from, text, bytes);
}

#endif
#ifndef PLAIN

static int ends[2], streams[2], messages[2];
static size_t volatile six = 6;

static void *writes(void *arg)
{
    usleep(1000);
    write_all(ends[1], streams[1], messages[1], six);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t id;
    (void)argv;
    assert(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, streams) == 0 &&
           socketpair(AF_UNIX, SOCK_DGRAM, 0, messages) == 0);
    assert(pthread_create(&id, NULL, writes, NULL) == 0);
    read_all(ends[0], streams[0], messages[0], six);
    pthread_join(id, NULL);
    fflush(stdout);
    return argc > 1 ? overflow(ends[0], six * 2) : 0;
}

#endif
