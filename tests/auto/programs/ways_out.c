/* ways_out.c - the process ends in each way while threads wait in each way, one runs for ever, and
 * handlers of its end start, join and wait: ways_out WAY. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KINDS = 21 };

static pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER,
                       freed_at_exit = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t never, ready;
static int empty[2], full[2], pair[2], listener;
static char big[1 << 20];
static pthread_t main_thread, endless, short_one;
static FILE *in;

static void *runs_for_ever(void *arg)
{
    sem_post(&ready);
    for (volatile long n = 0;; n++)
        ;
    return arg;
}

static void wait_for(int kind)
{
    char byte;
    int n;
    sigset_t usr2;
    struct epoll_event e;
    struct pollfd p = { empty[0], POLLIN, 0 };
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    switch (kind) {
    case 0:
        pthread_mutex_lock(&locked);
        break;
    case 1:
        pthread_mutex_lock(&m), pthread_cond_wait(&c, &m);
        break;
    case 2:
        pthread_rwlock_rdlock(&rw);
        break;
    case 3:
        pthread_rwlock_wrlock(&rw);
        break;
    case 4:
        pthread_barrier_wait(&barrier);
        break;
    case 5:
        sem_wait(&never);
        break;
    case 6:
        (void)!read(empty[0], &byte, 1);
        break;
    case 7:
        (void)!write(full[1], big, sizeof big);
        break;
    case 8:
        accept(listener, NULL, NULL);
        break;
    case 9:
        poll(&p, 1, -1);
        break;
    case 10:
        sleep(1000);
        break;
    case 11:
        pthread_join(endless, NULL);
        break;
    case 12:
        sigwait(&usr2, &n);
        break;
    case 13:
        waitpid(-1, NULL, 0);
        break;
    case 14:
        fgetc(in);
        break;
    case 15:
        system("sleep 0.1");
        sleep(1000);
        break;
    case 16:
        recv(pair[0], &byte, 1, 0);
        break;
    case 17:
        epoll_wait(epoll_create1(0), &e, 1, -1);
        break;
    case 18:
        select(0, NULL, NULL, NULL, NULL);
        break;
    case 19:
        pthread_join(main_thread, NULL);
        break;
    case 20:
        flockfile(in);
        break;
    }
}

static void *waits(void *kind)
{
    sem_post(&ready);
    for (;;)
        wait_for((int)(intptr_t)kind);
    return kind;
}

static void *ends_soon(void *arg)
{
    usleep(2000);
    return arg;
}

static void *locks(void *arg)
{
    pthread_mutex_lock(&freed_at_exit);
    printf("a thread of the end has locked\n");
    return arg;
}

/* ---- handlers of the end, the last one first ---- */

static void ended(void)
{
    printf("the end\n");
}

static void join_one(void)
{
    void *value;
    pthread_join(short_one, &value);
    printf("joined %d\n", (int)(intptr_t)value);
}

static void start_one(void)
{
    pthread_t id;
    pthread_create(&id, NULL, locks, NULL);
    usleep(1000);
    pthread_mutex_unlock(&freed_at_exit);
    pthread_join(id, NULL);
}

static void wait_a_little(void)
{
    char byte;
    int fds[2];
    usleep(1000);
    if (pipe(fds) == 0 && write(fds[1], "x", 1) == 1)
        printf("has read %d\n", (int)read(fds[0], &byte, 1));
}

static void ended_quickly(void)
{
    printf("the quick end\n");
    fflush(stdout);
}

/* ---- the ways ---- */

static void *leaves(void *way)
{
    usleep(1000);
    switch ((intptr_t)way) {
    case 0:
        exit(10);
    case 1:
        _exit(11);
    case 2:
        quick_exit(12);
    default:
        abort();
    }
}

static void start_leaving(int way)
{
    pthread_t id;
    pthread_create(&id, NULL, leaves, (void *)(intptr_t)way);
}

static int leave(int way)
{
    switch (way) {
    case 1:
        exit(4);
    case 2:
        _exit(5);
    case 3:
        quick_exit(6);
    case 4:
        _Exit(7);
    case 5:
        kill(getpid(), SIGTERM);
        pause();
        break;
    case 6:
        start_leaving(1);
        pause();
        break;
    case 7:
        start_leaving(2);
        sleep(1000);
        break;
    case 8:
        start_leaving(3);
        pthread_exit(NULL);
    case 9:
        start_leaving(0);
        pause();
        break; /* its handlers wait in a thread */
    case 10:
        start_leaving(0);
        pthread_exit(NULL);
    }
    return 3;
}

int main(int argc, char **argv)
{
    pthread_t id;
    sigset_t usr2;
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &usr2, NULL);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (argc < 2 || pipe(empty) || pipe(full) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
        bind(listener, (void *)&at, sizeof at) || listen(listener, 1))
        return 1;
    in = fdopen(empty[0], "r");
    main_thread = pthread_self();
    sem_init(&never, 0, 0);
    sem_init(&ready, 0, 0);
    pthread_barrier_init(&barrier, NULL, 100);
    pthread_mutex_lock(&locked);
    pthread_mutex_lock(&freed_at_exit);
    pthread_rwlock_wrlock(&rw);
    atexit(ended);
    atexit(join_one);
    atexit(start_one);
    atexit(wait_a_little);
    at_quick_exit(ended_quickly);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        while (getppid() == parent)
            usleep(20000);
        _exit(0);
    }
    pthread_create(&endless, NULL, runs_for_ever, NULL);
    pthread_create(&short_one, NULL, ends_soon, (void *)7);
    for (intptr_t kind = 0; kind < KINDS; kind++)
        pthread_create(&id, NULL, waits, (void *)kind);
    for (int i = 0; i <= KINDS; i++)
        sem_wait(&ready);
    usleep(5000);
    return leave(atoi(argv[1]));
}
