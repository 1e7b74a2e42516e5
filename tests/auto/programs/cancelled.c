/* cancelled.c - waits of every kind, for canceller.c. No marks here. A result is the number of an
 * error; 99: the call has not failed as it should. */
#define _GNU_SOURCE
#include "cancelled.h"
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem, let_thread_go;
static pthread_t thread;
static int p[2], s[2], full[2], locked_fd, fd;
static FILE *in, *out, *held;
static pid_t child;
static char *line;
static int ready;
/* Returns an error of POSIX: what a call has failed with. */
static int failed(long n)
{
    return n < 0 ? errno : 0;
}
static int in_mutex(void)
{
    int err = pthread_mutex_lock(&mutex);
    return err ? err : pthread_mutex_unlock(&mutex);
}
static int in_cond(void)
{
    pthread_mutex_lock(&other);
    while (!ready)
        if (pthread_cond_wait(&cond, &other) != 0)
            return 99;
    return pthread_mutex_unlock(&other);
}
static int in_read_lock(void)
{
    int err = pthread_rwlock_rdlock(&rwlock);
    return err ? err : pthread_rwlock_unlock(&rwlock);
}
static int in_write_lock(void)
{
    int err = pthread_rwlock_wrlock(&rwlock);
    return err ? err : pthread_rwlock_unlock(&rwlock);
}
static int in_sem(void)
{
    return failed(sem_wait(&sem));
}
static int in_timed_sem(void)
{
    struct timespec far = { 4000000000, 0 };
    return failed(sem_timedwait(&sem, &far));
}
static int in_join(void)
{
    return pthread_join(thread, NULL);
}
static int in_read(void)
{
    return failed(read(p[0], &(char){ 0 }, 1));
}
static int in_recv(void)
{
    return failed(recv(s[0], &(char){ 0 }, 1, 0));
}
static int in_write(void)
{
    return failed(write(full[1], "x", 1));
}
static int in_poll(void)
{
    return failed(poll(&(struct pollfd){ p[0], POLLIN, 0 }, 1, -1));
}
static int in_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(p[0], &set);
    return failed(select(p[0] + 1, &set, NULL, NULL, NULL));
}
static int in_epoll(void)
{
    struct epoll_event e = { .events = EPOLLIN };
    int ep = epoll_create1(0);
    epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &e);
    int err = failed(epoll_wait(ep, &e, 1, -1));
    close(ep);
    return err;
}
static int in_sleep(void)
{
    unsigned left = sleep(1000);
    return left > 900 && left <= 1000 ? ECANCELED : 99;
}
static int in_nanosleep(void)
{
    struct timespec t = { 1000, 0 }, rest = { 0, 0 };
    int err = failed(nanosleep(&t, &rest));
    return rest.tv_sec > 900 ? err : 99;
}
static int in_clock_nanosleep(void)
{
    struct timespec t = { 4000000000, 0 };
    return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}
static int in_waitpid(void)
{
    return failed(waitpid(child, NULL, 0));
}
static int in_wait(void)
{
    return failed(wait(NULL));
}
static int in_waitid(void)
{
    siginfo_t info;
    return failed(waitid(P_PID, (id_t)child, &info, WEXITED));
}
static int in_flock(void)
{
    return failed(flock(fd, LOCK_EX));
}
static int in_fcntl(void)
{
    struct flock part = { .l_type = F_WRLCK };
    return failed(fcntl(fd, F_OFD_SETLKW, &part));
}
static int in_getline(void)
{
    size_t room = 0;
    long n = getline(&line, &room, in);
    int err = n < 0 && ferror(in) ? errno : 99;
    clearerr(in);
    return err;
}
static int in_fgets(void)
{
    char text[80];
    int err = !fgets(text, sizeof text, in) && ferror(in) ? errno : 99;
    clearerr(in);
    return err;
}
static int in_getc(void)
{
    int err = getc(in) == EOF && ferror(in) ? errno : 99;
    clearerr(in);
    return err;
}
static int in_fwrite(void)
{
    static const char text[10000];
    int err = fwrite(text, 1, sizeof text, out) < sizeof text && ferror(out) ? errno : 99;
    clearerr(out);
    return err;
}
static int in_printf(void)
{
    int err = fprintf(out, "%5000d", 1) < 0 && ferror(out) ? errno : 99;
    clearerr(out);
    return err;
}
static int in_held(void)
{
    return fputs("not yet", held) < 0 ? errno : 0;
}
static int in_getaddrinfo(void)
{
    struct addrinfo *found = NULL;
    sleep(1000); /* it is cancelled then */
    int err = getaddrinfo("a-name.invalid", "80", NULL, &found);
    return err == EAI_SYSTEM ? errno : err == 0 ? 98 : 99;
}
/* ---- what ends the waits that a cancellation does not end; and what goes on working ---- */
static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}
static void set_ready(void)
{
    pthread_mutex_lock(&other);
    ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&other);
}
static void unlock_rwlock(void)
{
    pthread_rwlock_unlock(&rwlock);
}
static void lock_rwlock(void)
{
    pthread_rwlock_wrlock(&rwlock);
}
static void unlock_held(void)
{
    funlockfile(held);
}
const struct wait waits[] = {
    { "mutex", in_mutex, unlock, NULL },
    { "condition", in_cond, set_ready, NULL },
    { "write lock", in_write_lock, unlock_rwlock, NULL },
    { "read lock", in_read_lock, unlock_rwlock, lock_rwlock },
    { "sem_wait", in_sem, NULL, NULL },
    { "sem_timedwait", in_timed_sem, NULL, NULL },
    { "pthread_join", in_join, NULL, NULL },
    { "read", in_read, NULL, NULL },
    { "recv", in_recv, NULL, NULL },
    { "write", in_write, NULL, NULL },
    { "poll", in_poll, NULL, NULL },
    { "select", in_select, NULL, NULL },
    { "epoll_wait", in_epoll, NULL, NULL },
    { "sleep", in_sleep, NULL, NULL },
    { "nanosleep", in_nanosleep, NULL, NULL },
    { "clock_nanosleep", in_clock_nanosleep, NULL, NULL },
    { "waitpid", in_waitpid, NULL, NULL },
    { "wait", in_wait, NULL, NULL },
    { "waitid", in_waitid, NULL, NULL },
    { "flock", in_flock, NULL, NULL },
    { "fcntl", in_fcntl, NULL, NULL },
    { "getline", in_getline, NULL, NULL },
    { "fgets", in_fgets, NULL, NULL },
    { "getc", in_getc, NULL, NULL },
    { "fwrite", in_fwrite, NULL, NULL },
    { "fprintf", in_printf, NULL, NULL },
    { "a stream that another task holds", in_held, unlock_held, NULL },
    { "getaddrinfo", in_getaddrinfo, NULL, NULL },
    { 0 },
};
static void *wait_in_thread(void *arg)
{
    sem_wait(&let_thread_go);
    return arg;
}
static void fill(int to)
{
    char some[4096] = "";
    fcntl(to, F_SETFL, O_NONBLOCK);
    while (write(to, some, sizeof some) > 0)
        ;
    fcntl(to, F_SETFL, 0);
}
void begin_waits(void)
{
    char path[] = "/tmp/co4-waits.XXXXXX";
    struct flock part = { .l_type = F_WRLCK };
    int lines[2], text[2];
    if (pipe(p) || pipe(full) || pipe(lines) || pipe(text) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, s) || (locked_fd = mkstemp(path)) < 0)
        exit(9);
    fd = open(path, O_RDWR);
    unlink(path);
    flock(locked_fd, LOCK_EX);
    fcntl(locked_fd, F_OFD_SETLK, &part);
    fill(full[1]);
    fill(text[1]);
    in = fdopen(lines[0], "r");
    out = fdopen(text[1], "w");
    held = fdopen(dup(full[1]), "w");
    setvbuf(held, NULL, _IOFBF, 4096);
    sem_init(&sem, 0, 0);
    sem_init(&let_thread_go, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    pthread_create(&thread, NULL, wait_in_thread, NULL);
    if ((child = fork()) == 0) {
        pause();
        _exit(0);
    }
}
void hold_stream(void)
{
    flockfile(held);
}
/* All of it works afterwards. */
int end_waits(void)
{
    char byte;
    int ok = pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0;
    ok &= pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0;
    ok &= sem_post(&sem) == 0 && sem_wait(&sem) == 0 && sem_trywait(&sem) != 0;
    ok &= sem_post(&let_thread_go) == 0 && pthread_join(thread, NULL) == 0;
    ok &= write(p[1], "x", 1) == 1 && read(p[0], &byte, 1) == 1;
    ok &= write(s[1], "x", 1) == 1 && read(s[0], &byte, 1) == 1;
    kill(child, SIGKILL);
    ok &= waitpid(child, NULL, 0) == child;
    close(locked_fd);
    ok &= flock(fd, LOCK_EX) == 0;
    free(line);
    return ok;
}
int run_wait(int i)
{
    return waits[i].run();
}
