/* points.c - a thread is cancelled in each call that is a cancellation point: while it waits, and
 * before it begins. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "points.h"

static int empty[2], full[2], listener, pair[2], datagram;
static char big[1 << 20];
static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static FILE *stream;

static void f_read(void)
{
    char b[8];
    (void)!read(empty[0], b, 8);
}
static void f_readv(void)
{
    char b[8];
    struct iovec v = { b, 8 };
    (void)!readv(empty[0], &v, 1);
}
static void f_recv(void)
{
    char b[8];
    recv(pair[0], b, 8, 0);
}
static void f_recvfrom(void)
{
    char b[8];
    recvfrom(datagram, b, 8, 0, NULL, NULL);
}
static void f_recvmsg(void)
{
    char b[8];
    struct iovec v = { b, 8 };
    struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };
    recvmsg(pair[0], &h, 0);
}
static void f_write(void)
{
    (void)!write(full[1], big, sizeof big);
}
static void f_writev(void)
{
    struct iovec v = { big, sizeof big };
    (void)!writev(full[1], &v, 1);
}
static void f_send(void)
{
    send(pair[0], big, sizeof big, MSG_NOSIGNAL);
}
static void f_accept(void)
{
    accept(listener, NULL, NULL);
}
static void f_accept4(void)
{
    accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}
static void f_poll(void)
{
    struct pollfd p = { empty[0], POLLIN, 0 };
    poll(&p, 1, -1);
}
static void f_ppoll(void)
{
    struct pollfd p = { empty[0], POLLIN, 0 };
    ppoll(&p, 1, NULL, NULL);
}
static void f_select(void)
{
    fd_set s;
    FD_ZERO(&s);
    FD_SET(empty[0], &s);
    select(empty[0] + 1, &s, NULL, NULL, NULL);
}
static void f_pselect(void)
{
    fd_set s;
    FD_ZERO(&s);
    FD_SET(empty[0], &s);
    pselect(empty[0] + 1, &s, NULL, NULL, NULL, NULL);
}
static void f_epoll(void)
{
    struct epoll_event e;
    int fd = epoll_create1(0);
    epoll_wait(fd, &e, 1, -1);
}
static void f_sleep(void)
{
    sleep(100);
}
static void f_usleep(void)
{
    usleep(900000000);
}
static void f_nanosleep(void)
{
    nanosleep(&(struct timespec){ 100, 0 }, NULL);
}
static void f_clock(void)
{
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 100, 0 }, NULL);
}
static void f_sem(void)
{
    sem_wait(&sem);
}
static void f_semtimed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 100;
    sem_timedwait(&sem, &t);
}
static void unlock(void *x)
{
    (void)x;
    printf("(%d)", pthread_mutex_unlock(&m));
}
static void f_cond(void)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, 0);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
}
static void f_condtimed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 100;
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, 0);
    for (;;)
        pthread_cond_timedwait(&c, &m, &t);
    pthread_cleanup_pop(1);
}
static void f_waitpid(void)
{
    int s;
    waitpid(-1, &s, 0);
}
static void f_waitid(void)
{
    siginfo_t i;
    waitid(P_ALL, 0, &i, WEXITED);
}
static void f_sigwait(void)
{
    sigset_t s;
    int n;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigwait(&s, &n);
}
static void f_sigwaitinfo(void)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigwaitinfo(&s, NULL);
}
static void f_sigtimed(void)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigtimedwait(&s, NULL, &(struct timespec){ 100, 0 });
}
static pthread_t other;
static void f_join(void)
{
    pthread_join(other, NULL);
}
static void f_fgets(void)
{
    char b[10];
    (void)!fgets(b, 10, stream);
}
static void f_testcancel(void)
{
    for (;;) {
        pthread_testcancel();
        usleep(1000);
    }
}

static const struct point all[] = {
#define X(n)                                                                                       \
    {                                                                                              \
#n, f_##n                                                                                  \
    }
    X(read),  X(readv),     X(recv),       X(recvfrom),  X(recvmsg), X(write),       X(writev),
    X(send),  X(accept),    X(accept4),    X(poll),      X(ppoll),   X(select),      X(pselect),
    X(epoll), X(sleep),     X(usleep),     X(nanosleep), X(clock),   X(sem),         X(semtimed),
    X(cond),  X(condtimed), X(waitpid),    X(waitid),    X(sigwait), X(sigwaitinfo), X(sigtimed),
    X(join),  X(fgets),     X(testcancel),
};
int main(void)
{
    sigset_t s;
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    if (pipe(empty) || pipe(full) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (void *)&a, sizeof a);
    listen(listener, 5);
    datagram = socket(AF_INET, SOCK_DGRAM, 0);
    bind(datagram, (void *)&a, sizeof a);
    sem_init(&sem, 0, 0);
    stream = fdopen(dup(empty[0]), "r");
    pthread_create(&other, NULL, forever, NULL);
    pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    cancel_in_each(all, sizeof all / sizeof *all);
    kill(child, SIGKILL);
    pthread_cancel(other);
    printf("%d\n", pthread_join(other, NULL));
    return 0;
}
