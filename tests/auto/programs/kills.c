/* kills.c - signals that threads send to each other: it prints the same with threads and with
 * tasks. With an argument: what only tasks say, as it is undefined for threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int handled, others, done;
static atomic_bool quiet, began;
static pthread_t target;
static __thread int own;
static __thread volatile sig_atomic_t own_handled;
static pthread_key_t key;
static atomic_int wrong;
static int order[16];
static atomic_int ordered;
static int ends[2];

static void count(int signo)
{
    own_handled++;
    handled++;
    others += signo != SIGUSR1;
}

/* In the thread that the signal is for. */
static void look(int signo)
{
    count(signo);
    if (!pthread_equal(pthread_self(), target) || own != 42 || pthread_getspecific(key) != &target)
        wrong++;
}

static void note(int signo, siginfo_t *info, void *context)
{
    (void)context;
    order[ordered++ % 16] = info->si_code == SI_QUEUE ? info->si_value.sival_int
                            : info->si_code == SI_TKILL && info->si_pid == getpid()
                                ? signo == SIGUSR1   ? -1
                                  : signo == SIGUSR2 ? -2
                                                     : -3
                                : -9;
    handled++;
}

static void set(int signo, void (*handler)(int), int flags)
{
    struct sigaction a = { .sa_handler = handler, .sa_flags = flags };
    sigemptyset(&a.sa_mask);
    sigaction(signo, &a, NULL);
}

static void set_info(int signo, int flags)
{
    struct sigaction a = { .sa_sigaction = note, .sa_flags = flags | SA_SIGINFO };
    sigemptyset(&a.sa_mask);
    sigaction(signo, &a, NULL);
}

static void nap(void)
{
    nanosleep(&(struct timespec){ 0, 500000 }, NULL);
}

static const char *error(long n)
{
    return n >= 0 ? "no error" : errno == EINTR ? "EINTR" : strerror(errno);
}

/* ---- calls that end ---- */

static sem_t sem;
static int listener;

static void read_it(const char *name)
{
    char c;
    printf("%s: %s\n", name, error(read(ends[0], &c, 1)));
}

static void poll_it(const char *name)
{
    struct pollfd p = { .fd = ends[0], .events = POLLIN };
    printf("%s: %s\n", name, error(poll(&p, 1, -1)));
}

static void poll_until(const char *name)
{
    struct pollfd p = { .fd = ends[0], .events = POLLIN };
    printf("%s: %s\n", name, error(poll(&p, 1, 100000)));
}

static void select_it(const char *name)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    printf("%s: %s\n", name, error(select(ends[0] + 1, &set, NULL, NULL, NULL)));
}

static void nanosleep_it(const char *name)
{
    struct timespec time = { 100, 0 }, rest = { 0 };
    int n = nanosleep(&time, &rest);
    printf("%s: %s, rest %d\n", name, error(n), rest.tv_sec > 30 && rest.tv_sec <= 100);
}

static void sleep_it(const char *name)
{
    unsigned left = sleep(100);
    printf("%s: %d\n", name, left > 30 && left <= 100);
}

static void accept_it(const char *name)
{
    printf("%s: %s\n", name, error(accept(listener, NULL, NULL)));
}

static void sem_it(const char *name)
{
    printf("%s: %s\n", name, error(sem_wait(&sem)));
}

static void epoll_it(const char *name)
{
    struct epoll_event e = { .events = EPOLLIN };
    int fd = epoll_create1(0);
    epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &e);
    printf("%s: %s\n", name, error(epoll_wait(fd, &e, 1, -1)));
    close(fd);
}

static void receive_it(const char *name)
{
    char c;
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    printf("%s: %s\n", name, error(recv(pair[0], &c, 1, MSG_WAITALL)));
    close(pair[0]);
    close(pair[1]);
}

static void write_it(const char *name)
{
    static char bytes[300000];
    int fds[2];
    if (pipe(fds) != 0)
        abort();
    ssize_t n = write(fds[1], bytes, sizeof bytes);
    printf("%s: a part %d\n", name, n > 0 && n < (ssize_t)sizeof bytes);
    printf("%s: %s\n", name, error(write(fds[1], bytes, sizeof bytes)));
    close(fds[0]);
    close(fds[1]);
}

static void wait_it(const char *name)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    printf("%s: %s\n", name, error(waitpid(child, NULL, 0)));
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0)
        ;
}

static void pause_it(const char *name)
{
    printf("%s: %s\n", name, error(pause()));
}

static void sigwait_it(const char *name)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    printf("%s: %s\n", name, error(sigwaitinfo(&set, NULL)));
}

static const struct call {
    void (*call)(const char *name);
    const char *name;
} calls[] = {
    { read_it, "read" },           { poll_it, "poll" },    { poll_until, "poll until" },
    { select_it, "select" },       { sleep_it, "sleep" },  { nanosleep_it, "nanosleep" },
    { accept_it, "accept" },       { sem_it, "sem_wait" }, { epoll_it, "epoll_wait" },
    { receive_it, "recv" },        { write_it, "write" },  { pause_it, "pause" },
    { sigwait_it, "sigwaitinfo" }, { wait_it, "waitpid" },
};
enum { CALLS = sizeof calls / sizeof *calls };

static void *make_call(void *arg)
{
    const struct call *call = arg;
    target = pthread_self();
    own = 42;
    pthread_setspecific(key, &target);
    began = true;
    call->call(call->name);
    done = 1;
    return NULL;
}

static void begin(pthread_t *id, void *(*start)(void *), const void *arg)
{
    began = false;
    done = handled = others = wrong = ordered = 0;
    if (pthread_create(id, NULL, start, (void *)(uintptr_t)arg) != 0)
        abort();
    while (!began)
        nap();
}

/* Its call may not have begun to wait: so they come until it ends. */
static void end_calls(void)
{
    pthread_t id;
    set(SIGUSR1, look, 0);
    for (int i = 0; i < CALLS; i++) {
        begin(&id, make_call, &calls[i]);
        while (!done) {
            pthread_kill(id, SIGUSR1);
            nap();
        }
        pthread_join(id, NULL);
        printf("handled %d, wrong %d\n", handled > 0, wrong);
    }
}

/* ---- calls that go on, while the handler runs ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_t joined;

static void read_on(const char *name)
{
    char c;
    printf("%s: %d\n", name, (int)read(ends[0], &c, 1));
}

static void lock_on(const char *name)
{
    printf("%s: %d\n", name, pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex);
}

static void wait_on(const char *name)
{
    static const struct timespec late = { INT32_MAX, 0 };
    pthread_mutex_lock(&mutex);
    printf("%s: %d\n", name, pthread_cond_timedwait(&cond, &mutex, &late));
    pthread_mutex_unlock(&mutex);
}

static void write_lock_on(const char *name)
{
    printf("%s: %d\n", name, pthread_rwlock_wrlock(&lock));
    pthread_rwlock_unlock(&lock);
}

static void barrier_on(const char *name)
{
    pthread_barrier_wait(&barrier);
    printf("%s\n", name);
}

static void join_on(const char *name)
{
    printf("%s: %d\n", name, pthread_join(joined, NULL));
}

static void compute_on(const char *name)
{
    while (!quiet)
        ;
    printf("%s\n", name);
}

static int compute(const void *a, const void *b)
{
    while (!quiet)
        ;
    return (a > b) - (a < b);
}

static void sort_on(const char *name)
{
    int numbers[] = { 1, 2 };
    qsort(numbers, 2, sizeof *numbers, compute);
    printf("%s\n", name);
}

static void *end_late(void *arg)
{
    while (!quiet)
        nap();
    return arg;
}

static const struct call going_on[] = {
    { read_on, "SA_RESTART read" }, { lock_on, "mutex" },      { wait_on, "condition" },
    { write_lock_on, "rwlock" },    { barrier_on, "barrier" }, { join_on, "join" },
    { compute_on, "loop" },         { sort_on, "qsort" },
};

static void let_go_on(int flags)
{
    pthread_t id;
    set(SIGUSR1, look, flags);
    for (int i = 0; i < 8; i++) {
        quiet = false;
        pthread_create(&joined, NULL, end_late, NULL);
        pthread_mutex_lock(&mutex);
        pthread_rwlock_rdlock(&lock);
        begin(&id, make_call, &going_on[i]);
        bool is_cond = going_on[i].call == wait_on;
        if (is_cond)
            pthread_mutex_unlock(&mutex);
        time_t begun = time(NULL);
        while (handled < (is_cond ? 15 : 5)) { /* each runs before the call goes on */
            int before = handled;
            pthread_kill(id, SIGUSR1);
            while (handled == before)
                nap();
        }
        bool over = done;
        if (time(NULL) - begun > 11) /* the wait ends by itself each second */
            printf("late\n");
        quiet = true;
        if (is_cond)
            pthread_mutex_lock(&mutex);
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&mutex);
        pthread_rwlock_unlock(&lock);
        if (going_on[i].call == read_on && write(ends[1], "x", 1) < 0)
            abort();
        if (going_on[i].call == barrier_on)
            pthread_barrier_wait(&barrier);
        pthread_join(id, NULL);
        if (going_on[i].call != join_on)
            pthread_join(joined, NULL);
        printf("handled %d, wrong %d, over %d\n", handled, wrong, over);
    }
}

/* ---- masks ---- */

static void block(int how, int signo)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signo);
    pthread_sigmask(how, &set, NULL);
}

static sem_t turn, answer;

static void *take_signals(void *arg)
{
    sigset_t set, now;
    siginfo_t info;
    int signo = 0, n;
    struct timespec at_once = { 0, 1000000 };
    struct pollfd p = { .fd = ends[0], .events = POLLIN };
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    began = true;
    n = sigwait(&set, &signo);
    printf("sigwait: %d, %d\n", n, signo == SIGUSR1);
    sem_post(&answer);
    n = sigwaitinfo(&set, &info);
    printf("sigwaitinfo: %d, %d %d\n", n == SIGUSR1, info.si_code, info.si_pid == getpid());
    for (int i = 0; i < 4; i++) {
        sem_post(&answer);
        sem_wait(&turn);
        n = sigwaitinfo(&set, &info);
        printf("sigwaitinfo: %d %d %d\n", n == SIGRTMIN, info.si_code == SI_QUEUE,
               info.si_value.sival_int);
    }
    n = sigtimedwait(&set, &info, &at_once);
    printf("sigtimedwait: %d %d\n", n, errno == EAGAIN);
    sem_post(&answer);
    sem_wait(&turn); /* it is pending now */
    sigemptyset(&now);
    sigpending(&now);
    printf("pending: %d %d, handled %d\n", sigismember(&now, SIGUSR1), sigismember(&now, SIGUSR2),
           handled);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf("handled: %d\n", handled);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 3; i++) { /* once before the call, once during it */
        sem_post(&answer);
        if (i != 1)
            sem_wait(&turn);
        sigemptyset(&now);
        n = i < 2 ? sigsuspend(&now) : ppoll(&p, 1, NULL, &now);
        printf("%d %d, handled %d\n", n, errno == EINTR, handled);
    }
    sem_post(&answer);
    sem_wait(&turn);
    n = ppoll(&p, 1, NULL, &now); /* it has the bytes, so the signal is left */
    printf("%d, handled %d", n, handled);
    nap();
    n = sigtimedwait(&set, &info, &at_once);
    printf(", left %d %d\n", n == SIGUSR1, info.si_value.sival_int);
    return arg;
}

static void turns(pthread_t id, int signo)
{
    sem_wait(&answer);
    pthread_kill(id, signo);
    sem_post(&turn);
}

static void mask(void)
{
    pthread_t id;
    sem_init(&turn, 0, 0);
    sem_init(&answer, 0, 0);
    set(SIGUSR1, count, 0);
    begin(&id, take_signals, NULL);
    pthread_kill(id, SIGUSR1);
    sem_wait(&answer);
    pthread_kill(id, SIGUSR1);
    sem_wait(&answer);
    for (int i = 1; i <= 4; i++)
        pthread_sigqueue(id, SIGRTMIN, (union sigval){ .sival_int = i });
    for (int i = 0; i < 4; i++) {
        sem_post(&turn);
        sem_wait(&answer);
    }
    pthread_kill(id, SIGUSR1);
    pthread_kill(id, SIGUSR1);
    sem_post(&turn);
    turns(id, SIGUSR1);
    sem_wait(&answer);
    nap();
    pthread_kill(id, SIGUSR1);
    turns(id, SIGUSR1);
    sem_wait(&answer);
    pthread_sigqueue(id, SIGUSR1, (union sigval){ .sival_int = 77 });
    if (write(ends[1], "x", 1) < 0)
        abort();
    sem_post(&turn);
    pthread_join(id, NULL);
    char c;
    if (read(ends[0], &c, 1) < 0)
        abort();
}

/* ---- what several do, flags ---- */

static void *unblock_all(void *arg)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    began = true;
    sem_post(&answer);
    sem_wait(&turn);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    return arg;
}

static void orders(void)
{
    pthread_t id;
    set_info(SIGUSR1, 0);
    set_info(SIGUSR2, SA_RESETHAND);
    set_info(SIGRTMIN + 1, 0);
    begin(&id, unblock_all, NULL);
    sem_wait(&answer);
    pthread_kill(id, SIGUSR1);
    for (int i = 10; i < 13; i++)
        pthread_sigqueue(id, SIGRTMIN + 1, (union sigval){ .sival_int = i });
    pthread_kill(id, SIGUSR2);
    pthread_kill(id, SIGUSR1);
    sem_post(&turn);
    pthread_join(id, NULL);
    printf("order:");
    for (int i = 0; i < ordered; i++)
        printf(" %d", order[i]);
    struct sigaction now;
    sigaction(SIGUSR2, NULL, &now);
    printf(", %d\n", now.sa_handler == SIG_DFL);
}

static void *read_byte(void *arg)
{
    char c;
    began = true;
    printf("ignored: %d\n", (int)read(ends[0], &c, 1));
    return arg;
}

static void ignore(void)
{
    pthread_t id;
    set(SIGUSR1, SIG_IGN, 0);
    begin(&id, read_byte, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_kill(id, SIGUSR1);
        pthread_kill(id, SIGURG);
        nap();
    }
    if (write(ends[1], "x", 1) < 0)
        abort();
    pthread_join(id, NULL);
}

static void *wait_for_ever(void *arg)
{
    char c;
    began = true;
    while (read(ends[0], &c, 1) < 0 && errno == EINTR)
        ;
    return arg;
}

static void end_process(void)
{
    pthread_t id;
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        begin(&id, wait_for_ever, NULL);
        pthread_kill(id, SIGTERM);
        pthread_join(id, NULL);
        _exit(3);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    printf("ended by SIGTERM: %d\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void *wait_for_it(void *arg)
{
    began = true;
    pthread_join(*(pthread_t *)arg, NULL);
    return NULL;
}

static void cancel_in(void *(*start)(void *), pthread_t *arg)
{
    pthread_t id;
    void *value;
    begin(&id, start, arg);
    int before = handled;
    pthread_kill(id, SIGUSR1);
    while (handled == before)
        nap();
    pthread_kill(id, SIGUSR1);
    pthread_cancel(id);
    pthread_kill(id, SIGUSR1);
    pthread_join(id, &value);
    printf("cancelled: %d, handled %d\n", value == PTHREAD_CANCELED, handled >= 1);
}

static void cancel(void)
{
    pthread_t other;
    set(SIGUSR1, count, 0);
    cancel_in(wait_for_ever, NULL);
    quiet = false;
    pthread_create(&other, NULL, end_late, NULL);
    cancel_in(wait_for_it, &other);
    quiet = true;
    pthread_join(other, NULL);
}

/* ---- handlers that send ---- */

static pthread_t main_thread;
static atomic_int answers;

static void pass_on(int signo)
{
    (void)signo;
    pthread_kill(target, SIGUSR1);
}

static void *answer_main(void *arg)
{
    target = pthread_self();
    own = 42;
    pthread_setspecific(key, &target);
    began = true;
    for (int seen = 0; seen < 20; seen++) {
        struct timespec time = { 100, 0 };
        if (nanosleep(&time, NULL) == 0)
            wrong++;
        answers++;
    }
    return arg;
}

static void *send_to_main(void *arg)
{
    while (!done) {
        pthread_kill(main_thread, SIGUSR2);
        nap();
    }
    return arg;
}

static void send_from_handlers(void)
{
    pthread_t id, sender;
    char c;
    set(SIGUSR1, look, 0);
    set(SIGUSR2, pass_on, SA_RESTART);
    begin(&id, answer_main, NULL);
    while (answers < 20) { /* one may come before the thread waits */
        raise(SIGUSR2);
        nap();
    }
    pthread_join(id, NULL);
    printf("passed on: %d, wrong %d\n", handled >= 20, wrong);
    set(SIGUSR2, count, 0);
    handled = done = 0;
    pthread_create(&sender, NULL, send_to_main, NULL);
    ssize_t n = read(ends[0], &c, 1);
    printf("main: %s, handled %d\n", error(n), handled > 0);
    done = 1;
    pthread_join(sender, NULL);
}

static void *send_to_itself(void *arg)
{
    target = pthread_self();
    own = 42;
    pthread_setspecific(key, &target);
    began = true;
    printf("itself: %d", pthread_kill(target, SIGUSR1));
    printf(" %d", own_handled);
    printf(" %d", raise(SIGUSR1));
    printf(" %d", own_handled);
    printf(" %d %d %d %d, wrong %d\n", pthread_kill(target, 0), pthread_kill(target, 99),
           pthread_kill(target, -1), pthread_kill(target, 32), wrong);
    return arg;
}

/* The child has the thread that forks. */
static void *fork_and_send(void *arg)
{
    int status;
    began = true;
    pid_t child = fork();
    if (child == 0) {
        handled = own_handled = 0;
        own = 42;
        target = pthread_self();
        pthread_setspecific(key, &target);
        pthread_kill(target, SIGUSR1);
        pthread_kill(target, SIGUSR1);
        _exit(wrong * 16 + handled * 4 + own_handled);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return arg;
}

static void itself(void)
{
    pthread_t id;
    set(SIGUSR1, look, 0);
    begin(&id, fork_and_send, NULL);
    pthread_join(id, NULL);
    set(SIGUSR1, look, 0);
    begin(&id, send_to_itself, NULL);
    pthread_join(id, NULL);
    begin(&id, wait_for_ever, NULL);
    printf("other: %d %d %d %d\n", pthread_kill(id, 0), pthread_kill(id, 99), pthread_kill(id, -1),
           pthread_kill(id, 32));
    if (write(ends[1], "x", 1) < 0)
        abort();
    pthread_join(id, NULL);
}

/* ---- handlers that wait: all threads stop, as for a collector of garbage ---- */

enum { STOPPED = 12, ROUNDS = 6 };
static atomic_int round_now, stopped_at[STOPPED];
static __thread int own_place;

static void stop_here(int signo)
{
    int was = errno, now = round_now;
    sigset_t all;
    (void)signo;
    sigfillset(&all);
    sigdelset(&all, SIGUSR2);
    stopped_at[own_place] = now;
    sem_post(&answer);
    while (round_now == now)
        sigsuspend(&all);
    sem_post(&answer);
    errno = was;
}

static void *be_stopped(void *arg)
{
    own_place = (int)(intptr_t)arg;
    sem_post(&answer);
    while (!quiet) {
        char c;
        switch (own_place % 3) {
        case 0:
            if (read(ends[0], &c, 1) == 1)
                return arg;
            break;
        case 1:
            pthread_mutex_lock(&mutex);
            if (!quiet)
                pthread_cond_wait(&cond, &mutex);
            pthread_mutex_unlock(&mutex);
            break;
        case 2:
            nap();
        }
    }
    return arg;
}

static void answers_of_all(void)
{
    for (int i = 0; i < STOPPED; i++)
        while (sem_wait(&answer) != 0)
            ;
}

static void stop_all(void)
{
    pthread_t ids[STOPPED];
    struct sigaction a = { .sa_handler = stop_here, .sa_flags = SA_RESTART };
    int right = 0;
    sigfillset(&a.sa_mask);
    sigaction(SIGUSR1, &a, NULL);
    set(SIGUSR2, count, SA_RESTART);
    sem_init(&answer, 0, 0);
    quiet = false;
    for (intptr_t i = 0; i < STOPPED; i++)
        pthread_create(&ids[i], NULL, be_stopped, (void *)i);
    answers_of_all();
    for (int i = 1; i <= ROUNDS; i++) {
        round_now = i;
        for (int k = 0; k < STOPPED; k++)
            pthread_kill(ids[k], SIGUSR1);
        answers_of_all();
        for (int k = 0; k < STOPPED; k++)
            right += stopped_at[k] == i;
        round_now = 0;
        for (int k = 0; k < STOPPED; k++)
            pthread_kill(ids[k], SIGUSR2);
        answers_of_all();
    }
    quiet = true;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    if (write(ends[1], "12345678", STOPPED / 3) < 0)
        abort();
    for (int i = 0; i < STOPPED; i++)
        pthread_join(ids[i], NULL);
    printf("stopped: %d of %d\n", right, STOPPED * ROUNDS);
}

/* ---- many ---- */

enum { TARGETS = 8, SENDERS = 4, SENT = 25000 };
static struct {
    pthread_t id;
    atomic_int handled;
    atomic_bool last;
} targets[TARGETS];
static __thread int own_number = -1;
static sem_t never;

static void count_own(int signo)
{
    (void)signo;
    if (own_number >= 0)
        targets[own_number].handled++;
    else
        wrong++;
}

static void last_own(int signo)
{
    (void)signo;
    targets[own_number].last = true;
}

static void *short_thread(void *arg)
{
    own_number = (int)(intptr_t)arg;
    for (int i = 0; i < 3; i++)
        sched_yield();
    return arg;
}

static void *be_target(void *arg)
{
    int i = own_number = (int)(intptr_t)arg;
    unsigned long sum = 0;
    while (!targets[i].last) {
        struct pollfd p = { .fd = ends[0], .events = POLLIN };
        pthread_t id;
        switch (i % 4) {
        case 0: /* the last one may come before it waits */
            poll(&p, 1, 20);
            break;
        case 1: {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += 5000000;
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            sem_timedwait(&never, &until);
            break;
        }
        case 2:
            for (int k = 0; k < 1000; k++)
                sum += (unsigned)k * sum + 1;
            break;
        case 3:
            if (pthread_create(&id, NULL, short_thread, arg) == 0) {
                pthread_kill(id, SIGUSR1);
                pthread_kill(id, SIGUSR1);
                pthread_join(id, NULL);
            }
        }
    }
    return (void *)(uintptr_t)(sum & 0);
}

static void *send_many(void *arg)
{
    for (int i = 0; i < SENT; i++)
        if (pthread_kill(targets[(i + (int)(intptr_t)arg) % TARGETS].id, SIGUSR1) != 0)
            wrong++;
    return arg;
}

static void storm(void)
{
    pthread_t senders[SENDERS];
    int plausible = 0;
    wrong = 0;
    set(SIGUSR1, count_own, 0);
    set(SIGUSR2, last_own, 0);
    sem_init(&never, 0, 0);
    for (intptr_t i = 0; i < TARGETS; i++)
        pthread_create(&targets[i].id, NULL, be_target, (void *)i);
    for (intptr_t i = 0; i < SENDERS; i++)
        pthread_create(&senders[i], NULL, send_many, (void *)i);
    for (int i = 0; i < SENDERS; i++)
        pthread_join(senders[i], NULL);
    for (int i = 0; i < TARGETS; i++)
        pthread_kill(targets[i].id, SIGUSR2);
    for (int i = 0; i < TARGETS; i++)
        pthread_join(targets[i].id, NULL);
    for (int i = 0; i < TARGETS; i++)
        plausible += targets[i].handled > 0 && (i % 4 == 3 || targets[i].handled <= SENDERS * SENT);
    printf("storm: %d of %d, wrong %d\n", plausible, TARGETS, wrong >= 0 ? 0 : 1);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    (void)argv;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (pipe(ends) != 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 5) != 0)
        return 1;
    main_thread = pthread_self();
    sem_init(&sem, 0, 0);
    pthread_key_create(&key, NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1) {
        pthread_t id, other;
        set(SIGRTMIN, count, 0);
        begin(&id, unblock_all, NULL);
        sem_post(&turn);
        for (int i = 0; i < 20; i++) /* it ends, but for a busy machine */
            nap();
        for (int i = 0; i < 3000; i++)
            pthread_sigqueue(id, SIGRTMIN, (union sigval){ .sival_int = i });
        begin(&other, wait_for_ever, NULL);
        printf("not full: %d\n",
               pthread_sigqueue(other, SIGRTMIN, (union sigval){ .sival_int = 0 }));
        pthread_join(id, NULL);
        printf("gone: %d\n", pthread_kill(id, SIGUSR1) == ESRCH);
        return 0;
    }
    end_calls();
    let_go_on(SA_RESTART);
    mask();
    orders();
    ignore();
    end_process();
    cancel();
    send_from_handlers();
    itself();
#ifndef __SANITIZE_THREAD__ /* which has handlers wait */
    stop_all();
#endif
    storm();
    block(SIG_BLOCK, SIGHUP);
    return 0;
}
