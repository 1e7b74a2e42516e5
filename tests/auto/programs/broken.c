/* broken.c - writes to pipes and sockets whose other end is closed: SIGPIPE, and EPIPE. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "job.h"

static atomic_int signals;

static void count(int number)
{
    (void)number;
    errno = 0;
    signals++;
}

static int pair_of(int kind, int *fd)
{
    return kind == 0 ? pipe(fd) : socketpair(AF_UNIX, kind, 0, fd);
}

/* What a call says whose other end is closed. */
static int closed_before(int i)
{
    static const int kinds[] = { 0,           0,           SOCK_STREAM, SOCK_STREAM,   SOCK_STREAM,
                                 SOCK_STREAM, SOCK_STREAM, SOCK_DGRAM,  SOCK_SEQPACKET };
    int fd[2];
    char text[] = "text";
    struct iovec part = { text, sizeof text };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (pair_of(kinds[i], fd) != 0)
        return 1;
    int to = kinds[i] == 0 ? fd[1] : fd[0];
    close(kinds[i] == 0 ? fd[0] : fd[1]);
    ssize_t n = 0;
    errno = 0;
    switch (i) {
    case 0:
        n = write(to, text, 4);
        break;
    case 1:
        n = writev(to, &part, 1);
        break;
    case 2:
        n = send(to, text, 4, 0);
        break;
    case 3:
        n = sendto(to, text, 4, 0, NULL, 0);
        break;
    case 4:
        n = sendmsg(to, &message, 0);
        break;
    case 5:
        n = send(to, text, 4, MSG_NOSIGNAL);
        break;
    case 6:
        n = sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        break;
    case 7:
        n = write(to, text, 4);
        break;
    case 8:
        n = send(to, text, 4, MSG_DONTWAIT);
        break;
    }
    int error = errno;
    close(to);
    return n != -1 ? 2 : error == EPIPE ? 4 : error == ECONNREFUSED ? 8 : 16;
}

static int ends[8][2];

/* Calls with even numbers write until an odd one, which reads a little, closes the pipe. */
static int closed_meanwhile(int i)
{
    static const char much[100000];
    int *fd = ends[i / 2];
    if (i % 2 == 1) {
        char some[1000];
        ssize_t n = read(fd[0], some, sizeof some);
        usleep(20000);
        close(fd[0]);
        return n > 0 ? 1 : 2;
    }
    ssize_t n;
    while ((n = write(fd[1], much, sizeof much)) > 0)
        ;
    int error = errno;
    close(fd[1]);
    return n == -1 && error == EPIPE ? 4 : 8;
}

/* A stream without a buffer. */
static int closed_stream(int i)
{
    int fd[2];
    if (pipe(fd) != 0)
        return 1;
    FILE *to = fdopen(fd[1], "w");
    setvbuf(to, NULL, _IONBF, 0);
    close(fd[0]);
    int n = fputs("text", to), error = errno;
    int failed = ferror(to);
    fclose(to);
    return n == EOF && error == EPIPE && failed ? 4 + i : 8 + i;
}

const struct job jobs[] = { { "closed before", closed_before, 9, NULL },
                            { "pipes closed meanwhile", closed_meanwhile, 16, NULL },
                            { "sockets closed meanwhile", closed_meanwhile, 16, NULL },
                            { "a stream", closed_stream, 1, NULL },
                            { "ignored", closed_before, 9, NULL },
                            { NULL, NULL, 0, NULL } };

void begin_job(const struct job *job)
{
    struct sigaction action = { .sa_handler = count };
    if (strcmp(job->name, "ignored") == 0)
        action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    signals = 0;
    for (int k = 0; k < 8; k++)
        if (job->run == closed_meanwhile &&
            pair_of(job->name[0] == 'p' ? 0 : SOCK_STREAM, ends[k]) != 0)
            perror("pair");
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d, %d signals\n", job->name, result, signals);
}
