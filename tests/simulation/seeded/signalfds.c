/* signalfds.c - signals that are read from descriptors, by several threads and in event loops.
 * Prints the same with threads of the system, and with each seed. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static sigset_t set_of(int one, int two)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, one);
    sigaddset(&set, two);
    return set;
}

static const char *code_of(int code)
{
    return code == SI_USER    ? "SI_USER"
           : code == SI_TKILL ? "SI_TKILL"
           : code == SI_QUEUE ? "SI_QUEUE"
           : code == SI_TIMER ? "SI_TIMER"
                              : "?";
}

static void print_one(const char *what, const struct signalfd_siginfo *s)
{
    int own = s->ssi_pid == (uint32_t)getpid() && s->ssi_uid == getuid();
    printf("%s: signal %d, %s, own %d, value %d\n", what,
           (int)s->ssi_signo - (s->ssi_signo >= (uint32_t)SIGRTMIN ? SIGRTMIN : 0),
           code_of(s->ssi_code), s->ssi_code == SI_TIMER || own, s->ssi_int);
}

static int readable(int fd)
{
    struct pollfd p = { fd, POLLIN | POLLOUT, 0 };
    int n = poll(&p, 1, 0);
    return n == 1 ? p.revents : n;
}

static void read_one(const char *what, int fd)
{
    struct signalfd_siginfo s;
    memset(&s, 1, sizeof s);
    assert(read(fd, &s, sizeof s) == sizeof s);
    print_one(what, &s);
}

static void by_one_thread(void)
{
    struct signalfd_siginfo many[4];
    sigset_t mask = set_of(SIGUSR1, SIGRTMIN), other = set_of(SIGUSR2, SIGALRM);
    int fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC), copy = dup(fd), ends[2];
    assert(fd >= 0 && copy >= 0 && pipe(ends) == 0);
    assert((fcntl(fd, F_GETFL) & O_NONBLOCK) && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
    assert(signalfd(ends[0], &mask, 0) == -1 && errno == EINVAL);
    assert(signalfd(-1, &mask, 1 << 30) == -1 && errno == EINVAL);
    assert(signalfd(fd, &mask, 1 << 30) == -1 && errno == EINVAL);
    assert(signalfd(999, &mask, 0) == -1 && errno == EBADF);
    assert(readable(fd) == 0);
    assert(read(fd, many, sizeof many) == -1 && errno == EAGAIN);
    assert(write(fd, many, sizeof many) == -1 && errno == EINVAL);
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR1); /* once */
    kill(getpid(), SIGUSR2);
    assert(readable(fd) == POLLIN && readable(copy) == POLLIN);
    assert(read(fd, many, sizeof many[0] - 1) == -1 && errno == EINVAL);
    read_one("kill", copy);
    assert(readable(fd) == 0);
    for (int i = 0; i < 3; i++)
        sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 7 + i });
    assert(read(fd, many, 2 * sizeof many[0] + 5) == 2 * sizeof many[0]);
    print_one("queued", &many[0]);
    print_one("queued", &many[1]);
    assert(read(fd, many, sizeof many) == sizeof many[0]);
    print_one("queued", &many[0]);
    assert(signalfd(fd, &other, 0) == fd && readable(fd) == POLLIN); /* SIGUSR2 */
    read_one("of the other mask", fd);
    raise(SIGUSR2);
    read_one("raised", fd);
    close(fd);
    kill(getpid(), SIGUSR2);
    read_one("by the copy", copy);
    close(copy);
    assert(read(copy, many, sizeof many) == -1 && errno == EBADF);
    close(ends[0]);
    close(ends[1]);
}

/* ---- readers that wait ---- */

enum { READERS = 3 };
static pthread_t readers[READERS];
static int shared;

static void *reads_own(void *arg)
{
    struct signalfd_siginfo s;
    int n = (int)(intptr_t)arg;
    assert(read(shared, &s, sizeof s) == sizeof s);
    assert(s.ssi_signo == (uint32_t)SIGRTMIN + 1 && s.ssi_code == SI_QUEUE);
    assert(s.ssi_int == n); /* of those to its thread */
    return arg;
}

/* A signal to a thread is readable for that thread alone. */
static void to_threads(void)
{
    sigset_t mask = set_of(SIGRTMIN + 1, SIGRTMIN + 1);
    shared = signalfd(-1, &mask, 0);
    for (int i = 0; i < READERS; i++)
        assert(pthread_create(&readers[i], NULL, reads_own, (void *)(intptr_t)i) == 0);
    for (int i = READERS; i-- > 0;) {
        pthread_sigqueue(readers[i], SIGRTMIN + 1, (union sigval){ .sival_int = i });
        assert(readable(shared) == 0);
    }
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    puts("each has its own");
    close(shared);
}

static int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reads_any(void *arg)
{
    struct signalfd_siginfo s;
    do {
        assert(read(shared, &s, sizeof s) == sizeof s);
        pthread_mutex_lock(&lock);
        taken += s.ssi_int;
        pthread_mutex_unlock(&lock);
    } while (s.ssi_int > 0);
    return arg;
}

/* One to the process is read once. */
static void to_process(void)
{
    sigset_t mask = set_of(SIGRTMIN + 2, SIGRTMIN + 2);
    shared = signalfd(-1, &mask, 0);
    for (int i = 0; i < READERS; i++)
        assert(pthread_create(&readers[i], NULL, reads_any, NULL) == 0);
    for (int i = 1; i <= 20; i++)
        assert(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = i }) == 0);
    for (int i = 0; i < READERS; i++)
        assert(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = 0 }) == 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    printf("%d in all\n", taken);
    close(shared);
}

/* ---- event loops ---- */

static int ends[2];

static void *sends(void *arg)
{
    usleep(2000);
    kill(getpid(), SIGUSR1);
    usleep(2000);
    assert(write(ends[1], "x", 1) == 1);
    usleep(20000);
    kill(getpid(), SIGTERM);
    return arg;
}

static void by_loop(uint32_t how)
{
    char c;
    int signals = 0, bytes = 0, timers = 0;
    struct epoll_event event = { .events = EPOLLIN | how };
    struct itimerspec soon = { .it_value = { 0, 5000000 } };
    struct sigevent expires = { .sigev_notify = SIGEV_SIGNAL,
                                .sigev_signo = SIGALRM,
                                .sigev_value.sival_int = 33 };
    sigset_t mask = set_of(SIGUSR1, SIGTERM);
    pthread_t sender;
    timer_t timer;
    sigaddset(&mask, SIGALRM);
    int fd = signalfd(-1, &mask, SFD_NONBLOCK), set = epoll_create1(0);
    assert(pipe(ends) == 0);
    event.data.fd = fd;
    assert(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
    event.data.fd = ends[0];
    assert(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
    assert(timer_create(CLOCK_MONOTONIC, &expires, &timer) == 0);
    assert(timer_settime(timer, 0, &soon, NULL) == 0);
    assert(pthread_create(&sender, NULL, sends, NULL) == 0);
    for (int ended = 0; !ended;) {
        struct signalfd_siginfo s;
        assert(epoll_wait(set, &event, 1, -1) == 1);
        if (event.data.fd == ends[0])
            bytes += read(ends[0], &c, 1) == 1;
        while (event.data.fd == fd && read(fd, &s, sizeof s) == sizeof s) {
            signals++;
            timers += s.ssi_code == SI_TIMER && s.ssi_int == 33;
            ended = ended || s.ssi_signo == SIGTERM;
        }
    }
    pthread_join(sender, NULL);
    printf("%d signals, %d of a timer, %d byte\n", signals, timers, bytes);
    timer_delete(timer);
    close(set);
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

static void by_select(void)
{
    fd_set set;
    sigset_t mask = set_of(SIGALRM, SIGALRM);
    struct timeval limit = { 0, 1000 };
    int fd = signalfd(-1, &mask, 0);
    FD_ZERO(&set);
    FD_SET(fd, &set);
    assert(select(fd + 1, &set, NULL, NULL, &limit) == 0);
    FD_SET(fd, &set);
    alarm(1);
    assert(select(fd + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fd, &set));
    struct signalfd_siginfo s;
    assert(read(fd, &s, sizeof s) == sizeof s && s.ssi_signo == SIGALRM);
    puts("an alarm");
    close(fd);
}

int main(int argc, char **argv)
{
    (void)argv;
    sigset_t all;
    sigfillset(&all);
    assert(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    if (argc > 1) { /* nothing comes */
        sigset_t mask = set_of(SIGUSR1, SIGUSR1);
        int fd = signalfd(-1, &mask, 0);
        return (int)read(fd, &all, sizeof all);
    }
    by_one_thread();
    to_threads();
    to_process();
    by_loop(0);
    by_loop(EPOLLET);
    by_select();
    return 0;
}
