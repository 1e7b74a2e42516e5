/* streams.c - pipes and sockets as descriptors: modes, copies, limits of time, ends, streams of C.
 * It prints the same whether or not it is simulated. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 200000 };
static int ends[2];
static volatile sig_atomic_t broken;

static void *writes_much(void *arg)
{
    static char block[7000];
    for (int i = 0; i < (int)sizeof block; i++)
        block[i] = (char)('a' + i % 26);
    for (size_t done = 0; done < MANY; done += sizeof block) {
        size_t part = MANY - done < sizeof block ? MANY - done : sizeof block;
        assert(write(ends[1], block, part) == (ssize_t)part);
    }
    close(ends[1]);
    return arg;
}

static void pipes(void)
{
    pthread_t id;
    char block[3000];
    size_t all = 0;
    ssize_t n;
    assert(pipe(ends) == 0);
    pthread_create(&id, NULL, writes_much, NULL);
    while ((n = read(ends[0], block, sizeof block)) > 0)
        all += (size_t)n;
    pthread_join(id, NULL);
    assert(n == 0 && close(ends[0]) == 0);
    printf("%zu bytes through a pipe\n", all);
}

static void modes(void)
{
    char c;
    struct stat s;
    int there;
    assert(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
    assert(read(ends[0], &c, 1) < 0 && errno == EAGAIN);
    assert(fcntl(ends[0], F_GETFD) == FD_CLOEXEC && (fcntl(ends[0], F_GETFL) & O_NONBLOCK));
    assert((fcntl(ends[0], F_GETFL) & O_ACCMODE) == O_RDONLY);
    assert(fcntl(ends[0], F_SETFL, 0) == 0 && fstat(ends[0], &s) == 0 && S_ISFIFO(s.st_mode));
    assert(write(ends[1], "four", 4) == 4 && read(ends[0], &c, 1) == 1 && c == 'f');
    do
        assert(ioctl(ends[0], FIONREAD, &there) == 0);
    while (there != 3);
    assert(write(ends[0], &c, 1) < 0 && errno == EBADF && read(ends[1], &c, 1) < 0);
    assert(lseek(ends[0], 0, SEEK_SET) < 0 && errno == ESPIPE);
    close(ends[1]);
    char rest[8];
    size_t done = 0;
    for (ssize_t n; (n = read(ends[0], rest + done, sizeof rest - done)) > 0;)
        done += (size_t)n;
    printf("%.*s after %c\n", (int)done, rest, c);
    close(ends[0]);
    assert(read(ends[0], &c, 1) < 0 && errno == EBADF);
}

static void copies(void)
{
    char c;
    int pair[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    int more = dup(pair[1]), high = fcntl(pair[1], F_DUPFD, 50), onto = 40;
    assert(more >= 0 && high >= 50 && dup2(pair[1], onto) == onto);
    assert(fcntl(more, F_SETFL, O_NONBLOCK) == 0 && (fcntl(high, F_GETFL) & O_NONBLOCK));
    close(pair[1]);
    assert(write(high, "x", 1) == 1 && read(pair[0], &c, 1) == 1 && c == 'x');
    close(high);
    close(more);
    assert(write(onto, "y", 1) == 1 && read(pair[0], &c, 1) == 1 && c == 'y');
    assert(dup2(0, onto) == onto); /* the last one */
    assert(read(pair[0], &c, 1) == 0);
    close(onto);
    close(pair[0]);
    puts("copies");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void limits(void)
{
    char c;
    int pair[2];
    struct timeval limit = { 0, 200000 }, is;
    socklen_t size = sizeof is;
    assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    assert(getsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &is, &size) == 0 && is.tv_sec == 0 &&
           is.tv_usec == 0 && size == sizeof is);
    assert(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
    double begin = seconds();
    assert(recv(pair[0], &c, 1, 0) < 0 && errno == EAGAIN);
    double took = seconds() - begin;
    assert(took > 0.19 && took < 0.5);
    assert(recv(pair[0], &c, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    char text[8] = "";
    struct iovec parts[] = { { text, 2 }, { text + 2, 4 } };
    struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
    assert(send(pair[1], "record", 6, 0) == 6 && send(pair[1], "more", 4, 0) == 4);
    assert(recv(pair[0], text, 3, MSG_PEEK) == 3 && recvmsg(pair[0], &m, 0) == 6);
    assert(recv(pair[0], text + 6, 2, 0) == 2 && recv(pair[0], &c, 1, MSG_DONTWAIT) < 0);
    printf("%.8s after a fifth of a second\n", text);
    close(pair[0]);
    close(pair[1]);
}

static void note_broken(int signo)
{
    (void)signo;
    broken++;
}

static void *reads_to_end(void *arg)
{
    char c;
    int n = 0;
    while (read((int)(intptr_t)arg, &c, 1) == 1)
        n++;
    assert(write((int)(intptr_t)arg, &n, sizeof n) == sizeof n);
    return NULL;
}

static void halves(void)
{
    int pair[2], n = 0;
    pthread_t id;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pthread_create(&id, NULL, reads_to_end, (void *)(intptr_t)pair[1]);
    assert(write(pair[0], "abcdef", 6) == 6 && shutdown(pair[0], SHUT_WR) == 0);
    assert(send(pair[0], "x", 1, MSG_NOSIGNAL) < 0 && errno == EPIPE);
    assert(recv(pair[0], &n, sizeof n, MSG_WAITALL) == sizeof n);
    pthread_join(id, NULL);
    close(pair[1]);
    signal(SIGPIPE, note_broken);
    assert(pipe(ends) == 0 && close(ends[0]) == 0);
    assert(write(ends[1], "x", 1) < 0 && errno == EPIPE && broken == 1);
    assert(write(pair[0], "x", 1) < 0 && errno == EPIPE && broken == 2);
    signal(SIGPIPE, SIG_DFL);
    printf("%d bytes, %d signals\n", n, (int)broken);
    close(pair[0]);
    close(ends[1]);
}

static void *speaks(void *arg)
{
    FILE *file = fdopen((int)(intptr_t)arg, "r+");
    char line[100];
    assert(file && fileno(file) == (int)(intptr_t)arg);
    while (fgets(line, sizeof line, file)) {
        fprintf(file, "you said %s", line);
        fflush(file);
    }
    assert(fclose(file) == 0);
    return NULL;
}

static void files(void)
{
    int pair[2];
    char line[100];
    pthread_t id;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pthread_create(&id, NULL, speaks, (void *)(intptr_t)pair[1]);
    FILE *in = fdopen(pair[0], "r");
    for (int i = 0; i < 3; i++) {
        dprintf(pair[0], "line %d\n", i);
        assert(fgets(line, sizeof line, in));
        fputs(line, stdout);
    }
    shutdown(pair[0], SHUT_WR);
    assert(!fgets(line, sizeof line, in) && feof(in));
    fclose(in);
    pthread_join(id, NULL);
}

int main(void)
{
    pipes();
    modes();
    copies();
    limits();
    halves();
    files();
    return 0;
}
