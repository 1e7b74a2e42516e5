/* handled.c - handlers run although the library is in a call: where it blocks, after a jump that
 * has left it in another way, and for each signal that comes. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waiting.h"

static sigjmp_buf out;
static atomic_int seen, sum; /* a handler may interrupt another one */

static void leave(int signo)
{
    siglongjmp(out, signo);
}

static void note(int signo, siginfo_t *info, void *context)
{
    (void)context;
    seen += info->si_signo == signo;
    sum += info->si_value.sival_int;
}

static void end(int signo)
{
    (void)signo;
    _exit(3);
}

static void handle(int signo, void (*by)(int), int flags)
{
    struct sigaction a = { .sa_handler = by, .sa_flags = flags };
    sigaction(signo, &a, NULL);
}

static void handle_noting(int signo)
{
    struct sigaction a = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
    sigaction(signo, &a, NULL);
}

static void alarm_in(long us)
{
    struct itimerval at = { { 0, 0 }, { 0, us } };
    setitimer(ITIMER_REAL, &at, NULL);
}

/* A process that sends the signal when this one waits. */
static pid_t sender(int signo)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        until_parent_waits();
        kill(getppid(), signo);
        _exit(0);
    }
    return pid;
}

/* A handler ends a wait, as ever. */
static void still_handled(const char *after)
{
    int fds[2];
    char c;
    handle_noting(SIGUSR1);
    seen = 0;
    if (pipe(fds) != 0)
        exit(1);
    pid_t pid = sender(SIGUSR1);
    long n = read(fds[0], &c, 1);
    printf("after %s: %ld, handled %d\n", after, n, (int)seen);
    close(fds[0]);
    close(fds[1]);
    waitpid(pid, NULL, 0);
}

static void bad_memory(void)
{
    FILE *f = fopen("/dev/null", "w");
    char *volatile nothing = (char *)16;
    handle(SIGSEGV, leave, 0);
    if (sigsetjmp(out, 1) == 0)
        fprintf(f, "%s", nothing);
    else
        puts("bad memory");
    still_handled("bad memory");
}

static jmp_buf failed;

static ssize_t fails(void *cookie, char *to, size_t bytes)
{
    (void)cookie, (void)to, (void)bytes;
    longjmp(failed, 1);
}

static void callback(void)
{
    char line[20];
    FILE *f = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = fails });
    if (setjmp(failed) == 0)
        fgets(line, sizeof line, f);
    else
        puts("a callback fails");
    still_handled("a callback");
}

static void half_a_number(void)
{
    int fds[2], a, b;
    if (pipe(fds) != 0 || write(fds[1], "12 ", 3) != 3)
        exit(1);
    FILE *f = fdopen(fds[0], "r");
    handle(SIGALRM, leave, 0);
    pid_t pid = sender(SIGALRM);
    if (sigsetjmp(out, 1) == 0)
        fscanf(f, "%d %d", &a, &b);
    puts("scanf is left");
    waitpid(pid, NULL, 0);
    close(fds[1]);
}

/* A lock of the system's threads blocks. */
static void blocked(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_mutexattr_t robust;
        pthread_mutex_t mutex;
        pthread_cond_t never = PTHREAD_COND_INITIALIZER;
        pthread_mutexattr_init(&robust);
        pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_init(&mutex, &robust);
        handle(SIGALRM, end, SA_RESTART);
        pthread_mutex_lock(&mutex);
        sender(SIGALRM);
        pthread_cond_wait(&never, &mutex);
        _exit(4);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    printf("blocked: %d\n", WEXITSTATUS(status));
}

/* Sends `each` signals of each of `numbers` from SIGRTMIN on, and writes and reads until `wanted`
 * are seen. SIGRTMIN, which may leave, comes only between. */
static void send_many(int each, int numbers, int wanted)
{
    int fds[2];
    sigset_t first;
    sigemptyset(&first);
    sigaddset(&first, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &first, NULL);
    if (pipe(fds) != 0)
        exit(1);
    fflush(stdout);
    pid_t pid = fork();
    for (int i = 0; pid == 0 && i < each * numbers; i++)
        while (sigqueue(getppid(), SIGRTMIN + i % numbers, (union sigval){ .sival_int = i }) != 0)
            usleep(1000);
    if (pid == 0)
        _exit(0);
    sigsetjmp(out, 1);
    sigprocmask(SIG_UNBLOCK, &first, NULL);
    char c = 'a';
    while (seen < wanted && write(fds[1], &c, 1) == 1)
        while (read(fds[0], &c, 1) < 0)
            ;
    sigprocmask(SIG_BLOCK, &first, NULL);
    close(fds[0]);
    close(fds[1]);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    signal(SIGRTMIN, SIG_IGN);
    sigprocmask(SIG_UNBLOCK, &first, NULL);
}

static void note_plainly(int signo)
{
    seen += signo == SIGRTMIN + 2;
}

/* Signals of several numbers come together, in fork() as in calls that wait; none is lost. */
static void many(void)
{
    int all = 0;
    long values = 0;
    for (int i = 0; i < 10; i++) {
        handle_noting(SIGRTMIN);
        handle_noting(SIGRTMIN + 1);
        signal(SIGRTMIN + 2, note_plainly);
        seen = sum = 0;
        send_many(100, 3, 300);
        all += seen;
        values += sum;
    }
    printf("many: %d, %ld\n", all, values);
}

/* One handler leaves, another one counts, and may not be left. */
static void many_and_jumps(void)
{
    struct sigaction a = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
    sigaddset(&a.sa_mask, SIGRTMIN);
    sigaction(SIGRTMIN + 1, &a, NULL);
    struct sigaction leaves = { .sa_handler = leave };
    sigaction(SIGRTMIN, &leaves, NULL);
    seen = sum = 0;
    send_many(300, 2, 300);
    printf("many and jumps: %d\n", (int)seen);
}

static void together(void)
{
    sigset_t both, before;
    handle_noting(SIGUSR1);
    handle_noting(SIGUSR2);
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigprocmask(SIG_BLOCK, &both, &before);
    seen = sum = 0;
    sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 10 });
    sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = 12 });
    int n = ppoll(NULL, 0, NULL, &before);
    printf("together: %d, %d, %d\n", n, (int)seen, (int)sum);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static jmp_buf inner;

static void leave_plainly(int signo)
{
    (void)signo;
    longjmp(inner, 1);
}

/* Its signal is not blocked in the handler, nor afterwards. */
static void not_deferred(void)
{
    int fds[2];
    char c = 'a';
    sigset_t now;
    handle(SIGALRM, leave_plainly, SA_NODEFER);
    if (pipe(fds) != 0)
        exit(1);
    for (volatile int i = 0; i < 300; i++) {
        if (_setjmp(inner) == 0) {
            alarm_in(50 + i);
            while (write(fds[1], &c, 1) == 1)
                read(fds[0], &c, 1);
        }
        sigprocmask(SIG_BLOCK, NULL, &now);
        if (sigismember(&now, SIGALRM))
            printf("blocked after %d\n", i);
    }
    puts("not deferred");
    close(fds[0]);
    close(fds[1]);
}

static void forks_and_closes(void)
{
    handle(SIGALRM, leave, 0);
    for (volatile int i = 0; i < 300; i++) {
        if (sigsetjmp(out, 1) == 0) {
            alarm_in(100 + i * 3);
            for (;;) {
                pid_t pid = fork();
                if (pid == 0)
                    _exit(0);
                waitpid(pid, NULL, 0);
            }
        }
    }
    puts("forks");
    for (volatile int i = 0; i < 250; i++) { /* each may leave two descriptors open */
        if (sigsetjmp(out, 1) == 0) {
            alarm_in(20 + i);
            for (;;) {
                int fds[2];
                char c = 'a';
                if (pipe(fds) != 0)
                    exit(1);
                if (write(fds[1], &c, 1) == 1)
                    read(fds[0], &c, 1);
                close(fds[0]);
                close(fds[1]);
            }
        }
    }
    puts("closes");
}

int main(void)
{
    bad_memory();
    callback();
    half_a_number();
    blocked();
    many();
    many_and_jumps();
    together();
    not_deferred();
    forks_and_closes();
    return 0;
}
