/* suspended.c - threads that wait for signals at once, each with a mask of its own: each wait ends
 * by its own signal, with the handler in its thread. Prints the same with threads of the system,
 * and with each seed. With `lost`: a mistake, a signal that comes before the wait. With `child`: a
 * thread other than that of main waits for the end of a child. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAITS = 4, SENDERS = 5, THREADS = WAITS * SENDERS, MOST = 64 };

static _Thread_local int me = -1;
static struct {
    int handled, signo, thread, inside_blocked, value;
} seen[MOST]; /* each written by its thread */
static pthread_t ids[MOST];
static sigset_t blocked; /* all that are used */

static void handle(int signo, siginfo_t *info, void *context)
{
    sigset_t now;
    (void)context;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    int at = me < 0 ? MOST - 1 : me;
    seen[at].handled++;
    seen[at].signo = signo;
    seen[at].thread = pthread_equal(pthread_self(), ids[at]) != 0;
    seen[at].inside_blocked = sigismember(&now, signo) * 10 + sigismember(&now, SIGUSR2);
    seen[at].value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
}

static int is_blocked(int signo)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, signo);
}

static sigset_t all_but(int signo)
{
    sigset_t set = blocked;
    sigdelset(&set, signo);
    return set;
}

static int wait_by(int how, int fd, const struct timespec *limit, const sigset_t *mask)
{
    struct pollfd p = { fd, POLLIN, 0 };
    struct epoll_event event = { .events = EPOLLIN };
    fd_set set;
    FD_ZERO(&set);
    if (fd >= 0)
        FD_SET(fd, &set);
    switch (how) {
    case 0:
        return sigsuspend(mask);
    case 1:
        return ppoll(&p, 1, limit, mask);
    case 2:
        return pselect(fd + 1, &set, NULL, NULL, limit, mask);
    default: {
        int many = epoll_create1(0);
        if (fd >= 0)
            assert(epoll_ctl(many, EPOLL_CTL_ADD, fd, &event) == 0);
        int n = epoll_pwait(many, &event, 1, limit ? (int)(limit->tv_nsec / 1000000) : -1, mask);
        int was = errno;
        close(many);
        errno = was;
        return n;
    }
    }
}

/* ---- each by its own ---- */

static void *waits(void *arg)
{
    me = (int)(intptr_t)arg;
    int signo = SIGRTMIN + me;
    sigset_t mask = all_but(signo);
    int n = wait_by(me % WAITS, -1, NULL, &mask), was = errno;
    assert(n == -1 && was == EINTR);
    assert(is_blocked(signo) == 1);
    return NULL;
}

static void *sends(void *arg)
{
    int i = (int)(intptr_t)arg, signo = SIGRTMIN + i;
    timer_t timer;
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signo };
    struct itimerspec soon = { .it_value = { 0, 2000000 } };
    switch (i / WAITS) {
    case 0:
        assert(kill(getpid(), signo) == 0);
        break;
    case 1:
        assert(pthread_kill(ids[i], signo) == 0);
        break;
    case 2:
        assert(sigqueue(getpid(), signo, (union sigval){ .sival_int = 100 + i }) == 0);
        break;
    case 3:
        assert(pthread_sigqueue(ids[i], signo, (union sigval){ .sival_int = 200 + i }) == 0);
        break;
    default:
        assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
        assert(timer_settime(timer, 0, &soon, NULL) == 0);
    }
    return NULL;
}

static void each_by_its_own(void)
{
    pthread_t senders[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert(pthread_create(&ids[i], NULL, waits, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++)
        assert(pthread_create(&senders[i], NULL, sends, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(senders[i], NULL);
        pthread_join(ids[i], NULL);
        printf("%d: %d time, signal %d, in its thread %d, blocked %02d, value %d\n", i,
               seen[i].handled, seen[i].signo - SIGRTMIN, seen[i].thread, seen[i].inside_blocked,
               seen[i].value);
    }
}

/* ---- one of many ---- */

static int ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_more = PTHREAD_COND_INITIALIZER;

static void *waits_with_others(void *arg)
{
    me = (int)(intptr_t)arg;
    sigset_t mask = all_but(SIGUSR1);
    assert(wait_by(me % WAITS, -1, NULL, &mask) == -1 && errno == EINTR);
    assert(seen[me].handled == 1);
    pthread_mutex_lock(&lock);
    ended++;
    pthread_cond_signal(&one_more);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* A signal of the process is that of one thread. */
static void one_of_many(void)
{
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < WAITS; i++)
        assert(pthread_create(&ids[i], NULL, waits_with_others, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < WAITS; i++) {
        kill(getpid(), SIGUSR1);
        pthread_mutex_lock(&lock);
        while (ended <= i)
            pthread_cond_wait(&one_more, &lock);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < WAITS; i++)
        pthread_join(ids[i], NULL);
    printf("%d have ended by %d signals\n", ended, WAITS);
}

/* ---- what is ready, and time ---- */

static void *looks(void *arg)
{
    me = (int)(intptr_t)arg;
    int ends[2];
    char c;
    sigset_t mask = all_but(SIGUSR1), pending;
    struct timespec limit = { 0, 3000000 }, none = { 0, 0 };
    assert(pipe(ends) == 0);
    assert(wait_by(me, ends[0], &limit, &mask) == 0);
    assert(write(ends[1], "x", 1) == 1);
    struct pollfd there = { ends[0], POLLIN, 0 };
    assert(poll(&there, 1, -1) == 1);
    pthread_kill(pthread_self(), SIGUSR1); /* blocked */
    assert(wait_by(me, ends[0], &limit, &mask) == 1 && seen[me].handled == 0);
    assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
    assert(read(ends[0], &c, 1) == 1);
    struct timespec *soon = me == 3 ? &limit : &none; /* epoll_pwait() of no time takes no signal */
    assert(wait_by(me, ends[0], soon, &mask) == -1 && errno == EINTR && seen[me].handled == 1);
    assert(wait_by(me, ends[0], &none, &mask) == 0);
    raise(SIGUSR1);
    assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
    usleep(1000);
    assert(wait_by(me, ends[0], NULL, &mask) == -1 && errno == EINTR && seen[me].handled == 2);
    close(ends[0]);
    close(ends[1]);
    return NULL;
}

static void what_is_ready(void)
{
    memset(seen, 0, sizeof seen);
    for (int i = 1; i < WAITS; i++)
        assert(pthread_create(&ids[i], NULL, looks, (void *)(intptr_t)i) == 0);
    for (int i = 1; i < WAITS; i++)
        pthread_join(ids[i], NULL);
    puts("what is ready comes before a signal");
}

/* ---- pause(), ignored signals, cancellation, main ---- */

static void *pauses(void *arg)
{
    me = (int)(intptr_t)arg;
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGRTMIN + me);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    assert(pause() == -1 && errno == EINTR);
    pthread_mutex_lock(&lock);
    ended++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void two_pause(void)
{
    ended = 0;
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&ids[i], NULL, pauses, (void *)(intptr_t)i) == 0);
    for (int still = 1; still;) { /* a signal before the wait ends none */
        for (int i = 0; i < 2; i++)
            kill(getpid(), SIGRTMIN + i);
        usleep(1000);
        pthread_mutex_lock(&lock);
        still = ended < 2;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    puts("both have paused");
}

static void put_back(void *arg)
{
    *(int *)arg += 1;
}

static void *waits_for_ever(void *arg)
{
    sigset_t mask = all_but(SIGCHLD); /* ignored by default */
    pthread_cleanup_push(put_back, arg);
    for (;;)
        sigsuspend(&mask);
    pthread_cleanup_pop(0);
}

static void cancelled(void)
{
    int cleaned = 0;
    assert(pthread_create(&ids[0], NULL, waits_for_ever, &cleaned) == 0);
    kill(getpid(), SIGCHLD);
    pthread_kill(ids[0], SIGCHLD);
    usleep(1000);
    pthread_cancel(ids[0]);
    pthread_join(ids[0], NULL);
    printf("cancelled, %d cleaned\n", cleaned);
}

static pthread_t main_id;
static volatile sig_atomic_t main_goes_on;

static void *sends_to_main(void *arg)
{
    sigset_t mask = all_but(SIGRTMIN + 5);
    me = 0;
    sigdelset(&mask, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    usleep(1000);
    pthread_kill(pthread_self(), SIGALRM); /* its handler ends no wait of main */
    usleep(1000);
    assert(!main_goes_on && seen[0].handled == 1);
    pthread_kill(main_id, SIGUSR1);
    pthread_kill(main_id, SIGRTMIN + 5); /* this thread does not block it, but it is main's */
    usleep(1000);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    return arg;
}

static void main_waits(void)
{
    sigset_t mask = all_but(SIGUSR1), pending;
    memset(seen, 0, sizeof seen);
    ids[MOST - 1] = main_id = pthread_self();
    assert(pthread_create(&ids[0], NULL, sends_to_main, NULL) == 0);
    assert(sigsuspend(&mask) == -1 && errno == EINTR);
    main_goes_on = 1;
    pthread_join(ids[0], NULL);
    sigpending(&pending);
    printf("main: %d, %d in its thread, other %d, pending %d\n", seen[MOST - 1].handled,
           seen[MOST - 1].thread, seen[0].handled, sigismember(&pending, SIGRTMIN + 5));
    mask = all_but(SIGRTMIN + 5);
    assert(sigsuspend(&mask) == -1 && errno == EINTR);
    mask = all_but(SIGALRM);
    alarm(1);
    assert(ppoll(NULL, 0, NULL, &mask) == -1 && errno == EINTR);
    printf("main: %d\n", seen[MOST - 1].handled);
}

/* ---- a mistake: the signal comes before the wait, if at a bad time ---- */

static void *looks_and_pauses(void *arg)
{
    sigset_t own;
    me = 0;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    if (((volatile int *)&seen[0].handled)[0] == 0)
        pause();
    return arg;
}

static int lost(void)
{
    assert(pthread_create(&ids[0], NULL, looks_and_pauses, NULL) == 0);
    assert(pthread_kill(ids[0], SIGUSR1) == 0);
    return pthread_join(ids[0], NULL);
}

/* ---- a child, which takes its real time ---- */

static volatile sig_atomic_t has_ended;

static void note_end(int signo)
{
    (void)signo;
    has_ended = 1;
}

static void *waits_for_child(void *arg)
{
    sigset_t end;
    int status, signo;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    if (arg) {
        assert(sigwait(&end, &signo) == 0 && signo == SIGCHLD);
    } else {
        sigset_t mask = all_but(SIGCHLD);
        while (!has_ended)
            sigsuspend(&mask);
    }
    assert(wait(&status) > 0 && WEXITSTATUS(status) == 7);
    return arg;
}

static void child_ends(bool is_taken)
{
    static const struct timespec while_all_wait = { 0, 30000000 };
    assert(pthread_create(&ids[0], NULL, waits_for_child, is_taken ? &ids[0] : NULL) == 0);
    if (fork() == 0) {
        nanosleep(&while_all_wait, NULL);
        _exit(7);
    }
    pthread_join(ids[0], NULL);
    puts(is_taken ? "the signal is taken" : "its handler has run");
}

static int children(void)
{
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    signal(SIGCHLD, note_end);
    child_ends(false);
    child_ends(true);
    return 0;
}

int main(int argc, char **argv)
{
    struct sigaction how = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGALRM);
    for (int i = 0; i < THREADS; i++)
        sigaddset(&blocked, SIGRTMIN + i);
    for (int signo = 1; signo <= SIGRTMAX; signo++)
        if (sigismember(&blocked, signo) == 1)
            assert(sigaction(signo, &how, NULL) == 0);
    assert(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
    if (argc > 1)
        return strcmp(argv[1], "child") == 0 ? children() : lost();
    each_by_its_own();
    one_of_many();
    what_is_ready();
    two_pause();
    cancelled();
    main_waits();
    return 0;
}
