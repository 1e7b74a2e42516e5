/* no_memory.c - calls of a run that allocate, in this program or in the simulation: each works, or
 * fails because there is no memory.
 *
 *     no_memory FOLDER            its entries, signals, descriptors, threads
 *     no_memory serve | ask NAME  a node, and one that asks it
 *
 * Ends with 3 if a call has failed so, and says which; with 4 if it has failed otherwise. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { FILES = 20 };

static _Noreturn void fails(const char *call, int err)
{
    char line[200];
    bool is_memory = err == ENOMEM || err == ENOBUFS;
    int n = snprintf(line, sizeof line, "%s: %s\n", call,
                     is_memory ? "no memory" : strerrorname_np(err));
    if (write(1, line, (size_t)n) != n)
        _exit(5);
    exit(is_memory ? 3 : 4);
}

/* Without stdio, which allocates. */
static void say(const char *text, const char *more)
{
    char line[200];
    int n = snprintf(line, sizeof line, "%s%s\n", text, more);
    if (write(1, line, (size_t)n) != n)
        fails("write", errno);
}

static void must(int works, const char *call)
{
    if (!works)
        fails(call, errno);
}

/* ---- folders ---- */

static int read_entries(DIR *d)
{
    int n = 0;
    errno = 0;
    while (readdir(d))
        n++;
    must(errno == 0, "readdir");
    return n;
}

static void folders(const char *name)
{
    struct dirent **list;
    DIR *d = opendir(name), *other;
    must(d != NULL, "opendir");
    other = opendir(name);
    must(other != NULL, "opendir");
    long at = telldir(d);
    must(at >= 0, "telldir");
    int n = read_entries(d);
    seekdir(d, at);
    if (n != FILES + 2 || read_entries(d) != n || read_entries(other) != n)
        fails("entries", EIO);
    closedir(d);
    closedir(other);
    n = scandir(name, &list, NULL, alphasort);
    must(n >= 0, "scandir");
    if (n != FILES + 2)
        fails("scandir", EIO);
    say("folders: ", list[n - 1]->d_name);
    while (n > 0)
        free(list[--n]);
    free(list);
}

/* ---- descriptors ---- */

static void signals(void)
{
    struct signalfd_siginfo info[4];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC), second = fd < 0 ? -1 : signalfd(-1, &set, 0);
    must(fd >= 0 && second >= 0, "signalfd");
    must(raise(SIGUSR1) == 0, "raise");
    ssize_t n = read(second, info, sizeof info);
    must(n >= 0, "read of a signalfd");
    if (n != (ssize_t)sizeof info[0] || info[0].ssi_signo != SIGUSR1)
        fails("a signal", EIO);
    close(fd);
    close(second);
    say("signals", "");
}

static void sets(void)
{
    struct itimerspec soon = { .it_value = { .tv_nsec = 1000 } };
    struct epoll_event e = { .events = EPOLLIN };
    int set = epoll_create1(0), event = eventfd(1, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    must(set >= 0 && event >= 0 && timer >= 0, "a descriptor");
    must(timerfd_settime(timer, 0, &soon, NULL) == 0, "timerfd_settime");
    must(epoll_ctl(set, EPOLL_CTL_ADD, event, &e) == 0, "EPOLL_CTL_ADD");
    must(epoll_ctl(set, EPOLL_CTL_ADD, timer, &e) == 0, "EPOLL_CTL_ADD");
    must(epoll_wait(set, &e, 1, -1) == 1, "epoll_wait");
    uint64_t times;
    must(read(timer, &times, sizeof times) == sizeof times, "read of a timer");
    close(set);
    close(event);
    close(timer);
    say("sets", "");
}

/* ---- threads ---- */

static int ends[2];
static char shared[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *unused)
{
    char part[16];
    size_t got = 0;
    while (got < sizeof shared) {
        ssize_t n = read(ends[1], part, sizeof part);
        must(n > 0, "read");
        pthread_mutex_lock(&lock);
        size_t left = sizeof shared - got, most = (size_t)n < left ? (size_t)n : left;
        memcpy(shared + got, part, most);
        pthread_mutex_unlock(&lock);
        got += (size_t)n;
    }
    return unused;
}

static void threads(void)
{
    pthread_t id;
    char text[sizeof shared] = "all of this";
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    int err = pthread_create(&id, NULL, reader, NULL);
    if (err != 0)
        fails("pthread_create", err == EAGAIN ? ENOMEM : err);
    for (size_t at = 0; at < sizeof text;) {
        ssize_t n = write(ends[0], text + at, sizeof text - at);
        must(n > 0, "write");
        at += (size_t)n;
    }
    err = pthread_join(id, NULL);
    if (err != 0)
        fails("pthread_join", err);
    say("threads: ", shared);
    close(ends[0]);
    close(ends[1]);
}

/* ---- nodes ---- */

static int listen_at(int port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(fd >= 0, "socket");
    must(bind(fd, (struct sockaddr *)&a, sizeof a) == 0, "bind");
    must(listen(fd, 5) == 0, "listen");
    return fd;
}

static void serve(void)
{
    int at = listen_at(7);
    for (;;) {
        char c;
        int fd = accept(at, NULL, NULL);
        must(fd >= 0, "accept");
        errno = 0;
        while (read(fd, &c, 1) == 1)
            if (write(fd, &c, 1) != 1)
                break;
        must(errno != ENOMEM && errno != ENOBUFS, "read or write");
        close(fd);
    }
}

/* What the server has no memory for is its failure, which ends the run. */
static void ask(const char *name)
{
    struct addrinfo *found, wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    int answers = 0;
    for (int i = 0; i < 8; i++) {
        char c = 'x';
        must(usleep(10000) == 0, "usleep");
        int err = getaddrinfo(name, "7", &wanted, &found);
        if (err != 0)
            fails("getaddrinfo", err == EAI_MEMORY ? ENOMEM : ENOENT);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        must(fd >= 0, "socket");
        errno = 0;
        if (connect(fd, found->ai_addr, found->ai_addrlen) == 0)
            answers += write(fd, &c, 1) == 1 && read(fd, &c, 1) == 1;
        must(errno != ENOMEM && errno != ENOBUFS, "connect, write or read");
        freeaddrinfo(found);
        close(fd);
    }
    char text[] = { (char)('0' + answers), '\0' };
    say("answers: ", text);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "serve") == 0) {
        serve();
    } else if (argc == 3 && strcmp(argv[1], "ask") == 0) {
        ask(argv[2]);
    } else if (argc == 2) {
        folders(argv[1]);
        signals();
        sets();
        threads();
    }
    return 0;
}
