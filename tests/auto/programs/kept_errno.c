/* kept_errno.c - a call that succeeds leaves errno: after a wait, as a part, at an end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MUCH = 4 << 20 };
static char much[MUCH];

#define SHOW(name, result, call)                                                                   \
    do {                                                                                           \
        errno = 77;                                                                                \
        long n_ = (long)(call);                                                                    \
        int error_ = errno;                                                                        \
        printf("%s: %s, errno %d\n", name, n_ result ? "succeeds" : "fails", error_);              \
    } while (0)

/* Runs `statement` in a process, 50 ms later. */
#define LATER(statement)                                                                           \
    do {                                                                                           \
        fflush(stdout);                                                                            \
        if (fork() == 0) {                                                                         \
            usleep(50000);                                                                         \
            statement;                                                                             \
            _exit(0);                                                                              \
        }                                                                                          \
    } while (0)

static void semaphores(void)
{
    sem_t *sem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct timespec until;
    sem_init(sem, 1, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    LATER(sem_post(sem));
    SHOW("sem_wait", == 0, sem_wait(sem));
    wait(NULL);
    LATER(sem_post(sem));
    SHOW("sem_timedwait", == 0, sem_timedwait(sem, &until));
    wait(NULL);
    LATER(sem_post(sem));
    SHOW("sem_clockwait", == 0, sem_clockwait(sem, CLOCK_REALTIME, &until));
    wait(NULL);
}

static void fill(int fd)
{
    while (send(fd, much, 1000, MSG_DONTWAIT) > 0)
        ;
}

/* Each waits until a time limit that comes after a part. */
static void limited(void)
{
    struct timeval limit = { 0, 50000 };
    for (int how = 0; how < 4; how++) {
        int pair[2];
        struct iovec two[] = { { much, MUCH / 2 }, { much, MUCH / 2 } };
        struct msghdr message = { .msg_iov = two, .msg_iovlen = 2 };
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (how == 0)
            SHOW("write, a part", > 0 && n_ < MUCH, write(pair[0], much, MUCH));
        else if (how == 1)
            SHOW("send, a part", > 0 && n_ < MUCH, send(pair[0], much, MUCH, 0));
        else if (how == 2)
            SHOW("writev, a part", > 0 && n_ < MUCH, writev(pair[0], two, 2));
        else
            SHOW("sendmsg, a part", > 0 && n_ < MUCH, sendmsg(pair[0], &message, 0));
        close(pair[0]);
        close(pair[1]);
    }
}

static void without_waits(void)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    socklen_t length = sizeof name;
    int pair[2], ends[2], listener = socket(AF_UNIX, SOCK_STREAM, 0);
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct iovec one = { much, MUCH };
    for (int how = 0; how < 3; how++) {
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
        if (how == 0)
            SHOW("O_NONBLOCK, write", > 0 && n_ < MUCH, write(pair[0], much, MUCH));
        else if (how == 1)
            SHOW("O_NONBLOCK, send", > 0 && n_ < MUCH, send(pair[0], much, MUCH, 0));
        else
            SHOW("O_NONBLOCK, writev", > 0 && n_ < MUCH, writev(pair[0], &one, 1));
        SHOW("the other end", > 0, read(pair[1], much, 100));
        close(pair[0]);
        close(pair[1]);
    }
    if (pipe2(ends, O_NONBLOCK) == 0)
        SHOW("a pipe", > 0 && n_ < MUCH, write(ends[1], much, MUCH));
    bind(listener, (struct sockaddr *)&name, sizeof(sa_family_t));
    listen(listener, 5);
    getsockname(listener, (struct sockaddr *)&name, &length);
    SHOW("O_NONBLOCK, connect", == 0, connect(client, (struct sockaddr *)&name, length));
    SHOW("accept", >= 0, accept(listener, NULL, NULL));
}

static void ends(void)
{
    int pair[2];
    char byte;
    struct iovec one = { &byte, 1 };
    struct msghdr message = { .msg_iov = &one, .msg_iovlen = 1 };
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    shutdown(pair[0], SHUT_RD);
    SHOW("shut down, read", == 0, read(pair[0], &byte, 1));
    SHOW("shut down, readv", == 0, readv(pair[0], &one, 1));
    SHOW("shut down, recv", == 0, recv(pair[0], &byte, 1, 0));
    SHOW("shut down, peek", == 0, recv(pair[0], &byte, 1, MSG_PEEK));
    SHOW("shut down, recvmsg", == 0, recvmsg(pair[0], &message, 0));
    close(pair[0]);
    close(pair[1]);
}

static void streams(void)
{
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    FILE *f = fdopen(pair[0], "w");
    SHOW("fprintf", == 2, fprintf(f, "a\n"));
    SHOW("fflush", == 0, fflush(f));
    fill(pair[0]);
    LATER({
        close(pair[0]);
        while (read(pair[1], much, 1000) > 0)
            ;
    });
    close(pair[1]);
    SHOW("fwrite, after a wait", == 20000, fwrite(much, 1, 20000, f));
    SHOW("fflush, after a wait", == 0, fflush(f));
    fclose(f);
    wait(NULL);
    int nonblocking[2];
    if (pipe2(nonblocking, O_NONBLOCK) != 0)
        return;
    f = fdopen(nonblocking[1], "w");
    SHOW("O_NONBLOCK, fprintf", == 2, fprintf(f, "a\n"));
    SHOW("O_NONBLOCK, fflush", == 0, fflush(f));
    fclose(f);
}

int main(void)
{
    semaphores();
    limited();
    without_waits();
    ends();
    streams();
    return 0;
}
